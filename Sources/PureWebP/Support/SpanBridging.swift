// Conversion of callers' collections to spans.

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
}
