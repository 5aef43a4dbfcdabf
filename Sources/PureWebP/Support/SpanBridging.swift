// Conversion of callers' collections to spans.
//
// Unsafe code: The spans over a caller's buffer are valid only during the closure that receives the buffer.

extension Collection<UInt8> {
  /// Calls `body` with the bytes as a span. Copies them first if they are not contiguous.
  ///
  /// This function is inlined, and stores the result in a variable instead of returning it from the closure. Otherwise
  /// the first decode of a process would have to instantiate the type metadata of the result.
  @inlinable
  @inline(__always)
  func withSpan<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var result: Result?
    var failure: Failure?
    _ = withContiguousStorageIfAvailable { (buffer) in
      // Safe: the buffer outlives the span.
      let span = unsafe Span(_unsafeElements: buffer)
      do throws(Failure) { result = try body(span) } catch { failure = error }
    }
    if let failure { throw failure }
    if let result { return result }
    return try body(ContiguousArray(self).span)
  }

  /// Calls `body` with the bytes as a span. Checks their number before it copies bytes that are not contiguous.
  @inlinable
  @inline(__always)
  package func withSpan<Result>(
    _ limits: WebP.Limits, _ body: (Span<UInt8>) throws(WebP.DecodeError) -> Result
  ) throws(WebP.DecodeError) -> Result {
    try limits.check(bytes: count)
    return try withSpan(body)
  }
}

extension MutableCollection<UInt8> {
  /// Calls `body` with the bytes as a span. Returns nil if the collection does not give access to its storage.
  /// (`mutableSpan` is not available on all supported systems.)
  @inlinable
  mutating func withMutableSpan<Result, Failure: Error>(
    _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    var result: Result?
    var failure: Failure?
    _ = unsafe withContiguousMutableStorageIfAvailable { (buffer) in
      // Safe: the buffer outlives the span.
      var span = unsafe MutableSpan(_unsafeElements: buffer)
      do throws(Failure) { result = try body(&span) } catch { failure = error }
    }
    if let failure { throw failure }
    return result
  }
}

extension ContiguousArray<UInt8> {
  /// Appends zeros for about `pixelLimit` pixels, because the first write to a page of memory takes time.
  ///
  /// - Returns: whether the array has `count` bytes.
  mutating func appendZeros(upTo count: Int, pixelLimit: Int) -> Bool {
    let missing = count - self.count
    guard missing > 0 else { return true }
    reserveCapacity(count)
    let zeros = pixelLimit < missing / 4 ? 4 * pixelLimit : missing
    append(addingCapacity: zeros) { $0.append(repeating: 0, count: zeros) }
    return zeros == missing
  }
}

extension RangeReplaceableCollection<UInt8> {
  mutating func append(copying bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}
