// The container (RFC 9649, section 2) with all kinds of chunks, most of them valid.

extension Choices {
  /// Returns a lossy, lossless or animated file, with or without alpha and metadata. A few files are corrupt.
  public mutating func file() -> [UInt8] {
    let (width, height) = size()
    var file: [UInt8]
    switch below(8) {
    case 0, 1: file = riff(chunk("VP8 ", lossyStream(width: width, height: height)))
    case 2, 3, 4: file = riff(chunk("VP8L", losslessStream(width: width, height: height)))
    case 5: file = riff(vp8X(width, height) + others() + image(width: width, height: height) + others())
    case 6: file = riff(vp8X(width, height) + alphaAndLossy(width: width, height: height))
    default: file = animation(width: width, height: height)
    }
    if oneIn(20) { file[below(file.count)] = byte() }
    if oneIn(20) { file.removeLast(below(file.count)) }
    return file
  }

  /// Returns an animation of a few frames.
  public mutating func animation(width: Int, height: Int) -> [UInt8] {
    var chunks = vp8X(width, height, flags: 0x02 | UInt8(below(2)) << 4) + others()
    chunks += chunk("ANIM", bytes(4) + [byte() & 3, 0])
    for _ in 0..<within(1...6) { chunks += frame(canvasWidth: width, canvasHeight: height) + others() }
    return riff(chunks)
  }

  private mutating func frame(canvasWidth: Int, canvasHeight: Int) -> [UInt8] {
    let coversCanvas = oneIn(3)
    let width = coversCanvas ? canvasWidth : within(1...canvasWidth)
    let height = coversCanvas ? canvasHeight : within(1...canvasHeight)
    let x = below(canvasWidth - width + 1) / 2
    // A few frames are outside of the canvas.
    let y = oneIn(100) ? below(1 << 16) : below(canvasHeight - height + 1) / 2
    var header = u24(x) + u24(y) + u24(width - 1) + u24(height - 1) + u24(below(300))
    header.append(byte() & 3)
    return chunk("ANMF", header + image(width: width, height: height) + others())
  }

  /// Returns the chunks of one image. In a few images, the size differs from the declared one.
  private mutating func image(width: Int, height: Int) -> [UInt8] {
    let width = oneIn(100) ? within(1...32) : width
    switch below(3) {
    case 0: return chunk("VP8L", losslessStream(width: width, height: height))
    case 1: return chunk("VP8 ", lossyStream(width: width, height: height))
    default: return alphaAndLossy(width: width, height: height)
    }
  }

  private mutating func alphaAndLossy(width: Int, height: Int) -> [UInt8] {
    alpha(width: width, height: height) + chunk("VP8 ", lossyStream(width: width, height: height))
  }

  /// Returns an ALPH chunk (section 2.7.1.2).
  private mutating func alpha(width: Int, height: Int) -> [UInt8] {
    let isCompressed = oneIn(2)
    let header = (isCompressed ? 1 : 0) | below(4) << 2 | below(2) << 4 | (oneIn(50) ? below(4) << 6 : 0)
    let payload =
      isCompressed
      ? losslessStream(width: width, height: height, hasHeader: false)
      : bytes(oneIn(20) ? below(width * height) : width * height)
    return chunk("ALPH", [UInt8(header)] + payload)
  }

  /// Returns metadata or an unknown chunk. In most cases, returns nothing.
  private mutating func others() -> [UInt8] {
    guard oneIn(4) else { return [] }
    switch below(5) {
    case 0: return chunk("ICCP", bytes(below(20)))
    case 1: return chunk("XMP ", bytes(below(20)))
    case 2: return chunk("ALPH", bytes(below(20)))
    case 3: return chunk("what", bytes(below(20)))
    default:
      // Exif with an orientation: a directory with one entry.
      let tiff: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, UInt8(below(10)), 0, 0, 0]
      return chunk("EXIF", tiff + bytes(below(8)))
    }
  }

  /// Returns the size of an image. In most cases, the image has a few macroblocks, in others many.
  private mutating func size() -> (width: Int, height: Int) {
    let limit = oneIn(64) ? 150 : oneIn(8) ? 50 : 20
    return (within(1...limit), within(1...limit))
  }

  private mutating func vp8X(_ width: Int, _ height: Int, flags: UInt8? = nil) -> [UInt8] {
    chunk("VP8X", [flags ?? byte() & 0x3C, 0, 0, 0] + u24(width - 1) + u24(height - 1))
  }

  /// Returns a chunk (section 2.3). A few chunks have a wrong size field.
  private mutating func chunk(_ name: String, _ payload: [UInt8]) -> [UInt8] {
    let size = oneIn(100) ? payload.count + below(5) - 2 : payload.count
    return Array(name.utf8) + u32(max(0, size)) + payload + (payload.count % 2 == 1 ? [0] : [])
  }

  private func riff(_ chunks: [UInt8]) -> [UInt8] {
    Array("RIFF".utf8) + u32(chunks.count + 4) + Array("WEBP".utf8) + chunks
  }

  private func u24(_ number: Int) -> [UInt8] { (0..<3).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }

  private func u32(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
}
