import CommandSystem

// JSON (RFC 8259) for programs.

/// Returns a JSON object. The values of `members` must be JSON.
func jsonObject(_ members: [(name: String, value: String)]) -> String {
  "{" + members.map { "\"\($0.name)\": \($0.value)" }.joined(separator: ", ") + "}"
}

/// Returns the members that name a file. JSON is UTF-8, so a name that is not UTF-8 is also given in Base64.
func jsonMembers(ofFile path: String) -> [(name: String, value: String)] {
  let text = path.withoutStandIns
  let exact = text == path ? [] : [("fileBase64", base64(Array(path.systemBytes)).jsonLiteral)]
  return [("file", text.jsonLiteral)] + exact
}

/// Returns the members that describe an error, or none.
func jsonMembers(of failure: Failure?) -> [(name: String, value: String)] {
  failure.map { [("error", $0.reason.jsonLiteral), ("kind", $0.kind.jsonLiteral)] } ?? []
}

/// Returns the JSON object for a file of which only the error is reported, if there is one.
func jsonObject(ofFile path: String, _ failure: Failure?) -> String {
  jsonObject(jsonMembers(ofFile: path) + jsonMembers(of: failure))
}

extension String {
  /// The text as a JSON string (RFC 8259, section 7), without bytes that are not UTF-8. Characters that control a
  /// terminal are escaped too, and the private ones that the output would replace by bytes.
  var jsonLiteral: String {
    var literal = "\""
    for scalar in withoutStandIns.unicodeScalars {
      switch scalar {
      case "\"", "\\": literal += "\\\(scalar)"
      case _ where scalar.controlsTerminal || scalar.value >= 0x10_FF80:
        for unit in String(scalar).utf16 { literal += "\\u" + String(unit, radix: 16).padded(to: 4, with: "0") }
      default: literal.unicodeScalars.append(scalar)
      }
    }
    return literal + "\""
  }
}
