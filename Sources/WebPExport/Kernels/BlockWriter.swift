// Writes the blocks of a deflate stream (RFC 1951, section 3.2): bits fill bytes from the lowest bit on.
//
// Unsafe code: Memory is reserved for the symbols that were counted in the same repetitions. Each
// repetition is checked to end within the range, and the range to be within the bytes.
// Plain formula: `blocksCanBeInflated` in Tests/WebPExportTests/BlockDeflaterTests.swift, which decodes with zlib.

internal import WebPFormat

/// The bytes of a deflate stream.
struct BlockWriter {
  /// The written bytes, and unused memory.
  private var bytes: ContiguousArray<UInt8>
  private var count: Int
  /// The bits that do not fill a byte yet.
  private var (bits, bitCount) = (0 as UInt64, 0 as UInt64)

  /// - Parameters:
  ///   - start: The bytes that precede the blocks.
  ///   - capacity: The expected number of bytes. More are possible.
  init(after start: ContiguousArray<UInt8>, capacity: Int) {
    count = start.count
    bytes = .init(uninitializedCount: start.count + capacity)
    bytes.copy(start.count, from: start.span, at: 0, to: 0)
  }

  /// Writes a block with prefix codes for its symbols.
  ///
  /// - Parameters:
  ///   - input: The bytes that the segments refer to.
  ///   - segments: The contents of the block.
  ///   - symbols: The symbols of all segments, without the end of the block.
  ///   - isLast: True if no block follows in the stream.
  mutating func write(
    _ input: Span<UInt8>, _ segments: ContiguousArray<Segment>, _ symbols: SymbolCounts,
    isLast: Bool
  ) {
    var counts = symbols.counts
    counts[256] = 1
    let lengths = codeLengths(counts.span.extracting(SymbolCounts.literalsAndLengths), limit: 14)
    let distances = codeLengths(counts.span.extracting(SymbolCounts.distances), limit: 14)
    let (codes, distanceCodes) = (prefixCodes(lengths.span), prefixCodes(distances.span))
    let description = codeDescription(lengths, distances, isLast: isLast)
    var bitCount = 14 * description.count + symbols.extraBits
    for index in 0..<286 { bitCount += Int(counts[index]) * Int(lengths[index]) }
    for index in 0..<30 { bitCount += Int(counts[288 + index]) * Int(distances[index]) }
    unsafe withQueue(reserving: bitCount / 8) { queue in
      for field in description { unsafe queue.put(field.value, field.bitCount) }
      unsafe input.withUnsafeBytes { input in
        for segment in segments where !segment.range.isEmpty {
          precondition(segment.range.lowerBound >= 0 && segment.range.upperBound <= input.count)
          unsafe queue.put(
            input.baseAddress.unsafelyUnwrapped, segment.range, segment.repetitions.span,
            codes.span, distanceCodes.span)
        }
      }
      unsafe queue.put(Int(codes[256] & 0xFFFF), Int(lengths[256]))
    }
  }

  /// Ends the stream, or its part: an empty stored block ends at a byte boundary.
  mutating func finish(isLast: Bool) -> ContiguousArray<UInt8> {
    unsafe withQueue(reserving: 8) { queue in
      unsafe queue.put(0, isLast ? 0 : 3)
      unsafe queue.fillByte()
      if !isLast { unsafe queue.put(0xFFFF_0000, 32) }
    }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  /// - Parameter write: Writes at most the reserved number of bytes. Stores may exceed it by eight.
  private mutating func withQueue(reserving more: Int, _ write: (inout BitQueue) -> Void) {
    if bytes.count - count < more + 16 {
      var larger = ContiguousArray<UInt8>(
        uninitializedCount: max(2 * bytes.count, count + more + 16))
      larger.copy(count, from: bytes.span, at: 0, to: 0)
      bytes = larger
    }
    unsafe bytes.withUnsafeMutableBytes { buffer in
      var queue = unsafe BitQueue(
        target: buffer.baseAddress.unsafelyUnwrapped + count, bits: bits, count: bitCount)
      unsafe write(&queue)
      unsafe (bits, bitCount) = (queue.bits, queue.count)
      count = unsafe queue.target - buffer.baseAddress.unsafelyUnwrapped
      precondition(count <= buffer.count)
    }
  }
}

/// Bits that have not been written, and the address of their first byte.
@unsafe private struct BitQueue {
  var target: UnsafeMutableRawPointer
  var bits: UInt64
  var count: UInt64

  /// Adds bits. After `flush`, there is space for 57.
  @inline(__always)
  mutating func add(_ value: UInt64, _ bitCount: UInt64) {
    unsafe bits |= value &<< count
    unsafe count &+= bitCount
  }

  /// Adds a code, as returned by `prefixCodes`.
  @inline(__always)
  mutating func add(_ code: UInt32) { unsafe add(UInt64(code & 0xFFFF), UInt64(code >> 16)) }

  /// Writes complete bytes. Eight bytes are stored.
  @inline(__always)
  mutating func flush() {
    unsafe target.storeBytes(of: bits.littleEndian, as: UInt64.self)
    unsafe target += Int(truncatingIfNeeded: count &>> 3)
    unsafe bits &>>= count & 0x38
    unsafe count &= 7
  }

  mutating func put(_ value: Int, _ bitCount: Int) {
    unsafe add(UInt64(value), UInt64(bitCount))
    unsafe flush()
  }

  mutating func fillByte() {
    unsafe count = (count &+ 7) & ~7
    unsafe flush()
  }

  @inline(__always)
  mutating func put(
    _ input: UnsafeRawPointer, _ range: Range<Int>, _ repetitions: Span<Repetition>,
    _ codes: Span<UInt32>,
    _ distanceCodes: Span<UInt32>
  ) {
    var queue = unsafe self
    var position = range.lowerBound

    @inline(__always)
    func putLiterals(upTo end: Int) {
      // Four literals take at most 4 · 14 bits.
      while position &+ 4 <= end {
        let word = unsafe UInt32(
          littleEndian: input.loadUnaligned(fromByteOffset: position, as: UInt32.self))
        for index in 0..<4 as Range<UInt32> {
          unsafe queue.add(codes[Int(word &>> (8 &* index) & 255)])
        }
        unsafe queue.flush()
        position &+= 4
      }
      while position < end {
        unsafe queue.add(codes[Int(input.byte(at: position))])
        position &+= 1
      }
      unsafe queue.flush()
    }

    for index in 0..<repetitions.count {
      let repetition = repetitions[index]
      precondition(Int(repetition.literals) + Int(repetition.length) <= range.upperBound - position)
      putLiterals(upTo: position &+ Int(repetition.literals))
      let length = DeflateSymbol(length: Int(repetition.length))
      let distance = DeflateSymbol(distance: Int(repetition.distance))
      // At most 14 + 5 + 14 + 13 bits.
      unsafe queue.add(codes[length.index])
      unsafe queue.add(UInt64(length.extra), UInt64(length.extraBits))
      unsafe queue.add(distanceCodes[distance.index])
      unsafe queue.add(UInt64(distance.extra), UInt64(distance.extraBits))
      unsafe queue.flush()
      position &+= Int(repetition.length)
    }
    putLiterals(upTo: range.upperBound)
    unsafe self = unsafe queue
  }
}
