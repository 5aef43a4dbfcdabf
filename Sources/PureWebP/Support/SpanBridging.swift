// Between callers' collections and the spans that the decoder works on.

extension Collection<UInt8> {
  /// Calls `body` with the bytes as a span; copies them first if they do not lie in one piece.
  ///
  /// Inlined, and without a closure that has a result: else a process's first decode would wait for the runtime to make
  /// the types of results.
  @inlinable
  @inline(__always)
  func withSpan<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var result: Result?
    var failure: Failure?
    _ = withContiguousStorageIfAvailable { (buffer) in
      // In bounds: the buffer outlives the closure, and so the span.
      let span = unsafe Span(_unsafeElements: buffer)
      do throws(Failure) { result = try body(span) } catch { failure = error }
    }
    if let failure { throw failure }
    if let result { return result }
    return try body(ContiguousArray(self).span)
  }
}

extension [UInt8] {
  /// Calls `body` with the array's bytes. (`Array.mutableSpan` is not on all systems that this package runs on.)
  mutating func withMutableBytesSpan<Result, Failure: Error>(
    _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe withUnsafeMutableBufferPointer { (buffer) throws(Failure) in
      // In bounds: the buffer outlives the closure, and so the span.
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

extension ContiguousArray where Element: BitwiseCopyable & FixedWidthInteger {
  /// Memory that is not touched before the decoder writes to it: a page's first touch costs as much as writing it.
  /// The caller must not read an element before writing it.
  init(uninitializedCount count: Int) {
    // All empty arrays share their memory: not even a count of 0 may be written to it.
    guard count > 0 else {
      self = []
      return
    }
    unsafe self.init(unsafeUninitializedCapacity: count) { _, initialized in initialized = count }
  }
}
