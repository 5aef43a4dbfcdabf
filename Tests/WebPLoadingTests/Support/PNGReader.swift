import CZlib
import Foundation

/// A plain reading of PNG (third edition) and APNG, as far as this package writes them: not interlaced, up to 8 bits.
///
/// Every chunk's checksum is verified, and nothing may be missing.
struct PNGReader {
  struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  struct Frame {
    let x: Int, y: Int, width: Int, height: Int
    /// In milliseconds.
    let duration: Int
    let disposal: UInt8, blending: UInt8
    let rgba: [UInt8]

    /// For frames that are blended only where they are opaque or clear.
    func draw(on canvas: inout [UInt8], width canvasWidth: Int) {
      for row in 0..<height {
        for column in 0..<width {
          let from = (row * width + column) * 4
          let to = ((y + row) * canvasWidth + x + column) * 4
          if blending == 1, rgba[from + 3] == 0 { continue }
          canvas.replaceSubrange(to..<to + 4, with: rgba[from..<from + 4])
        }
      }
    }

    func clear(_ canvas: inout [UInt8], width canvasWidth: Int) {
      for row in y..<y + height {
        let start = (row * canvasWidth + x) * 4
        canvas.replaceSubrange(start..<start + width * 4, with: repeatElement(0, count: width * 4))
      }
    }
  }

  let width: Int
  let height: Int
  /// Of the default picture.
  let rgba: [UInt8]
  let frames: [Frame]
  /// The types of all chunks, in order.
  let chunks: [String]
  let profile: [UInt8]?
  let exif: [UInt8]?
  let loops: Int?

  init(_ png: Data) throws {
    var rest = [UInt8](png)[...]
    func take(_ count: Int) throws -> ArraySlice<UInt8> {
      guard rest.count >= count else { throw Failure("ends too early") }
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }
    guard try take(8).elementsEqual([0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10]) else { throw Failure("no signature") }

    var header: [UInt8] = []
    var palette: [UInt8] = []
    var transparency: [UInt8] = []
    var data: [UInt8] = []
    var pending: (control: [UInt8], data: [UInt8], isDefault: Bool)?
    var parts: [(control: [UInt8], data: [UInt8], isDefault: Bool)] = []
    var chunks: [String] = []
    var profile: [UInt8]?
    var exif: [UInt8]?
    var loops: Int?
    var sequence = 0
    func number(_ bytes: some Collection<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
    func nextInSequence(_ payload: [UInt8]) throws {
      guard number(payload.prefix(4)) == sequence else { throw Failure("frames out of sequence") }
      sequence += 1
    }

    while chunks.last != "IEND" {
      let length = number(try take(4))
      let type = try take(4)
      let payload = Array(try take(length))
      guard number(try take(4)) == Int(Self.crc(Array(type) + payload)) else { throw Failure("wrong checksum") }
      let name = String(decoding: type, as: UTF8.self)
      chunks.append(name)
      switch name {
      case "IHDR": header = payload
      case "PLTE": palette = payload
      case "tRNS": transparency = payload
      case "iCCP": profile = try Self.inflate(Array(payload.drop { $0 != 0 }.dropFirst(2)))
      case "eXIf": exif = payload
      case "acTL": loops = number(payload[4..<8])
      case "fcTL":
        try nextInSequence(payload)
        if let pending { parts.append(pending) }
        pending = (payload, [], data.isEmpty)
      case "IDAT":
        data += payload
        if pending?.isDefault == true { pending!.data += payload }
      case "fdAT":
        try nextInSequence(payload)
        pending?.data += payload.dropFirst(4)
      case "IEND", "iTXt", "sRGB", "sBIT", "tEXt", "pHYs", "gAMA", "cICP", "cHRM": break
      default: throw Failure("unexpected chunk \(name)")
      }
    }
    if let pending { parts.append(pending) }
    guard rest.isEmpty, header.count == 13, header[12] == 0 else { throw Failure("wrong header or end") }

    let (depth, colorType) = (Int(header[8]), header[9])
    func pixels(_ data: [UInt8], _ width: Int, _ height: Int) throws -> [UInt8] {
      let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][colorType]!
      let rowBytes = (width * channels * depth + 7) / 8
      let raw = try Self.inflate(data, expecting: (rowBytes + 1) * height)
      guard raw.count == (rowBytes + 1) * height else { throw Failure("too few or too many pixels") }
      let bytes = try Self.unfiltered(raw, rowBytes: rowBytes, pixelBytes: max(1, channels * depth / 8))
      return Self.rgba(
        bytes, width, height, rowBytes: rowBytes, depth: depth, colorType: colorType, palette, transparency)
    }
    width = number(header[0..<4])
    height = number(header[4..<8])
    rgba = try pixels(data, width, height)
    frames = try parts.map { part in
      let c = part.control
      let (width, height) = (number(c[4..<8]), number(c[8..<12]))
      let unit = number(c[22..<24])
      return Frame(
        x: number(c[12..<16]), y: number(c[16..<20]), width: width, height: height,
        duration: number(c[20..<22]) * 1000 / (unit == 0 ? 100 : unit), disposal: c[24], blending: c[25],
        rgba: try pixels(part.data, width, height))
    }
    self.chunks = chunks
    self.profile = profile
    self.exif = exif
    self.loops = loops
  }

  var reference: Fixtures.Reference { .init(width: width, height: height, rgba: Self.crc(rgba)) }

  static func crc(_ bytes: [UInt8]) -> UInt32 {
    unsafe bytes.withUnsafeBufferPointer { unsafe UInt32(crc32_z(0, $0.baseAddress, $0.count)) }
  }

  private static func inflate(_ bytes: [UInt8], expecting size: Int? = nil) throws -> [UInt8] {
    var output = [UInt8](repeating: 0, count: size ?? bytes.count * 1100 + 64)
    var count = uLong(output.count)
    let status = unsafe output.withUnsafeMutableBufferPointer { output in
      unsafe bytes.withUnsafeBufferPointer { bytes in
        unsafe uncompress(output.baseAddress, &count, bytes.baseAddress, uLong(bytes.count))
      }
    }
    guard status == Z_OK else { throw Failure("zlib: \(status)") }
    return Array(output.prefix(Int(count)))
  }

  /// Section 9.2.
  private static func unfiltered(_ raw: [UInt8], rowBytes: Int, pixelBytes: Int) throws -> [UInt8] {
    var above = [UInt8](repeating: 0, count: rowBytes + pixelBytes)
    var row = above
    var output: [UInt8] = []
    output.reserveCapacity(raw.count)
    for start in stride(from: 0, to: raw.count, by: rowBytes + 1) {
      let filter = raw[start]
      guard filter < 5 else { throw Failure("no such filter") }
      for index in 0..<rowBytes {
        let at = index &+ pixelBytes
        let (a, b, c) = (Int(row[index]), Int(above[at]), Int(above[index]))
        let prediction: Int
        switch filter {
        case 0: prediction = 0
        case 1: prediction = a
        case 2: prediction = b
        case 3: prediction = (a &+ b) / 2
        default:
          let p = a &+ b &- c
          let (pa, pb, pc) = (abs(p &- a), abs(p &- b), abs(p &- c))
          prediction = pa <= pb && pa <= pc ? a : pb <= pc ? b : c
        }
        row[at] = raw[start &+ 1 &+ index] &+ UInt8(truncatingIfNeeded: prediction)
      }
      output += row[pixelBytes...]
      swap(&row, &above)
      for index in 0..<pixelBytes { row[index] = 0 }
    }
    return output
  }

  private static func rgba(
    _ bytes: [UInt8], _ width: Int, _ height: Int, rowBytes: Int, depth: Int, colorType: UInt8, _ palette: [UInt8],
    _ transparency: [UInt8]
  ) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(width * height * 4)
    for y in 0..<height {
      for x in 0..<width {
        let row = y &* rowBytes
        switch colorType {
        case 0: output += [bytes[row + x], bytes[row + x], bytes[row + x], 255]
        case 2:
          let at = row &+ x &* 3
          output.append(bytes[at])
          output.append(bytes[at &+ 1])
          output.append(bytes[at &+ 2])
          output.append(255)
        case 3:
          let bit = x * depth
          let index = Int(bytes[row + bit / 8] >> UInt8(8 - depth - bit % 8)) & (1 << depth - 1)
          output += palette[index * 3..<index * 3 + 3]
          output.append(index < transparency.count ? transparency[index] : 255)
        case 4: output += [bytes[row + x * 2], bytes[row + x * 2], bytes[row + x * 2], bytes[row + x * 2 + 1]]
        default:
          let at = row &+ x &* 4
          for channel in 0..<4 { output.append(bytes[at &+ channel]) }
        }
      }
    }
    return output
  }
}
