// zlib, made safe: the only file of this module that holds pointers.

import CZlib
import PureWebP

/// Compresses bytes to a zlib stream (RFC 1950, 1951).
@safe final class Deflater {
  enum Flush {
    /// More bytes will follow.
    case none
    /// These were the last bytes.
    case finish

    fileprivate var code: Int32 { self == .finish ? Z_FINISH : Z_NO_FLUSH }
  }

  /// How hard zlib looks for repetitions, and for which.
  struct Effort: Hashable {
    let level: Int32
    let strategy: Int32

    /// The levels of zlib, suited to bytes that are as they are.
    static func plain(level: Int) -> Self { Self(level: Int32(level), strategy: Z_DEFAULT_STRATEGY) }
    /// The levels of zlib, suited to bytes that a filter has made small.
    static func filtered(level: Int) -> Self { Self(level: Int32(level), strategy: Z_FILTERED) }
    /// Only runs of one byte: several times as fast as any level, and on filtered photos hardly worse than the best.
    static let runs = Self(level: 1, strategy: Z_RLE)
  }

  // zlib keeps a pointer back to the stream: it must not move, so it is on the heap. Both are freed in deinit alone.
  private let stream: UnsafeMutablePointer<z_stream>
  private let window: UnsafeMutableBufferPointer<UInt8>
  private(set) var effort: Effort

  /// - Throws: `outOfMemory`; nothing later does, as zlib takes all memory here.
  init(_ effort: Effort) throws(WebP.ExportError) {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    unsafe window = .allocate(capacity: 1 << 15)
    self.effort = effort
    let version = ZLIB_VERSION
    let status = unsafe deflateInit2_(
      stream, effort.level, Z_DEFLATED, 15, 9, effort.strategy, version, Int32(MemoryLayout<z_stream>.size))
    // deinit runs even so, and deflateEnd minds no stream that was never begun.
    guard status == Z_OK else { throw .outOfMemory }
  }

  deinit {
    _ = unsafe deflateEnd(stream)
    unsafe stream.deallocate()
    unsafe window.deallocate()
  }

  /// Compresses `input`, and appends what comes out to `output`.
  func compress(_ input: Span<UInt8>, flush: Flush = .none, onto output: inout ContiguousArray<UInt8>) {
    // uInt counts the bytes: a longer span goes in pieces.
    var start = 0
    repeat {
      let end = min(input.count, start + (1 << 30))
      let code = end == input.count ? flush.code : Z_NO_FLUSH
      unsafe input.extracting(start..<end).withUnsafeBufferPointer { bytes in
        // zlib reads, and never writes, where next_in points: the bytes stay borrowed until the loop is done.
        unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
        unsafe stream.pointee.avail_in = uInt(bytes.count)
        repeat { drain(&output) { _ = unsafe deflate(stream, code) } } while unsafe stream.pointee.avail_out == 0
        unsafe stream.pointee.next_in = nil
      }
      start = end
    } while start < input.count
  }

  /// Compresses what follows in another way.
  func change(to effort: Effort, onto output: inout ContiguousArray<UInt8>) {
    guard effort != self.effort else { return }
    self.effort = effort
    // This compresses what is still held back as before; Z_BUF_ERROR says that the window was too small for it.
    var status = Z_OK
    repeat {
      drain(&output) { status = unsafe deflateParams(stream, effort.level, effort.strategy) }
    } while status == Z_BUF_ERROR
  }

  /// Makes the stream as it was after `init`.
  func restart(_ effort: Effort) {
    _ = unsafe deflateReset(stream)
    var nothing = ContiguousArray<UInt8>()
    change(to: effort, onto: &nothing)
  }

  /// Lets `step` fill the window, and appends what it put there to `output`.
  private func drain(_ output: inout ContiguousArray<UInt8>, _ step: () -> Void) {
    unsafe stream.pointee.next_out = window.baseAddress
    unsafe stream.pointee.avail_out = uInt(window.count)
    step()
    let count = unsafe window.count - Int(stream.pointee.avail_out)
    unsafe output.append(contentsOf: UnsafeBufferPointer(rebasing: window[..<count]))
  }
}

/// The checksum of PNG's chunks (ISO 3309), continued from that of the bytes before.
package func crc32(_ bytes: Span<UInt8>, after checksum: UInt32 = 0) -> UInt32 {
  unsafe bytes.withUnsafeBufferPointer { bytes in
    // crc32_z takes null for a question about the start value.
    guard let start = bytes.baseAddress else { return checksum }
    return UInt32(truncatingIfNeeded: unsafe crc32_z(uLong(checksum), start, bytes.count))
  }
}
