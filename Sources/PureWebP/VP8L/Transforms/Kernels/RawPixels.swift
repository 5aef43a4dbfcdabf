// The target of a transform is a row of the output, which is bytes, or a line of pixels. With one type for both, each
// transform is compiled once.
//
// Unsafe code: Rows are from `LosslessPixels` and `RawPixels`, which check that the complete row is within the span.
// A precondition checks that the palette's table has an entry for each byte value.
// Plain formula: `PlainTransform` in Tests/TestSupport/PlainTransform.swift.

internal import WebPFormat

extension MutableSpan where Element: BitwiseCopyable {
  @inline(__always)
  mutating func withRawSpan(_ body: (inout MutableRawSpan) -> Void) {
    var bytes = unsafe mutableBytes
    body(&bytes)
  }
}

extension MutableRawSpan {
  /// A pointer to space for `count` pixels at a byte offset, valid as long as the span is. Traps unless all are in
  /// bounds.
  @inline(__always)
  mutating func pixels(_ count: Int, atByte offset: Int) -> UnsafeMutableRawPointer {
    unsafe withUnsafeMutableBytes { bytes in
      precondition(count > 0 && offset >= 0 && offset <= bytes.count && count <= (bytes.count &- offset) &>> 2)
      return unsafe bytes.baseAddress.unsafelyUnwrapped + offset
    }
  }

  /// Copies pixels to a byte offset.
  mutating func copyPixels(_ count: Int, from source: Span<UInt32>, at index: Int, to offset: Int) {
    unsafe pixels(count, atByte: offset).copyMemory(from: source.pixels(count, at: index), byteCount: 4 &* count)
  }
}
