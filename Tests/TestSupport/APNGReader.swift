// An APNG player that shares no code with the writer (PNG specification, third edition, sections 4.9 and 11.3.6).

package struct APNGReader {
  package struct Frame {
    /// The complete canvas as RGBA.
    package let canvas: [UInt8]
    /// The duration in milliseconds.
    package let duration: Int
    package let isBlended: Bool
  }

  package let frames: [Frame]
  package let plays: Int

  package init(_ file: [UInt8]) throws {
    let png = try PNGReader(file)
    guard let control = png.chunks.first(where: { $0.type == "acTL" })?.payload, control.count == 8 else {
      throw PNGReader.Malformed("acTL")
    }
    plays = PNGReader.number(control[4...])

    var pictures: [(control: [UInt8], data: [UInt8])] = []
    var sequence = 0
    for chunk in png.chunks {
      if chunk.type == "fcTL" || chunk.type == "fdAT" {
        guard PNGReader.number(chunk.payload[..<4]) == sequence else { throw PNGReader.Malformed("sequence") }
        sequence += 1
      }
      switch chunk.type {
      case "fcTL":
        guard chunk.payload.count == 26 else { throw PNGReader.Malformed("fcTL") }
        pictures.append((chunk.payload, []))
      case "IDAT": pictures[0].data += chunk.payload
      case "fdAT":
        guard pictures.count > 1 else { throw PNGReader.Malformed("fdAT of the first frame") }
        pictures[pictures.count - 1].data += chunk.payload.dropFirst(4)
      default: break
      }
    }
    guard pictures.count == PNGReader.number(control[..<4]) else { throw PNGReader.Malformed("frame count") }

    var canvas = [UInt8](repeating: 0, count: png.width * png.height * 4)
    var frames: [Frame] = []
    for (index, picture) in pictures.enumerated() {
      let fields = (1...4).map { PNGReader.number(picture.control[$0 * 4..<$0 * 4 + 4]) }
      let (width, height, x, y) = (fields[0], fields[1], fields[2], fields[3])
      guard x + width <= png.width, y + height <= png.height,
        index > 0 || (width, height) == (png.width, png.height)
      else { throw PNGReader.Malformed("frame rectangle") }
      let header = picture.control[4..<12] + [UInt8(png.bitDepth), UInt8(png.colorType), 0, 0, 0]
      let own = try PNGReader(Self.file([("IHDR", Array(header)), ("IDAT", picture.data), ("IEND", [])]))
      let (dispose, blend) = (picture.control[24], picture.control[25])
      for row in 0..<height {
        for column in 0..<width {
          let from = (row * width + column) * 4
          let to = ((y + row) * png.width + x + column) * 4
          let alpha = own.pixels[from + 3]
          guard blend == 0 || alpha == 0 || alpha == 255 else { throw PNGReader.Malformed("translucent blending") }
          if blend == 0 || alpha == 255 { canvas.replaceSubrange(to..<to + 4, with: own.pixels[from..<from + 4]) }
        }
      }
      let (numerator, denominator) = (
        PNGReader.number(picture.control[20..<22]), PNGReader.number(picture.control[22..<24])
      )
      frames.append(Frame(canvas: canvas, duration: numerator * 1000 / denominator, isBlended: blend == 1))
      if dispose == 1 {
        for row in y..<y + height {
          let start = (row * png.width + x) * 4
          canvas.replaceSubrange(start..<start + width * 4, with: repeatElement(0, count: width * 4))
        }
      }
    }
    self.frames = frames
  }

  private static func file(_ chunks: [(type: String, payload: [UInt8])]) -> [UInt8] {
    func bytes(_ number: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(number >> $0 & 255) } }
    return chunks.reduce([137, 80, 78, 71, 13, 10, 26, 10]) { file, chunk in
      let body = Array(chunk.type.utf8) + chunk.payload
      return file + bytes(UInt32(chunk.payload.count)) + body + bytes(PNGReader.checksum(body[...]))
    }
  }
}
