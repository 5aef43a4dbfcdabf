extension String {
  /// The same style sheet, with escapes for all characters beyond ASCII (CSS Syntax Level 3, section 4.3.7).
  var asciiCSS: [UInt8] {
    var output: [UInt8] = []
    var isEscaped = false  // by a preceding backslash, which then begins the escape
    for scalar in unicodeScalars {
      if scalar.isASCII {
        output.append(UInt8(scalar.value))
        isEscaped = scalar == "\\" && !isEscaped
      } else {
        // The space ends the escape, whatever follows.
        output += Array("\(isEscaped ? "" : "\\")\(String(scalar.value, radix: 16)) ".utf8)
        isEscaped = false
      }
    }
    return output
  }
}
