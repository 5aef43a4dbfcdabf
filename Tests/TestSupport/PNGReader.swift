// A PNG decoder that shares no code with the writer: plain loops that follow the PNG specification, third edition, and
// zlib's one-call decompression. It rejects everything that the specification forbids.

import CZlib

package struct PNGReader {
  package struct Chunk {
    package let type: String
    package let payload: [UInt8]
  }

  package struct Malformed: Error {
    package let reason: String

    package init(_ reason: String) { self.reason = reason }
  }

  package let chunks: [Chunk]
  package let width: Int
  package let height: Int
  package let bitDepth: Int
  package let colorType: Int
  /// The filter type of each row.
  package let filters: [Int]
  /// The pixels as RGBA.
  package let pixels: [UInt8]

  package init(_ file: [UInt8]) throws {
    chunks = try Self.chunks(of: file)
    guard chunks.first?.type == "IHDR", chunks.last?.type == "IEND", let header = chunks.first?.payload,
      header.count == 13
    else { throw Malformed("IHDR first, IEND last") }
    width = Self.number(header[0..<4])
    height = Self.number(header[4..<8])
    bitDepth = Int(header[8])
    colorType = Int(header[9])
    guard header[10] == 0, header[11] == 0, header[12] == 0 else { throw Malformed("methods") }
    let allowed: [Int: [Int]] = [0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16]]
    guard allowed[colorType]?.contains(bitDepth) == true else { throw Malformed("bit depth") }
    try Self.checkOrder(chunks.map(\.type))

    let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][colorType]!
    let rowBytes = (width * channels * bitDepth + 7) / 8
    let data = chunks.filter { $0.type == "IDAT" }.flatMap(\.payload)
    let filtered = try Self.inflate(data, count: (rowBytes + 1) * height)
    var rows = [UInt8](repeating: 0, count: rowBytes * height)
    var filters: [Int] = []
    let step = max(1, channels * bitDepth / 8)
    for y in 0..<height {
      let filter = Int(filtered[y * (rowBytes + 1)])
      filters.append(filter)
      for x in 0..<rowBytes {
        let left = x >= step ? Int(rows[y * rowBytes + x - step]) : 0
        let up = y > 0 ? Int(rows[(y - 1) * rowBytes + x]) : 0
        let corner = x >= step && y > 0 ? Int(rows[(y - 1) * rowBytes + x - step]) : 0
        let prediction: Int
        switch filter {
        case 0: prediction = 0
        case 1: prediction = left
        case 2: prediction = up
        case 3: prediction = (left + up) / 2
        case 4:
          let p = left + up - corner
          let distances = (abs(p - left), abs(p - up), abs(p - corner))
          if distances.0 <= distances.1 && distances.0 <= distances.2 {
            prediction = left
          } else {
            prediction = distances.1 <= distances.2 ? up : corner
          }
        default: throw Malformed("filter \(filter)")
        }
        rows[y * rowBytes + x] = UInt8((Int(filtered[y * (rowBytes + 1) + 1 + x]) + prediction) % 256)
      }
    }
    self.filters = filters

    let palette = chunks.first { $0.type == "PLTE" }?.payload ?? []
    let alphas = chunks.first { $0.type == "tRNS" }?.payload ?? []
    guard palette.count % 3 == 0, palette.count <= 3 << bitDepth, alphas.count <= palette.count / 3,
      (colorType == 3) == !palette.isEmpty
    else { throw Malformed("palette") }
    var pixels: [UInt8] = []
    pixels.reserveCapacity(width * height * 4)
    func add(_ red: UInt8, _ green: UInt8, _ blue: UInt8, _ alpha: UInt8) {
      pixels.append(red)
      pixels.append(green)
      pixels.append(blue)
      pixels.append(alpha)
    }
    for y in 0..<height {
      for x in 0..<width {
        let first = y * rowBytes + x * channels
        switch colorType {
        case 0: add(rows[first], rows[first], rows[first], 255)
        case 2: add(rows[first], rows[first + 1], rows[first + 2], 255)
        case 4: add(rows[first], rows[first], rows[first], rows[first + 1])
        case 6: add(rows[first], rows[first + 1], rows[first + 2], rows[first + 3])
        default:
          let byte = Int(rows[y * rowBytes + x * bitDepth / 8])
          let index = byte >> (8 - bitDepth - x * bitDepth % 8) & ((1 << bitDepth) - 1)
          guard index * 3 < palette.count else { throw Malformed("index outside of the palette") }
          let alpha = index < alphas.count ? alphas[index] : 255
          add(palette[index * 3], palette[index * 3 + 1], palette[index * 3 + 2], alpha)
        }
      }
    }
    self.pixels = pixels
  }

  private static func chunks(of file: [UInt8]) throws -> [Chunk] {
    guard file.starts(with: [137, 80, 78, 71, 13, 10, 26, 10]) else { throw Malformed("signature") }
    var chunks: [Chunk] = []
    var rest = file[8...]
    while !rest.isEmpty {
      guard rest.count >= 12 else { throw Malformed("chunk header") }
      let length = number(rest.prefix(4))
      guard rest.count >= 12 + length else { throw Malformed("chunk length") }
      let body = rest.dropFirst(4).prefix(4 + length)
      guard number(rest.dropFirst(8 + length).prefix(4)) == Int(checksum(body)) else { throw Malformed("checksum") }
      chunks.append(Chunk(type: String(decoding: body.prefix(4), as: UTF8.self), payload: Array(body.dropFirst(4))))
      rest = rest.dropFirst(12 + length)
    }
    return chunks
  }

  /// Checks section 5.6: the order of chunks, consecutive IDAT chunks, and no duplicate chunks except text.
  private static func checkOrder(_ types: [String]) throws {
    let order = ["IHDR", "iCCP", "acTL", "PLTE", "tRNS", "IDAT", "IEND"]
    let known = types.compactMap { order.firstIndex(of: $0) }
    guard known == known.sorted() else { throw Malformed("order \(types)") }
    let dataStart = types.firstIndex(of: "IDAT") ?? 0
    guard types.lastIndex(of: "IDAT")! - dataStart + 1 == types.filter({ $0 == "IDAT" }).count else {
      throw Malformed("IDAT chunks not consecutive")
    }
    for type in ["IHDR", "iCCP", "acTL", "PLTE", "tRNS", "eXIf", "IEND"] {
      guard types.filter({ $0 == type }).count <= 1 else { throw Malformed("\(type) twice") }
    }
  }

  package static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

  /// The CRC of each byte, bit by bit (annex D).
  private static let checksums: [UInt32] = (0..<256).map {
    (0..<8).reduce($0) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
  }

  package static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    let checksums = checksums
    return ~bytes.reduce(.max) { crc, byte in checksums[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] ^ crc >> 8 }
  }

  /// Decompresses a stream of exactly `count` bytes. No data may follow it.
  package static func inflate(_ data: [UInt8], count: Int) throws -> [UInt8] {
    var output = [UInt8](repeating: 0, count: count)
    var written = uLong(count)
    var read = uLong(data.count)
    let status = unsafe uncompress2(&output, &written, data, &read)
    guard status == Z_OK, Int(written) == count, Int(read) == data.count else { throw Malformed("zlib \(status)") }
    return output
  }
}
