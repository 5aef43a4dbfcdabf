extension String {
  /// With the character references that URLs and style sheets have in practice: numbers, and the names of the characters
  /// that mark up HTML.
  var resolvingCharacterReferences: String {
    guard contains("&") else { return self }
    let names = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}"]
    var output = ""
    var rest = self[...]
    while let ampersand = rest.firstIndex(of: "&") {
      output += rest[..<ampersand]
      rest = rest[ampersand...]
      guard let end = rest.prefix(12).firstIndex(of: ";") else {
        output.append(rest.removeFirst())
        continue
      }
      let name = rest[rest.index(after: ampersand)..<end]
      var character = names[String(name)]
      if name.hasPrefix("#") {
        let digits = name.dropFirst()
        let isHexadecimal = digits.first == "x" || digits.first == "X"
        let code = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        character = code.flatMap(Unicode.Scalar.init).map { String(Character($0)) }
      }
      guard let character else {
        output.append(rest.removeFirst())
        continue
      }
      output += character
      rest = rest[rest.index(after: end)...]
    }
    return output + rest
  }
}
