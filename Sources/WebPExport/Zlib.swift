// zlib, made safe: the only file of this module that holds pointers.

import CZlib
import PureWebP

/// How hard zlib looks for repetitions, and for which.
struct DeflateEffort: Hashable {
  fileprivate let level: Int32
  fileprivate let strategy: Int32

  /// The levels of zlib: 0 (not at all), 1 (fast) ... 9 (small).
  static func level(_ level: Int) -> Self { Self(level: Int32(min(max(level, 0), 9)), strategy: Z_DEFAULT_STRATEGY) }
  /// Only runs of one byte: several times as fast as level 6, and as good on what holds no other repetitions.
  static let runs = Self(level: 1, strategy: Z_RLE)
}

/// How far deflate looks back.
let deflateWindow = 1 << 15

/// Compresses bytes to a part of a deflate stream (RFC 1951), and appends it to `output`.
///
/// - Parameters:
///   - before: what is compressed in the parts before, as far back as repetitions may reach.
///   - isLast: whether the stream ends here. If not, its part ends with a whole byte, so that parts follow each other.
/// - Throws: `outOfMemory`.
func deflate(
  _ bytes: Span<UInt8>, after before: Span<UInt8> = Span(), isLast: Bool, _ effort: DeflateEffort,
  onto output: inout ContiguousArray<UInt8>
) throws(WebP.ExportError) {
  // zlib keeps a pointer back to the stream: it must not move, so it is on the heap.
  let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
  unsafe stream.initialize(to: z_stream())
  defer { unsafe stream.deallocate() }
  // The negative number: a bare deflate stream, that reaches back as far as can be.
  let status = unsafe deflateInit2_(
    stream, effort.level, Z_DEFLATED, -15, 9, effort.strategy, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
  guard status == Z_OK else { throw .outOfMemory }
  // zlib has taken all memory that it needs: nothing fails after this.
  defer { _ = unsafe deflateEnd(stream) }

  unsafe before.extracting(last: deflateWindow).withUnsafeBufferPointer { before in
    guard let start = before.baseAddress else { return }
    _ = unsafe deflateSetDictionary(stream, start, uInt(before.count))
  }
  unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1 << 15) { window in
    // uInt counts the bytes: a longer span goes in pieces.
    var start = 0
    repeat {
      let end = min(bytes.count, start + (1 << 30))
      let flush = end < bytes.count ? Z_NO_FLUSH : isLast ? Z_FINISH : Z_SYNC_FLUSH
      unsafe bytes.extracting(start..<end).withUnsafeBufferPointer { piece in
        // zlib reads, and never writes, where next_in points: the bytes stay borrowed until the loop is done.
        unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: piece.baseAddress)
        unsafe stream.pointee.avail_in = uInt(piece.count)
        repeat {
          unsafe stream.pointee.next_out = window.baseAddress
          unsafe stream.pointee.avail_out = uInt(window.count)
          _ = unsafe deflate(stream, flush)
          let count = unsafe window.count - Int(stream.pointee.avail_out)
          unsafe output.append(contentsOf: UnsafeBufferPointer(rebasing: window[..<count]))
        } while unsafe stream.pointee.avail_out == 0
      }
      start = end
    } while start < bytes.count
  }
}

/// The checksum of zlib streams (RFC 1950, section 8).
func adler32(_ bytes: Span<UInt8>) -> UInt32 {
  unsafe bytes.withUnsafeBufferPointer { bytes in
    // adler32_z takes null for a question about the start value.
    guard let start = bytes.baseAddress else { return 1 }
    return UInt32(truncatingIfNeeded: unsafe adler32_z(1, start, bytes.count))
  }
}

/// The checksum of two pieces of bytes, the second of which has `count`, from theirs.
func adler32(_ first: UInt32, followedBy second: UInt32, of count: Int) -> UInt32 {
  UInt32(truncatingIfNeeded: adler32_combine(uLong(first), uLong(second), numericCast(count)))
}

/// The checksum of PNG's chunks (ISO 3309).
package func crc32(_ bytes: Span<UInt8>) -> UInt32 {
  unsafe bytes.withUnsafeBufferPointer { bytes in
    // crc32_z takes null for a question about the start value.
    guard let start = bytes.baseAddress else { return 0 }
    return UInt32(truncatingIfNeeded: unsafe crc32_z(0, start, bytes.count))
  }
}
