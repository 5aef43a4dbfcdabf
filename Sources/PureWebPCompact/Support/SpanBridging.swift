// Unsafe code: The array outlives the span, which is valid only during the closure.

extension [UInt8] {
  /// Calls `body` with the bytes as a span. `Array.span` is not available on older systems.
  func withSpan<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe withUnsafeBufferPointer { (buffer) throws(Failure) in try body(unsafe Span(_unsafeElements: buffer)) }
  }
}
