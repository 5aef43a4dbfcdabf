import PureWebP

/// The chunks of a WebP file, with the checks of libwebp's mux library. These are stricter than the decoder's: for
/// example, the flags in VP8X must agree with the chunks.
struct MuxFile {
  /// A still image or a frame.
  struct Image {
    /// The payload of the ANMF chunk. Nil for a still image.
    var header: ArraySlice<UInt8>?
    /// The ALPH chunk with its header and padding.
    var alpha: ArraySlice<UInt8>?
    /// The VP8 or VP8L chunk with its header and padding.
    var bitstream: ArraySlice<UInt8>?
    var width = 0
    var height = 0
    var hasAlpha = false
    var isLossless = false
    /// Indicates whether an image must follow.
    var isPartial = false
  }

  typealias Flag = FileAnalysis.Flag

  private(set) var images: [Image] = []
  /// The number of chunks of each kind outside of images.
  private var counts: [WebP.FourCC: Int] = [:]
  /// The payload of the first chunk of each kind.
  private var payloads: [WebP.FourCC: ArraySlice<UInt8>] = [:]
  private var canvas: (width: Int, height: Int)?

  private struct Invalid: Error {}

  /// Reads a file. Returns nil if libwebp's mux library refuses it.
  init?(_ bytes: [UInt8]) {
    do {
      try read(bytes)
      try validate()
    } catch {
      return nil
    }
  }

  func has(_ flag: Flag) -> Bool { flags & UInt32(flag.rawValue) != 0 }

  var flags: UInt32 {
    if let extended = payloads[.vp8X] { return UInt32(extended.number(at: 0, bytes: 4)) }
    return images.first?.hasAlpha == true ? UInt32(Flag.alpha.rawValue) : 0
  }

  var size: (width: Int, height: Int) { canvas ?? (images[0].width, images[0].height) }

  /// Returns the payload of the first chunk of a kind.
  func payload(_ kind: WebP.FourCC) -> ArraySlice<UInt8>? { payloads[kind] }

  /// Returns an image as a WebP file.
  static func file(of image: Image) -> [UInt8] {
    WebP.Animation.stillFile(
      (image.alpha ?? []) + (image.bitstream ?? []), hasAlphaChunk: image.alpha != nil, width: image.width,
      height: image.height)
  }
}

// MARK: Reading

extension MuxFile {
  private mutating func read(_ bytes: [UInt8]) throws {
    guard bytes.count >= 20, bytes.starts(with: "RIFF".utf8), bytes[8...].starts(with: "WEBP".utf8) else {
      throw Invalid()
    }
    let size = bytes[...].number(at: 4, bytes: 4)
    guard size <= Chunk.maximumPayload else { throw Invalid() }
    let end = 8 + size + size & 1
    guard 12...Int64(bytes.count) ~= end else { throw Invalid() }
    var rest = bytes[12..<Int(end)]
    guard let first = try? Chunk(rest), [.vp8, .vp8L, .vp8X].contains(first.kind) else { throw Invalid() }
    var image = Image()
    while !rest.isEmpty {
      let chunk = try Self.takeChunk(&rest)
      switch chunk.kind {
      case .alph: try image.take(alpha: chunk.bytes)
      case .vp8, .vp8L:
        try image.take(bitstream: chunk.bytes)
        images.append(image)
        image = Image()
      case .anmf:
        guard !image.isPartial else { throw Invalid() }
        images.append(try Self.frame(chunk.payload))
      default:
        guard !image.isPartial else { throw Invalid() }
        counts[chunk.kind, default: 0] += 1
        if chunk.kind == .vp8X {
          guard chunk.bytes.count >= 18 else { throw Invalid() }
          let sides = [4, 7].map { Int(chunk.payload.number(at: $0, bytes: 3)) + 1 }
          canvas = (sides[0], sides[1])
        }
        if payloads[chunk.kind] == nil { payloads[chunk.kind] = chunk.payload }
      }
    }
    guard !image.isPartial else { throw Invalid() }
  }

  /// Takes a chunk from the start of `rest`.
  private static func takeChunk(_ rest: inout ArraySlice<UInt8>) throws(FileAnalysis.Finding) -> Chunk {
    let chunk = try Chunk(rest)
    rest = rest.dropFirst(chunk.bytes.count)
    return chunk
  }

  /// Reads the chunks in an ANMF chunk.
  private static func frame(_ payload: ArraySlice<UInt8>) throws -> Image {
    guard payload.count >= 16 else { throw Invalid() }
    var image = Image(header: payload, isPartial: true)
    var rest = payload.dropFirst(16)
    while !rest.isEmpty {
      let chunk = try takeChunk(&rest)
      switch chunk.kind {
      case .alph: try image.take(alpha: chunk.bytes)
      case .vp8, .vp8L: try image.take(bitstream: chunk.bytes)
      case .vp8X, .anim, .anmf, .iccp, .exif, .xmp: throw Invalid()
      default: guard !image.isPartial else { throw Invalid() }
      }
    }
    guard !image.isPartial else { throw Invalid() }
    return image
  }

  private func validate() throws {
    guard !images.isEmpty else { throw Invalid() }
    let (width, height) = size
    guard width * height < 1 << 32 else { throw Invalid() }
    for (kind, flag) in [(WebP.FourCC.iccp, Flag.icc), (.exif, .exif), (.xmp, .xmp)] {
      guard counts[kind, default: 0] == (has(flag) ? 1 : 0) else { throw Invalid() }
    }
    let frames = images.count { $0.header != nil }
    let animations = counts[.anim, default: 0]
    guard animations <= 1, counts[.vp8X, default: 0] <= 1 else { throw Invalid() }
    if has(.animation) {
      guard animations == 1, frames > 0 else { throw Invalid() }
    } else {
      guard animations == 0, frames == 0, images.count == 1 else { throw Invalid() }
      guard canvas == nil || size == (images[0].width, images[0].height) else { throw Invalid() }
    }
    if canvas == nil {
      guard images.count == 1, images[0].alpha == nil else { throw Invalid() }
    } else if images.contains(where: \.hasAlpha) {
      guard has(.alpha) else { throw Invalid() }
    }
  }
}

extension MuxFile.Image {
  fileprivate mutating func take(alpha chunk: ArraySlice<UInt8>) throws {
    guard alpha == nil else { throw MuxFile.Invalid() }
    alpha = chunk
    isPartial = true
  }

  fileprivate mutating func take(bitstream chunk: ArraySlice<UInt8>) throws {
    guard bitstream == nil, let info = try? WebP.info(chunk), !info.isAnimated else { throw MuxFile.Invalid() }
    bitstream = chunk
    isLossless = info.compression == .lossless
    // Alpha beside VP8L is ignored.
    if isLossless { alpha = nil }
    (width, height, hasAlpha) = (info.width, info.height, info.hasAlpha || alpha != nil)
    isPartial = false
  }
}
