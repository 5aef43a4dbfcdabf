extension WebP {
  /// Decodes into the caller's collection: `[UInt8]`, `ContiguousArray`, `Data`, or a slice. For other memory, pass a
  /// `MutableSpan`.
  ///
  /// The parameters and errors are the same as for a `MutableSpan`. Only the first bytes of the collection are
  /// accessed: `options.layout(for:stride:).byteCount` of them. If the collection does not give access to its storage,
  /// they are replaced in one call after decoding, and copied before if rows have gaps. `Data` without WebPLoading and
  /// `ByteBufferView` are such collections. The time is proportional to the size of the image, regardless of the size
  /// of the collection.
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
      let needed = byteCount(bytes, stride: stride, options: options)
      let end = pixels.index(pixels.startIndex, offsetBy: needed, limitedBy: pixels.endIndex)
      let range = pixels.startIndex..<(end ?? pixels.endIndex)
      if stride == nil, end != nil {
        do throws(DecodeError) {
          let image = try decode(bytes, options: options)
          pixels.replaceSubrange(range, with: image.pixels)
          return image.layout
        } catch {
          if error.finishedRows == 0 { throw error }
        }
      }
      // Gaps do not change, and after an error rows that are not finished do not change either.
      var copy = ContiguousArray(pixels[range])
      defer { pixels.replaceSubrange(range, with: copy) }
      var memory = copy.mutableSpan
      return try decode(bytes, into: &memory, stride: stride, options: options)
    }
  }

  /// The number of bytes that decoding writes to. If it is unknown because of an error, `Int.max`.
  @usableFromInline
  static func byteCount(_ bytes: Span<UInt8>, stride: Int?, options: DecodeOptions) -> Int {
    do throws(DecodeError) {
      return try options.layout(for: info(bytes), stride: stride).byteCount
    } catch {
      return .max
    }
  }
}
