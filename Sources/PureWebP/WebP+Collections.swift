extension WebP {
  /// Decodes into the caller's collection: `[UInt8]`, `ContiguousArray`, `Data`, or a slice.
  ///
  /// The parameters and errors are the same as for a `MutableSpan`. Only the first bytes of the collection are
  /// accessed: `options.layout(for:stride:).byteCount` of them. If the collection does not give access to its storage,
  /// they are copied, and replaced in one call after decoding. `Data` without WebPLoading and `ByteBufferView` are such
  /// collections. The time is proportional to the size of the image, regardless of the size of the collection.
  @inlinable
  @discardableResult
  public static func decode(
    _ bytes: some Collection<UInt8>,
    into pixels: inout some MutableCollection<UInt8> & RangeReplaceableCollection<UInt8>, stride: Int? = nil,
    options: DecodeOptions = DecodeOptions()
  ) throws(DecodeError) -> Layout {
    try decode(bytes, into: &pixels, stride: stride, options: options) { pixels, range, copy in
      pixels.replaceSubrange(range, with: copy)
    }
  }

  /// Decodes into the caller's collection, whose number of elements is fixed, such as an `UnsafeMutableBufferPointer`.
  ///
  /// If the collection does not give access to its storage, its elements are copied and replaced one by one.
  @inlinable
  @discardableResult
  public static func decode(
    _ bytes: some Collection<UInt8>, into pixels: inout some MutableCollection<UInt8>, stride: Int? = nil,
    options: DecodeOptions = DecodeOptions()
  ) throws(DecodeError) -> Layout {
    try decode(bytes, into: &pixels, stride: stride, options: options) { pixels, range, copy in
      var index = range.lowerBound
      for byte in copy {
        pixels[index] = byte
        pixels.formIndex(after: &index)
      }
    }
  }

  /// Decodes into the storage of a collection, or else into a copy of its first bytes, which `replace` writes back.
  @inlinable
  static func decode<Pixels: MutableCollection<UInt8>>(
    _ bytes: some Collection<UInt8>, into pixels: inout Pixels, stride: Int?, options: DecodeOptions,
    replace: (_ pixels: inout Pixels, Range<Pixels.Index>, _ copy: ContiguousArray<UInt8>) -> Void
  ) throws(DecodeError) -> Layout {
    let layout = try pixels.withMutableSpan { (span) throws(DecodeError) in
      try decode(bytes, into: &span, stride: stride, options: options)
    }
    if let layout { return layout }
    return try bytes.withSpan(options.limits) { (span) throws(DecodeError) in
      let needed = byteCount(span, stride: stride, options: options)
      let end = pixels.index(pixels.startIndex, offsetBy: needed, limitedBy: pixels.endIndex) ?? pixels.endIndex
      let range = pixels.startIndex..<end
      var copy = ContiguousArray(pixels[range])
      defer { replace(&pixels, range, copy) }
      var memory = copy.mutableSpan
      return try decode(span, into: &memory, stride: stride, options: options)
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
