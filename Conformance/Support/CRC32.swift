/// The CRC-32 of zlib and PNG, eight bytes at a time: the sum that the reference tables hold.
public struct CRC32 {
  /// tables[k][b]: byte b, and k zero bytes after it.
  private static let tables: [[UInt32]] = {
    var tables = [
      (0..<256).map { byte in (0..<8).reduce(UInt32(byte)) { sum, _ in sum >> 1 ^ (sum & 1) * 0xEDB8_8320 } }
    ]
    for _ in 1..<8 {
      tables.append(tables.last!.map { tables[0][Int($0 & 255)] ^ $0 >> 8 })
    }
    return tables
  }()

  public static func sum(_ bytes: Span<UInt8>) -> UInt32 {
    let tables = Self.tables
    var sum = ~UInt32(0)
    var at = 0
    while at + 8 <= bytes.count {
      sum ^=
        UInt32(bytes[at]) | UInt32(bytes[at + 1]) << 8 | UInt32(bytes[at + 2]) << 16 | UInt32(bytes[at + 3]) << 24
      let low = tables[7][Int(sum & 255)] ^ tables[6][Int(sum >> 8 & 255)]
      let high = tables[5][Int(sum >> 16 & 255)] ^ tables[4][Int(sum >> 24)]
      let next = tables[3][Int(bytes[at + 4])] ^ tables[2][Int(bytes[at + 5])]
      sum = low ^ high ^ next ^ tables[1][Int(bytes[at + 6])] ^ tables[0][Int(bytes[at + 7])]
      at += 8
    }
    while at < bytes.count {
      sum = tables[0][Int((sum ^ UInt32(bytes[at])) & 255)] ^ sum >> 8
      at += 1
    }
    return ~sum
  }

  public static func sum(_ bytes: [UInt8]) -> UInt32 { sum(ContiguousArray(bytes).span) }
}
