// Conversion between callers' mutable collections and spans.

extension MutableCollection<UInt8> {
  /// Calls `body` with the bytes as a span. If the collection has no contiguous storage, `body` receives a copy, which
  /// then replaces the elements. (`mutableSpan` is not available on all supported systems.)
  mutating func withMutableSpan<Result, Failure: Error>(
    _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var result: Result?
    var failure: Failure?
    _ = unsafe withContiguousMutableStorageIfAvailable { (buffer) in
      // Safe: the buffer outlives the span.
      var span = unsafe MutableSpan(_unsafeElements: buffer)
      do throws(Failure) { result = try body(&span) } catch { failure = error }
    }
    if let failure { throw failure }
    if let result { return result }
    var copy = ContiguousArray(self)
    defer { for (index, byte) in zip(indices, copy) { self[index] = byte } }
    return try unsafe copy.withUnsafeMutableBufferPointer { (buffer) throws(Failure) in
      var span = unsafe MutableSpan(_unsafeElements: buffer)
      return try body(&span)
    }
  }
}

extension RangeReplaceableCollection<UInt8> {
  mutating func append(copying bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}
