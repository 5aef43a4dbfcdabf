// A safe interface to zlib.
//
// Unsafe code: zlib gets each span's address with its size, while the span is borrowed.

import CZlib
import PureWebP

/// The effort with which zlib searches for repetitions.
struct DeflateEffort: Hashable {
  fileprivate let level: Int32
  fileprivate let strategy: Int32

  /// The levels of zlib: 0 (no compression), 1 (fast) ... 9 (small).
  static func level(_ level: Int) -> Self { Self(level: Int32(min(max(level, 0), 9)), strategy: Z_DEFAULT_STRATEGY) }
  /// A level of zlib that encodes short repetitions as single bytes, because the bytes are differences whose small
  /// values are frequent.
  static func filtered(_ level: Int) -> Self { Self(level: Int32(level), strategy: Z_FILTERED) }
  /// Searches only for runs of one byte. This is several times as fast as level 6, and as effective if the data have no
  /// other repetitions.
  static let runs = Self(level: 1, strategy: Z_RLE)
}

/// The maximum distance of a repetition, in bytes.
let deflateWindow = 1 << 15

/// Compresses bytes to a part of a deflate stream (RFC 1951), and appends it to `output`.
///
/// - Parameters:
///   - start: the position of the first byte to compress. The bytes before it are the uncompressed bytes of the
///     previous parts, to which repetitions may refer.
///   - isLast: true if the stream ends here. If false, the part ends at a byte boundary, so that another part can
///     follow.
/// - Throws: `outOfMemory`.
func deflate(
  _ bytes: Span<UInt8>, from start: Int = 0, isLast: Bool, _ effort: DeflateEffort,
  onto output: inout ContiguousArray<UInt8>
) throws(WebP.ExportError) {
  // zlib stores a pointer to the stream, which therefore must not move.
  let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
  unsafe stream.initialize(to: z_stream())
  defer { unsafe stream.deallocate() }
  // The smallest window and the smallest tables that hold all bytes, because zlib clears its tables. The largest window
  // has 2¹⁵ bytes, of which 262 are not used for repetitions. Level 9 of the tables has 2¹⁵ symbols.
  let before = bytes.extracting(max(0, start - deflateWindow)..<start)
  let bytes = bytes.extracting(start...)
  let length = bytes.count + before.count
  let windowBits = (9...14).first { length + 262 <= 1 << $0 } ?? 15
  let tables = (1...8).first { length < 1 << ($0 + 6) } ?? 9
  // A negative number requests a raw deflate stream.
  let status = unsafe deflateInit2_(
    stream, effort.level, Z_DEFLATED, Int32(-windowBits), Int32(tables), effort.strategy, ZLIB_VERSION,
    Int32(MemoryLayout<z_stream>.size))
  guard status == Z_OK else { throw .outOfMemory }
  // zlib has allocated all memory that it needs. No later call fails.
  defer { _ = unsafe deflateEnd(stream) }

  unsafe before.withUnsafeBufferPointer { before in
    guard let start = before.baseAddress else { return }
    _ = unsafe deflateSetDictionary(stream, start, uInt(before.count))
  }
  unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1 << 15) { window in
    // zlib counts bytes in a uInt, so a longer span is passed in parts.
    var start = 0
    repeat {
      let end = min(bytes.count, start + (1 << 30))
      let flush = end < bytes.count ? Z_NO_FLUSH : isLast ? Z_FINISH : Z_SYNC_FLUSH
      unsafe bytes.extracting(start..<end).withUnsafeBufferPointer { piece in
        // zlib only reads from next_in. The bytes stay borrowed until the end of the loop.
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

/// The checksum of two consecutive byte sequences. `count` is the length of the second one.
func adler32(_ first: UInt32, followedBy second: UInt32, of count: Int) -> UInt32 {
  UInt32(truncatingIfNeeded: adler32_combine(uLong(first), uLong(second), numericCast(count)))
}

/// The checksum of PNG's chunks (ISO 3309).
///
/// - Parameter beginning: the checksum of the bytes before these.
package func crc32(_ bytes: Span<UInt8>, following beginning: UInt32 = 0) -> UInt32 {
  unsafe bytes.withUnsafeBufferPointer { bytes in
    // For a null pointer, crc32_z returns the initial value instead.
    guard let start = bytes.baseAddress else { return beginning }
    return UInt32(truncatingIfNeeded: unsafe crc32_z(uLong(beginning), start, bytes.count))
  }
}
