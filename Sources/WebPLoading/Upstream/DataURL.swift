import Foundation

extension Data {
  /// Decodes a data URL (RFC 2397) as browsers do (Fetch Standard, section 6): the fragment is ignored, and Base64 may
  /// lack padding.
  package init(dataURL: URL) throws {
    let text = dataURL.absoluteString.prefix { $0 != "#" }
    guard let comma = text.firstIndex(of: ",") else { throw URLError(.badURL, "the data URL has no comma") }
    let body = [UInt8](percentDecoding: text[text.index(after: comma)...])
    guard text[..<comma].lowercased().hasSuffix(";base64") else {
      self.init(body)
      return
    }
    // ASCII white space (Infra Standard, section 4.6).
    var digits = body.filter { ![9, 10, 12, 13, 32].contains($0) }
    // Padding is one or two characters that complete the last group of four (Infra Standard, section 7).
    if digits.count % 4 == 0 { for _ in 0..<2 where digits.last == .equals { digits.removeLast() } }
    let padding = repeatElement(UInt8.equals, count: (4 - digits.count % 4) % 4)
    guard !digits.contains(.equals), let data = Data(base64Encoded: Data(digits + padding)) else {
      throw URLError(.badURL, "the data URL has invalid Base64")
    }
    self = data
  }
}

extension [UInt8] {
  /// The bytes of a part of a URL after percent-decoding.
  fileprivate init(percentDecoding text: Substring) {
    self.init()
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let high = rest.first?.hexDigit, let low = rest.dropFirst().first?.hexDigit {
        append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        append(byte)
      }
    }
  }
}

extension UInt8 {
  fileprivate var hexDigit: UInt8? { Character(Unicode.Scalar(self)).hexDigitValue.map { UInt8($0) } }
}
