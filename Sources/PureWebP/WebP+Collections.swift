extension WebP {
  /// Decodes into the caller's collection: `[UInt8]`, `ContiguousArray`, `Data`, or a slice. For other memory, pass a
  /// `MutableSpan`.
  ///
  /// The parameters and errors are the same as for a `MutableSpan`. Only the first bytes of the collection are
  /// accessed: `options.layout(for:stride:).byteCount` of them. If the collection does not give access to its storage,
  /// its bytes are replaced while rows are decoded: about 32 rows in one call, or one row if rows have gaps or the
  /// image is flipped. `Data` without WebPLoading and `ByteBufferView` are such collections. The time is proportional
  /// to the size of the image, regardless of the size of the collection.
  @inlinable
  @discardableResult
  public static func decode(
    _ bytes: some Collection<UInt8>,
    into pixels: inout some MutableCollection<UInt8> & RangeReplaceableCollection<UInt8>, stride: Int? = nil,
    options: DecodeOptions = DecodeOptions()
  ) throws(DecodeError) -> Layout {
    try bytes.withSpan(options.limits) { (bytes) throws(DecodeError) in
      let layout = try pixels.withMutableSpan { (span) throws(DecodeError) in
        try decode(bytes, into: &span, stride: stride, options: options)
      }
      if let layout { return layout }
      var rows = try RowTransfer(bytes, stride: stride, options: options)
      let start = pixels.startIndex
      try rows.check(
        hasRoom: pixels.index(start, offsetBy: rows.layout.byteCount, limitedBy: pixels.endIndex) != nil)
      while let (range, offset) = try rows.nextBytes(bytes) {
        let first = pixels.index(start, offsetBy: offset)
        pixels.replaceSubrange(first..<pixels.index(first, offsetBy: range.count), with: rows.pixels[range])
      }
      return rows.layout
    }
  }
}
