// A walk through all chunks of a file, with the checks and the words of libwebp's webpinfo. It is stricter than the
// decoder: what a file promises in its VP8X chunk has to be there.

import PureWebP

/// What is in a file, and what is wrong with it.
struct FileAnalysis {
  /// Why an analysis ended, in webpinfo's words.
  struct Finding: Error {
    let text: String

    init(_ text: String) { self.text = text }
  }

  /// The chunks that webpinfo knows, in the order of its summary.
  enum Kind: String, CaseIterable {
    case vp8 = "VP8 "
    case vp8L = "VP8L"
    case vp8X = "VP8X"
    case alph = "ALPH"
    case anim = "ANIM"
    case anmf = "ANMF"
    case iccp = "ICCP"
    case exif = "EXIF"
    case xmp = "XMP "
  }

  struct Chunk {
    /// Nil: unknown.
    let kind: Kind?
    /// Of the header.
    let offset: Int
    /// With header and padding.
    let size: Int
    /// With padding.
    let payload: ArraySlice<UInt8>
  }

  let bytes: [UInt8]
  let listsChunks: Bool
  let describesStreams: Bool

  /// The lines that describe the file.
  private(set) var lines: [String] = []
  /// What was found wrong, in order.
  private(set) var findings: [String] = []
  private(set) var warningCount = 0
  private(set) var isSound = true

  private var position = 0
  private var end = 0
  private var counts: [Kind: Int] = [:]
  private var countsInFrames: [Kind: Int] = [:]
  private var pictureCount = 0
  private var hasAlpha = false
  private var flags: UInt8 = 0
  private var canvas = (width: 0, height: 0)
  private var frame: OpenFrame?

  /// An ANMF chunk whose own chunks are being read.
  private struct OpenFrame {
    let width: Int
    let height: Int
    var bytesLeft: Int
    var hasAlpha = false
    var hasPicture = false
  }

  init(_ bytes: [UInt8], listsChunks: Bool, describesStreams: Bool, summarizes: Bool) {
    self.bytes = bytes
    self.listsChunks = listsChunks
    self.describesStreams = describesStreams
    end = bytes.count
    do throws(Finding) {
      try readHeader()
      while isSound && position < end { try process(try readChunk()) }
      guard isSound else { return }
      if summarizes { summarize() }
      try validate()
    } catch {
      fail(error)
    }
  }

  private mutating func fail(_ finding: Finding) {
    isSound = false
    findings.append("Error: \(finding.text)")
  }

  private mutating func warn(_ text: String) {
    findings.append("Warning: \(text)")
    warningCount += 1
  }

  private mutating func list(_ newLines: [String]) {
    if listsChunks { lines += newLines }
  }

  private func count(_ kind: Kind) -> Int { counts[kind, default: 0] }
}

// MARK: The walk

extension FileAnalysis {
  private mutating func readHeader() throws(Finding) {
    guard bytes.count >= 20 else { throw Finding("Truncated data detected when parsing RIFF header.") }
    guard bytes.starts(with: "RIFF".utf8), bytes[8..<12].elementsEqual("WEBP".utf8) else {
      throw Finding("Corrupted RIFF header.")
    }
    let size = number(4, at: 4)
    guard size >= 8 else { throw Finding("RIFF size is too small.") }
    guard size <= Self.maximumPayload else { throw Finding("RIFF size is over limit.") }
    list(["RIFF HEADER:", "  File size: \(padded(Int(Int32(truncatingIfNeeded: size + 8))))"])
    guard size + 8 <= bytes.count else { throw Finding("Truncated data detected when parsing RIFF payload.") }
    if size + 8 < bytes.count {
      warn("RIFF size is smaller than the file size.")
      end = size + 8
    }
    position = 12
  }

  private mutating func readChunk() throws(Finding) -> Chunk {
    guard end - position >= 8 else { throw Finding("Truncated data detected when parsing chunk header.") }
    let offset = position
    let tag = String(decoding: bytes[offset..<offset + 4], as: UTF8.self)
    let size = number(4, at: offset + 4)
    guard size <= Self.maximumPayload else { throw Finding("Size of chunk payload is over limit.") }
    let paddedSize = size + size & 1
    position = offset + 8
    guard paddedSize <= end - position else { throw Finding("Truncated data detected when parsing chunk payload.") }
    let payload = bytes[position..<position + paddedSize]
    let kind = Kind(rawValue: tag)
    guard kind != .anmf || size == paddedSize else { throw Finding("ANMF chunk size should always be even.") }
    // The chunks within a frame are met one by one.
    position += kind == .anmf ? Self.frameHeaderBytes : paddedSize
    return Chunk(kind: kind, offset: offset, size: paddedSize + 8, payload: payload)
  }

  private mutating func process(_ chunk: Chunk) throws(Finding) {
    let place = "at offset \(padded(chunk.offset)), length \(padded(chunk.size))"
    if let kind = chunk.kind {
      list(["Chunk \(kind.rawValue) \(place)"])
    } else {
      warn(String("Unknown chunk \(place)".prefix(49)))
    }
    do throws(Finding) {
      try processPayload(of: chunk)
    } catch {
      fail(error)
    }
    // The sizes of chunks in a frame are checked whatever they hold.
    if chunk.kind != .anmf { try closeFrame(after: chunk) }
  }

  private mutating func processPayload(of chunk: Chunk) throws(Finding) {
    switch chunk.kind {
    case .vp8, .vp8L: try processPicture(chunk)
    case .vp8X: try processExtended(chunk)
    case .alph: try processAlpha(chunk)
    case .anim: try processAnimation(chunk)
    case .anmf: try processFrame(chunk)
    case .iccp: try processProfile()
    case .exif, .xmp: counts[chunk.kind!, default: 0] += 1
    case nil: break
    }
  }

  private mutating func closeFrame(after chunk: Chunk) throws(Finding) {
    guard var frame else { return }
    guard frame.bytesLeft >= chunk.size else {
      throw Finding("Truncated data detected when parsing ANMF chunk.")
    }
    frame.bytesLeft -= chunk.size
    self.frame = frame.bytesLeft > 0 ? frame : nil
    guard frame.bytesLeft > 0 || frame.hasPicture else {
      throw Finding("No VP8/VP8L chunk detected in an ANMF chunk.")
    }
  }

  private static let maximumPayload = 0xFFFF_FFF6
  private static let frameHeaderBytes = 16

  /// Little-endian.
  private func number(_ count: Int, at offset: Int) -> Int {
    (0..<count).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
  }
}

// MARK: Chunks

extension FileAnalysis {
  private mutating func processExtended(_ chunk: Chunk) throws(Finding) {
    guard count(.vp8) + count(.vp8L) + count(.vp8X) == 0 else {
      throw Finding("Already seen a VP8/VP8L/VP8X chunk when parsing VP8X chunk.")
    }
    guard chunk.size == 18 else { throw Finding("Corrupted VP8X chunk.") }
    counts[.vp8X] = 1
    let start = chunk.payload.startIndex
    flags = bytes[start]
    canvas = (1 + number(3, at: start + 4), 1 + number(3, at: start + 7))
    for (name, flag) in [
      ("ICCP", Flag.icc), ("Alpha", .alpha), ("EXIF", .exif), ("XMP", .xmp), ("Animation", .animation),
    ] {
      list(["  \(name): \(has(flag) ? 1 : 0)"])
    }
    list(["  Canvas size \(canvas.width) x \(canvas.height)"])
    if canvas.width * canvas.height > 1 << 32 { warn("Canvas area is out of range in VP8X chunk.") }
  }

  private mutating func processAnimation(_ chunk: Chunk) throws(Finding) {
    guard count(.vp8X) > 0 else { throw Finding("ANIM chunk detected before VP8X chunk.") }
    guard chunk.size == 14 else { throw Finding("Corrupted ANIM chunk.") }
    counts[.anim, default: 0] += 1
    let start = chunk.payload.startIndex
    let color = bytes[start..<start + 4].reversed().map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    list(["  Background color:(ARGB) \(color.joined(separator: " "))"])
    list(["  Loop count      : \(number(2, at: start + 4))"])
  }

  private mutating func processFrame(_ chunk: Chunk) throws(Finding) {
    guard frame == nil else { throw Finding("ANMF chunk detected within another ANMF chunk.") }
    guard count(.anim) > 0 else { throw Finding("ANMF chunk detected before ANIM chunk.") }
    guard chunk.payload.count > Self.frameHeaderBytes else {
      throw Finding("Truncated data detected when parsing ANMF chunk.")
    }
    counts[.anmf, default: 0] += 1
    let start = chunk.payload.startIndex
    let fields = (0..<5).map { number(3, at: start + 3 * $0) }
    let (x, y, width, height) = (2 * fields[0], 2 * fields[1], 1 + fields[2], 1 + fields[3])
    let bits = bytes[start + 15]
    list(["  Offset_X: \(x)", "  Offset_Y: \(y)", "  Width: \(width)", "  Height: \(height)"])
    list(["  Duration: \(fields[4])", "  Dispose: \(bits & 1)", "  Blend: \(bits >> 1 & 1)"])
    guard x + width <= canvas.width, y + height <= canvas.height else {
      throw Finding("Frame exceeds canvas in ANMF chunk.")
    }
    frame = OpenFrame(width: width, height: height, bytesLeft: chunk.payload.count - Self.frameHeaderBytes)
  }

  private mutating func processPicture(_ chunk: Chunk) throws(Finding) {
    guard let info = try? WebP.info(bytes[chunk.offset..<chunk.offset + chunk.size]) else {
      throw Finding("VP8/VP8L bitstream error.")
    }
    let format =
      switch info.compression {
      case .lossy: "Lossy (1)"
      case .lossless: "Lossless (2)"
      case .unspecified: "Unknown (0)"
      }
    list(["  Width: \(info.width)", "  Height: \(info.height)", "  Alpha: \(info.hasAlpha ? 1 : 0)"])
    list(["  Animation: \(info.isAnimated ? 1 : 0)", "  Format: \(format)"])
    if frame != nil {
      try takePictureOfFrame(chunk, info)
    } else {
      try takeStillPicture(chunk, info)
    }
    pictureCount += 1
    hasAlpha = hasAlpha || info.hasAlpha
    guard describesStreams else { return }
    if chunk.kind == .vp8 {
      try LossyReport.append(chunk.payload, to: &lines)
    } else {
      try LosslessReport.append(chunk.payload, to: &lines)
    }
  }

  private mutating func takePictureOfFrame(_ chunk: Chunk, _ info: WebP.ImageInfo) throws(Finding) {
    guard let frame else { return }
    countsInFrames[chunk.kind!, default: 0] += 1
    guard chunk.kind != .vp8L || !frame.hasAlpha else {
      throw Finding("Both VP8L and ALPH sub-chunks are present in an ANMF chunk.")
    }
    guard frame.width == info.width, frame.height == info.height else {
      throw Finding("Frame size in VP8/VP8L sub-chunk differs from ANMF header.")
    }
    guard !frame.hasPicture else { throw Finding("Consecutive VP8/VP8L sub-chunks in an ANMF chunk.") }
    self.frame?.hasPicture = true
  }

  private mutating func takeStillPicture(_ chunk: Chunk, _ info: WebP.ImageInfo) throws(Finding) {
    guard count(.vp8) + count(.vp8L) == 0 else { throw Finding("Multiple VP8/VP8L chunks detected.") }
    if chunk.kind == .vp8L && count(.alph) > 0 { warn("Both VP8L and ALPH chunks are detected.") }
    guard count(.anim) + count(.anmf) == 0 else {
      throw Finding("VP8/VP8L chunk and ANIM/ANMF chunk are both detected.")
    }
    guard count(.vp8X) == 0 || canvas == (info.width, info.height) else {
      throw Finding("Image size in VP8/VP8L chunk differs from VP8X chunk.")
    }
    counts[chunk.kind!] = 1
  }

  private mutating func processAlpha(_ chunk: Chunk) throws(Finding) {
    if let frame {
      countsInFrames[.alph, default: 0] += 1
      guard !frame.hasAlpha else { throw Finding("Consecutive ALPH sub-chunks in an ANMF chunk.") }
      self.frame?.hasAlpha = true
      guard !frame.hasPicture else {
        throw Finding("ALPHA sub-chunk detected after VP8 sub-chunk in an ANMF chunk.")
      }
    } else {
      guard count(.anim) + count(.anmf) == 0 else {
        throw Finding("ALPHA chunk and ANIM/ANMF chunk are both detected.")
      }
      guard count(.vp8X) > 0 else { throw Finding("ALPHA chunk detected before VP8X chunk.") }
      guard count(.vp8) == 0 else { throw Finding("ALPHA chunk detected after VP8 chunk.") }
      guard count(.alph) == 0 else { throw Finding("Multiple ALPHA chunks detected.") }
      counts[.alph] = 1
    }
    hasAlpha = true
    guard describesStreams else { return }
    if try AlphaReport.append(chunk.payload, to: &lines) {
      warn("Reserved bits in ALPH chunk header are not all 0.")
    }
  }

  private mutating func processProfile() throws(Finding) {
    guard count(.vp8X) > 0 else { throw Finding("ICCP chunk detected before VP8X chunk.") }
    guard count(.vp8) + count(.vp8L) + count(.anim) == 0 else {
      throw Finding("ICCP chunk detected after image data.")
    }
    counts[.iccp, default: 0] += 1
  }
}

// MARK: The whole

extension FileAnalysis {
  private enum Flag: UInt8 {
    case animation = 0x02
    case xmp = 0x04
    case exif = 0x08
    case alpha = 0x10
    case icc = 0x20
  }

  private func has(_ flag: Flag) -> Bool { flags & flag.rawValue != 0 }

  /// What VP8X promises has to be there, and nothing else.
  private mutating func validate() throws(Finding) {
    guard pictureCount > 0 else { throw Finding("No image/frame detected.") }
    guard count(.vp8X) > 0 else { return }
    guard has(.alpha) || !hasAlpha else { throw Finding("Unexpected alpha data detected.") }
    if has(.alpha) && !hasAlpha { warn("Alpha flag is set with no alpha data present.") }
    let metadata: [(flag: Flag, kind: Kind)] = [(.icc, .iccp), (.exif, .exif), (.xmp, .xmp)]
    for (flag, kind) in metadata where has(flag) && count(kind) == 0 {
      throw Finding("Missing \(name(of: kind)) chunk.")
    }
    for (flag, kind) in metadata where !has(flag) && count(kind) > 0 {
      throw Finding("Unexpected \(name(of: kind)) chunk detected.")
    }
    if has(.animation) {
      guard count(.anim) > 0 else { throw Finding("Missing ANIM chunk.") }
      guard count(.anmf) > 0 else { throw Finding("Missing ANMF chunk.") }
    } else if pictureCount > 1 {
      throw Finding("More than 1 frame detected in non-animation file.")
    }
  }

  private func name(of kind: Kind) -> String { kind == .xmp ? "XMP" : kind.rawValue }

  private mutating func summarize() {
    var line = "Chunk counts: "
    for kind in Kind.allCases {
      line += "\(padded(count(kind), to: 4)) "
      if kind == .anmf {
        let inner = [Kind.vp8, .vp8L, .alph].map { padded(countsInFrames[$0, default: 0], to: 4) }
        line += inner.joined(separator: " ") + "  "
      }
    }
    lines += ["Summary:", "Number of frames: \(pictureCount)"]
    lines += ["Chunk type  :  VP8 VP8L VP8X ALPH ANIM ANMF(VP8 /VP8L/ALPH) ICCP EXIF  XMP", line]
  }
}

/// With blanks before it.
private func padded(_ number: Int, to width: Int = 6) -> String {
  let digits = String(number)
  return String(repeating: " ", count: max(0, width - digits.count)) + digits
}
