extension String {
  /// The same style sheet, with escapes for all characters beyond ASCII (CSS Syntax Level 3, section 4.3.7).
  var asciiCSS: [UInt8] {
    var output: [UInt8] = []
    // Indicates whether a backslash precedes the scalar. It then begins the escape, and no second one is written.
    var isEscaped = false
    for scalar in unicodeScalars {
      if scalar.isASCII {
        output.append(UInt8(scalar.value))
        isEscaped = scalar == "\\" && !isEscaped
      } else {
        // Without the space, a following hexadecimal digit would become part of the escape.
        output += Array("\(isEscaped ? "" : "\\")\(String(scalar.value, radix: 16)) ".utf8)
        isEscaped = false
      }
    }
    return output
  }
}
