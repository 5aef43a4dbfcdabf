// Checks of the contents of each kind of chunk and of the complete file, and its summary.

import PureWebP

extension FileAnalysis {
  mutating func processExtended(_ chunk: Chunk) throws(Finding) {
    guard count(.vp8) + count(.vp8L) + count(.vp8X) == 0 else {
      throw Finding("Already seen a VP8/VP8L/VP8X chunk when parsing VP8X chunk.")
    }
    guard chunk.bytes.count == 18 else { throw Finding("Corrupted VP8X chunk.") }
    counts[.vp8X] = 1
    let payload = chunk.paddedPayload
    flags = UInt8(payload.number(at: 0, bytes: 1))
    canvas = (1 + payload.number(at: 4, bytes: 3), 1 + payload.number(at: 7, bytes: 3))
    for (name, flag) in [
      ("ICCP", Flag.icc), ("Alpha", .alpha), ("EXIF", .exif), ("XMP", .xmp), ("Animation", .animation),
    ] {
      list(["  \(name): \(has(flag) ? 1 : 0)"])
    }
    list(["  Canvas size \(canvas.width) x \(canvas.height)"])
    if canvas.width * canvas.height > 1 << 32 { warn("Canvas area is out of range in VP8X chunk.") }
  }

  mutating func processAnimation(_ chunk: Chunk) throws(Finding) {
    guard count(.vp8X) > 0 else { throw Finding("ANIM chunk detected before VP8X chunk.") }
    guard chunk.bytes.count == 14 else { throw Finding("Corrupted ANIM chunk.") }
    counts[.anim, default: 0] += 1
    let payload = chunk.paddedPayload
    let color = payload.prefix(4).reversed().map { String($0, radix: 16).padded(to: 2, with: "0") }
    list(["  Background color:(ARGB) \(color.joined(separator: " "))"])
    list(["  Loop count      : \(payload.number(at: 4, bytes: 2))"])
  }

  mutating func processFrame(_ chunk: Chunk) throws(Finding) {
    guard frame == nil else { throw Finding("ANMF chunk detected within another ANMF chunk.") }
    guard count(.anim) > 0 else { throw Finding("ANMF chunk detected before ANIM chunk.") }
    guard chunk.payload.count > Self.frameHeaderBytes else {
      throw Finding("Truncated data detected when parsing ANMF chunk.")
    }
    counts[.anmf, default: 0] += 1
    let fields = (0..<5).map { chunk.payload.number(at: 3 * $0, bytes: 3) }
    let (x, y, width, height) = (2 * fields[0], 2 * fields[1], 1 + fields[2], 1 + fields[3])
    let bits = chunk.payload.number(at: 15, bytes: 1)
    list(["  Offset_X: \(x)", "  Offset_Y: \(y)", "  Width: \(width)", "  Height: \(height)"])
    list(["  Duration: \(fields[4])", "  Dispose: \(bits & 1)", "  Blend: \(bits >> 1 & 1)"])
    guard x + width <= canvas.width, y + height <= canvas.height else {
      throw Finding("Frame exceeds canvas in ANMF chunk.")
    }
    frame = OpenFrame(width: width, height: height, bytesLeft: chunk.payload.count - Self.frameHeaderBytes)
  }

  mutating func processImage(_ chunk: Chunk) throws(Finding) {
    guard let info = try? WebP.info(chunk.bytes) else {
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
    if let frame {
      try takeImage(of: frame, chunk, info)
    } else {
      try takeStillImage(chunk, info)
    }
    imageCount += 1
    hasAlpha = hasAlpha || info.hasAlpha
    guard options.describesStreams else { return }
    if chunk.kind == .vp8 {
      try LossyReport.append(chunk.paddedPayload, to: &lines)
    } else {
      try LosslessReport.append(chunk.paddedPayload, to: &lines)
    }
  }

  private mutating func takeImage(of frame: OpenFrame, _ chunk: Chunk, _ info: WebP.ImageInfo) throws(Finding) {
    countsInFrames[chunk.kind, default: 0] += 1
    guard chunk.kind != .vp8L || !frame.hasAlpha else {
      throw Finding("Both VP8L and ALPH sub-chunks are present in an ANMF chunk.")
    }
    guard frame.width == info.width, frame.height == info.height else {
      throw Finding("Frame size in VP8/VP8L sub-chunk differs from ANMF header.")
    }
    guard !frame.hasImage else { throw Finding("Consecutive VP8/VP8L sub-chunks in an ANMF chunk.") }
    self.frame?.hasImage = true
  }

  private mutating func takeStillImage(_ chunk: Chunk, _ info: WebP.ImageInfo) throws(Finding) {
    guard count(.vp8) + count(.vp8L) == 0 else { throw Finding("Multiple VP8/VP8L chunks detected.") }
    if chunk.kind == .vp8L && count(.alph) > 0 { warn("Both VP8L and ALPH chunks are detected.") }
    guard count(.anim) + count(.anmf) == 0 else {
      throw Finding("VP8/VP8L chunk and ANIM/ANMF chunk are both detected.")
    }
    guard count(.vp8X) == 0 || canvas == (Int64(info.width), Int64(info.height)) else {
      throw Finding("Image size in VP8/VP8L chunk differs from VP8X chunk.")
    }
    counts[chunk.kind] = 1
  }

  mutating func processAlpha(_ chunk: Chunk) throws(Finding) {
    if let frame {
      countsInFrames[.alph, default: 0] += 1
      guard !frame.hasAlpha else { throw Finding("Consecutive ALPH sub-chunks in an ANMF chunk.") }
      self.frame?.hasAlpha = true
      guard !frame.hasImage else {
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
    guard options.describesStreams else { return }
    if try AlphaReport.append(chunk.paddedPayload, to: &lines) {
      warn("Reserved bits in ALPH chunk header are not all 0.")
    }
  }

  mutating func processProfile() throws(Finding) {
    guard count(.vp8X) > 0 else { throw Finding("ICCP chunk detected before VP8X chunk.") }
    guard count(.vp8) + count(.vp8L) + count(.anim) == 0 else {
      throw Finding("ICCP chunk detected after image data.")
    }
    counts[.iccp, default: 0] += 1
  }

  // MARK: The complete file

  /// The flags of a VP8X chunk (RFC 9649, section 2.7).
  enum Flag: UInt8 {
    case animation = 0x02
    case xmp = 0x04
    case exif = 0x08
    case alpha = 0x10
    case icc = 0x20
  }

  func has(_ flag: Flag) -> Bool { flags & flag.rawValue != 0 }

  /// Checks that the file contains exactly the chunks that VP8X declares.
  mutating func validate() throws(Finding) {
    guard imageCount > 0 else { throw Finding("No image/frame detected.") }
    guard count(.vp8X) > 0 else { return }
    guard has(.alpha) || !hasAlpha else { throw Finding("Unexpected alpha data detected.") }
    if has(.alpha) && !hasAlpha { warn("Alpha flag is set with no alpha data present.") }
    let metadata: [(flag: Flag, kind: WebP.FourCC)] = [(.icc, .iccp), (.exif, .exif), (.xmp, .xmp)]
    for (flag, kind) in metadata where has(flag) && count(kind) == 0 {
      throw Finding("Missing \(name(of: kind)) chunk.")
    }
    for (flag, kind) in metadata where !has(flag) && count(kind) > 0 {
      throw Finding("Unexpected \(name(of: kind)) chunk detected.")
    }
    if has(.animation) {
      guard count(.anim) > 0 else { throw Finding("Missing ANIM chunk.") }
      guard count(.anmf) > 0 else { throw Finding("Missing ANMF chunk.") }
    } else if imageCount > 1 {
      throw Finding("More than 1 frame detected in non-animation file.")
    }
  }

  private func name(of kind: WebP.FourCC) -> String { kind == .xmp ? "XMP" : "\(kind)" }

  mutating func summarize() {
    var line = "Chunk counts: "
    for kind in Self.known {
      line += "\(String(count(kind)).padded(to: 4)) "
      if kind == .anmf {
        let inner = [WebP.FourCC.vp8, .vp8L, .alph].map { String(countsInFrames[$0, default: 0]).padded(to: 4) }
        line += inner.joined(separator: " ") + "  "
      }
    }
    lines += ["Summary:", "Number of frames: \(imageCount)"]
    lines += ["Chunk type  :  VP8 VP8L VP8X ALPH ANIM ANMF(VP8 /VP8L/ALPH) ICCP EXIF  XMP", line]
  }
}
