import Foundation

/// The keywords of JSON Schema (draft 2020-12) that Documentation/command-output.schema.json uses.
struct JSONSchema {
  private let root: [String: Any]

  init(_ file: URL) throws {
    root = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any] ?? [:]
  }

  /// Returns the first violation of the schema, or nil.
  func violation(in value: Any) -> String? { violation(in: value, root, "$") }

  private static let known: Set = [
    "$ref", "anyOf", "type", "enum", "minimum", "maximum", "items", "properties", "required", "dependentRequired",
    "additionalProperties", "description", "title", "$schema", "$defs",
  ]

  private func violation(in value: Any, _ schema: [String: Any], _ path: String) -> String? {
    if let unknown = schema.keys.first(where: { !Self.known.contains($0) }) { return "unknown keyword \(unknown)" }
    if let reference = schema["$ref"] as? String {
      let definitions = root["$defs"] as? [String: [String: Any]]
      guard let target = definitions?[String(reference.dropFirst("#/$defs/".count))] else { return "no \(reference)" }
      return violation(in: value, target, path)
    }
    if let choices = schema["anyOf"] as? [[String: Any]] {
      let violations = choices.map { violation(in: value, $0, path) }
      return violations.contains(nil) ? nil : "\(violations.compactMap { $0 })"
    }
    let types = schema["type"] as? [String] ?? (schema["type"] as? String).map { [$0] }
    if let types, !types.contains(where: { isType(value, $0) }) { return "\(path): \(value) is not \(types)" }
    if let cases = schema["enum"] as? [Any], !cases.contains(where: { ($0 as? NSObject) == (value as? NSObject) }) {
      return "\(path): \(value) is not one of \(cases)"
    }
    if let number = value as? Int, isType(value, "integer") {
      if number < schema["minimum"] as? Int ?? .min || number > schema["maximum"] as? Int ?? .max {
        return "\(path): \(number) is out of range"
      }
    }
    if let items = schema["items"] as? [String: Any], let elements = value as? [Any] {
      return elements.enumerated().lazy.compactMap { violation(in: $1, items, "\(path)[\($0)]") }.first
    }
    return (value as? [String: Any]).flatMap { violation(ofMembers: $0, schema, path) }
  }

  private func violation(ofMembers object: [String: Any], _ schema: [String: Any], _ path: String) -> String? {
    var required = schema["required"] as? [String] ?? []
    for (name, others) in schema["dependentRequired"] as? [String: [String]] ?? [:] where object[name] != nil {
      required += others
    }
    if let missing = required.first(where: { object[$0] == nil }) { return "\(path) has no \(missing)" }
    let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
    for (name, value) in object {
      if let property = properties[name] ?? schema["additionalProperties"] as? [String: Any] {
        if let found = violation(in: value, property, "\(path).\(name)") { return found }
      } else if schema["additionalProperties"] as? Bool == false {
        return "\(path) has the unknown member \(name)"
      }
    }
    return nil
  }

  private func isType(_ value: Any, _ name: String) -> Bool {
    // The parser represents numbers and booleans by the same class.
    let isBoolean = (value as? NSNumber).map { unsafe String(cString: $0.objCType) == "c" } ?? false
    return switch name {
    case "null": value is NSNull
    case "boolean": isBoolean
    case "integer": !isBoolean && value is Int
    case "string": value is String
    case "array": value is [Any]
    case "object": value is [String: Any]
    default: false
    }
  }
}
