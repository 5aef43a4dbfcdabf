// Checks of the complete file, and its summary.

import PureWebP

extension FileAnalysis {
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
