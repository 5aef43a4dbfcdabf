import PureWebP

/// A chunk of a file (RFC 9649, section 2.3).
struct Chunk {
  let kind: WebP.FourCC
  /// The header, the payload and its padding. The indices are offsets in the file.
  let bytes: ArraySlice<UInt8>
  /// The payload without its padding.
  let payload: ArraySlice<UInt8>
  var paddedPayload: ArraySlice<UInt8> { bytes.dropFirst(Self.headerBytes) }

  static let headerBytes = 8
  static let maximumPayload: Int64 = 0xFFFF_FFF6

  /// Reads the chunk at the start of `bytes`.
  init(_ bytes: ArraySlice<UInt8>) throws(FileAnalysis.Finding) {
    guard bytes.count >= Self.headerBytes else {
      throw FileAnalysis.Finding("Truncated data detected when parsing chunk header.")
    }
    kind = WebP.FourCC(rawValue: UInt32(bytes.number(at: 0, bytes: 4)))
    let size = bytes.number(at: 4, bytes: 4)
    guard size <= Self.maximumPayload else { throw FileAnalysis.Finding("Size of chunk payload is over limit.") }
    let rest = bytes.dropFirst(Self.headerBytes)
    guard size + size & 1 <= rest.count else {
      throw FileAnalysis.Finding("Truncated data detected when parsing chunk payload.")
    }
    self.bytes = bytes.prefix(Self.headerBytes + Int(size + size & 1))
    payload = rest.prefix(Int(size))
  }
}

extension ArraySlice<UInt8> {
  /// Returns the little-endian number in some bytes. Bytes after the end of the slice are zeros. The result is an
  /// `Int64`, because an `Int` of 32 bits cannot hold every chunk size.
  ///
  /// - Parameters:
  ///   - offset: the number of bytes before the number.
  ///   - count: the number of its bytes.
  func number(at offset: Int, bytes count: Int) -> Int64 {
    dropFirst(offset).prefix(count).reversed().reduce(0) { $0 << 8 | Int64($1) }
  }
}
