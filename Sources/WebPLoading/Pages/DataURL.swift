import Foundation

extension Data {
  /// What is in a data URL (RFC 2397).
  init(dataURL: URL) throws {
    let text = dataURL.absoluteString
    guard let comma = text.firstIndex(of: ",") else { throw URLError(.badURL) }
    let body = String(text[text.index(after: comma)...])
    if text[..<comma].lowercased().hasSuffix(";base64") {
      guard let data = Data(base64Encoded: body.removingPercentEncoding ?? body, options: .ignoreUnknownCharacters)
      else {
        throw URLError(.badURL)
      }
      self = data
    } else {
      var bytes: [UInt8] = []
      var rest = Array(body.utf8)[...]
      while let byte = rest.popFirst() {
        let digits = String(decoding: rest.prefix(2), as: UTF8.self)
        if byte == UInt8(ascii: "%"), digits.utf8.count == 2, let code = UInt8(digits, radix: 16) {
          bytes.append(code)
          rest = rest.dropFirst(2)
        } else {
          bytes.append(byte)
        }
      }
      self.init(bytes)
    }
  }
}
