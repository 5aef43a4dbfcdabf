#if !canImport(ImageIO)
  import CZlib
  import Foundation
  import PureWebP
  import WebPExport

  /// Decodes a PNG file of any color type, bit depth and interlacing (PNG specification, third edition). Samples of 16
  /// bits are rounded to 8 bits. Color profiles, gamma and animations are ignored.
  struct PNGDecoder {
    private let header: Header
    private var palette: [UInt8] = []
    private var transparency: [UInt8]?
    private var compressed: [UInt8] = []

    /// The contents of the IHDR chunk (section 11.2.1).
    private struct Header {
      let width: Int
      let height: Int
      let bitDepth: Int
      let colorType: UInt8
      let isInterlaced: Bool

      var channels: Int {
        switch colorType {
        case 2: 3
        case 4: 2
        case 6: 4
        default: 1
        }
      }

      func rowBytes(width: Int) -> Int { (width * channels * bitDepth + 7) / 8 }
    }

    /// Reads the chunks.
    ///
    /// - Throws: `URLError.cannotDecodeContentData`, or `dataLengthExceedsMaximum` if the image exceeds the limits.
    init(_ file: Data, limits: WebP.Limits) throws {
      var chunks = ChunkReader(file)
      guard let first = try chunks.next(), first.type == "IHDR" else { throw Self.corrupt("no IHDR chunk") }
      header = try Self.header(first.payload)
      try Raster.check(width: header.width, height: header.height, fileLength: file.count, limits)
      while let chunk = try chunks.next(), chunk.type != "IEND" {
        switch chunk.type {
        case "PLTE": palette = [UInt8](chunk.payload)
        case "tRNS": transparency = [UInt8](chunk.payload)
        case "IDAT": compressed += chunk.payload
        default:
          // An upper-case first letter marks a chunk that decoders must know (section 5.4).
          if chunk.type.utf8.first.map({ $0 & 0x20 == 0 }) == true { throw Self.corrupt("unknown chunk \(chunk.type)") }
        }
      }
      guard palette.count % 3 == 0, header.colorType != 3 || !palette.isEmpty else { throw Self.corrupt("no palette") }
    }

    private static func header(_ payload: Data) throws -> Header {
      let bytes = [UInt8](payload)
      guard bytes.count == 13, bytes[10] == 0, bytes[11] == 0, bytes[12] <= 1 else { throw corrupt("invalid IHDR") }
      let depths: [UInt8: [UInt8]] = [0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16]]
      guard depths[bytes[9]]?.contains(bytes[8]) == true else { throw corrupt("invalid bit depth or color type") }
      return Header(
        width: bytes.bigEndian32(at: 0), height: bytes.bigEndian32(at: 4), bitDepth: Int(bytes[8]),
        colorType: bytes[9], isInterlaced: bytes[12] == 1)
    }

    fileprivate static func corrupt(_ reason: String) -> URLError {
      URLError(.cannotDecodeContentData, "corrupt PNG: \(reason)")
    }

    /// Decodes the pixels.
    ///
    /// - Throws: `URLError.cannotDecodeContentData`.
    func raster() throws -> Raster {
      let passes = header.isInterlaced ? Pass.adam7 : [Pass(x: 0, y: 0, dx: 1, dy: 1)]
      let sizes = passes.map { $0.size(width: header.width, height: header.height) }
      let count = sizes.reduce(0) { $0 + ($1.width == 0 ? 0 : (header.rowBytes(width: $1.width) + 1) * $1.height) }
      let filtered = try inflate(count: count)
      var raster = Raster(
        width: header.width, height: header.height,
        pixels: [UInt8](repeating: 0, count: header.width * header.height * 4))
      var offset = 0
      for (pass, size) in zip(passes, sizes) where size.width > 0 {
        let rowBytes = header.rowBytes(width: size.width)
        var previous = [UInt8](repeating: 0, count: rowBytes)
        for y in 0..<size.height {
          var row = Array(filtered[offset + 1..<offset + 1 + rowBytes])
          try unfilter(&row, previous, filtered[offset])
          offset += 1 + rowBytes
          for x in 0..<size.width {
            let target = ((pass.y + y * pass.dy) * header.width + pass.x + x * pass.dx) * 4
            try writePixel(row, x, &raster.pixels, target)
          }
          previous = row
        }
      }
      return raster
    }

    /// The offsets and steps of an interlacing pass (section 8.1).
    private struct Pass {
      let x: Int
      let y: Int
      let dx: Int
      let dy: Int

      static let adam7 = [
        Pass(x: 0, y: 0, dx: 8, dy: 8), Pass(x: 4, y: 0, dx: 8, dy: 8), Pass(x: 0, y: 4, dx: 4, dy: 8),
        Pass(x: 2, y: 0, dx: 4, dy: 4), Pass(x: 0, y: 2, dx: 2, dy: 4), Pass(x: 1, y: 0, dx: 2, dy: 2),
        Pass(x: 0, y: 1, dx: 1, dy: 2),
      ]

      func size(width: Int, height: Int) -> (width: Int, height: Int) {
        (max(0, width - x + dx - 1) / dx, max(0, height - y + dy - 1) / dy)
      }
    }

    private func inflate(count: Int) throws -> [UInt8] {
      var output = [UInt8](repeating: 0, count: count)
      var written = uLong(count)
      var read = uLong(compressed.count)
      let status = unsafe uncompress2(&output, &written, compressed, &read)
      // zlib returns Z_BUF_ERROR if data follows the last row. Like libpng, this decoder ignores such data.
      guard status == Z_OK || status == Z_BUF_ERROR, Int(written) == count else {
        throw Self.corrupt("invalid or incomplete image data")
      }
      return output
    }

    /// Reverses the filter of a row (section 9.2).
    private func unfilter(_ row: inout [UInt8], _ previous: [UInt8], _ filter: UInt8) throws {
      let step = max(1, header.channels * header.bitDepth / 8)
      for index in row.indices {
        let left = index >= step ? Int(row[index - step]) : 0
        let up = Int(previous[index])
        let corner = index >= step ? Int(previous[index - step]) : 0
        let prediction: Int
        switch filter {
        case 0: return
        case 1: prediction = left
        case 2: prediction = up
        case 3: prediction = (left + up) / 2
        case 4:
          let (a, b, c) = (abs(up - corner), abs(left - corner), abs(left + up - 2 * corner))
          prediction = a <= b && a <= c ? left : b <= c ? up : corner
        default: throw Self.corrupt("invalid filter \(filter)")
        }
        row[index] &+= UInt8(truncatingIfNeeded: prediction)
      }
    }

    private func writePixel(_ row: [UInt8], _ x: Int, _ pixels: inout [UInt8], _ target: Int) throws {
      /// Returns the stored sample, which has `bitDepth` bits.
      func raw(_ channel: Int) -> Int {
        let index = x * header.channels + channel
        switch header.bitDepth {
        case 16: return Int(row[2 * index]) << 8 | Int(row[2 * index + 1])
        case 8: return Int(row[index])
        default:
          let bit = index * header.bitDepth
          return Int(row[bit / 8]) >> (8 - header.bitDepth - bit % 8) & (1 << header.bitDepth - 1)
        }
      }
      let maximum = 1 << header.bitDepth - 1
      func scaled(_ channel: Int) -> UInt8 { UInt8((raw(channel) * 255 + maximum / 2) / maximum) }
      /// Returns whether the tRNS chunk declares the color of this pixel transparent (section 11.3.2.1).
      func isTransparent(_ channels: Int) -> Bool {
        guard let transparency, transparency.count >= 2 * channels else { return false }
        return (0..<channels).allSatisfy {
          raw($0) == Int(transparency[2 * $0]) << 8 | Int(transparency[2 * $0 + 1])
        }
      }
      let pixel: (UInt8, UInt8, UInt8, UInt8)
      switch header.colorType {
      case 0: pixel = (scaled(0), scaled(0), scaled(0), isTransparent(1) ? 0 : 255)
      case 2: pixel = (scaled(0), scaled(1), scaled(2), isTransparent(3) ? 0 : 255)
      case 3:
        let index = raw(0)
        guard 3 * index + 2 < palette.count else { throw Self.corrupt("palette index out of range") }
        let alpha = transparency.flatMap { index < $0.count ? $0[index] : nil } ?? 255
        pixel = (palette[3 * index], palette[3 * index + 1], palette[3 * index + 2], alpha)
      case 4: pixel = (scaled(0), scaled(0), scaled(0), scaled(1))
      default: pixel = (scaled(0), scaled(1), scaled(2), scaled(3))
      }
      (pixels[target], pixels[target + 1], pixels[target + 2], pixels[target + 3]) = pixel
    }
  }

  /// Iterates over the chunks of a file (section 5.3).
  private struct ChunkReader {
    private var rest: Data

    init(_ file: Data) {
      rest = file.dropFirst(8)
    }

    /// Returns the next chunk, or nil at the end of the file.
    ///
    /// - Throws: `URLError.cannotDecodeContentData` if the chunk is incomplete or its checksum is wrong.
    mutating func next() throws -> (type: String, payload: Data)? {
      if rest.isEmpty { return nil }
      let prefix = [UInt8](rest.prefix(8))
      guard prefix.count == 8, case let length = prefix.bigEndian32(at: 0), rest.count - 12 >= length else {
        throw PNGDecoder.corrupt("incomplete chunk")
      }
      let body = rest.dropFirst(4).prefix(4 + length)
      guard [UInt8](rest.dropFirst(8 + length).prefix(4)).bigEndian32(at: 0) == Int(crc32(body.span)) else {
        throw PNGDecoder.corrupt("invalid checksum")
      }
      rest = rest.dropFirst(12 + length)
      return (String(decoding: prefix[4...], as: UTF8.self), body.dropFirst(4))
    }
  }

  extension [UInt8] {
    fileprivate func bigEndian32(at offset: Int) -> Int { self[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
  }
#endif
