import PureWebP

/// Returns a number with its noun: `1 frame`, `2 frames`.
func counted(_ number: Int, _ name: String) -> String { "\(number) \(name)\(number == 1 ? "" : "s")" }

/// Returns a number of bytes with a suitable unit: `640 bytes`, `25 MB`, `8.6 GB`.
func byteSize(_ count: Int) -> String {
  if count < 1_000_000 { return counted(count, "byte") }
  if count < 1_000_000_000 { return "\((count + 500_000) / 1_000_000) MB" }
  let tenths = count / 100_000_000
  return "\(tenths / 10).\(tenths % 10) GB"
}

/// The message for a frame number that a file does not have.
func noFrame(_ number: Int, of count: Int) -> String {
  "there is no frame \(number); it has \(count), counted from 0"
}

/// Returns a frame's number for a file name. It has leading zeros, so that the names sort in the order of the frames.
func frameNumber(_ index: Int, of count: Int) -> String {
  String(index).padded(to: max(4, String(count - 1).count), with: "0")
}

/// Returns a time in seconds with three decimals, as C's `%.3fs` prints it.
func seconds(_ time: Double) -> String {
  let milliseconds = Int((time * 1000).rounded(.toNearestOrEven))
  return "\(milliseconds / 1000).\(String(milliseconds % 1000).padded(to: 3, with: "0"))s"
}

extension String {
  /// The text, right-aligned in `width` characters. Longer text is unchanged.
  func padded(to width: Int, with character: Character = " ") -> String {
    String(repeating: character, count: max(0, width - count)) + self
  }
}

extension String {
  /// The text as an operand in a line for the shell, in quotes if the shell would interpret it.
  var quoted: String {
    let text = hasPrefix("-") && self != "-" ? "./" + self : self
    let isPlain = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_./:".contains($0)) }
    return isPlain && !text.isEmpty ? text : "'\(text.replacing("'", with: #"'\''"#))'"
  }
}

extension WebP.ImageInfo.Compression {
  /// The name of the case. String interpolation is not used, because it finds the name by reflection, which takes as
  /// long as decoding an icon.
  var name: String {
    switch self {
    case .lossy: "lossy"
    case .lossless: "lossless"
    case .unspecified: "unspecified"
    }
  }
}

/// Encodes bytes as Base64 (RFC 4648, section 4).
func base64(_ bytes: [UInt8]) -> String {
  let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  var text: [UInt8] = []
  text.reserveCapacity((bytes.count + 2) / 3 * 4)
  for start in stride(from: 0, to: bytes.count, by: 3) {
    let group = bytes[start..<min(bytes.count, start + 3)]
    let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
    for index in 0..<4 {
      text.append(index <= group.count ? alphabet[bits >> (18 - 6 * index) & 63] : UInt8(ascii: "="))
    }
  }
  return String(decoding: text, as: UTF8.self)
}
