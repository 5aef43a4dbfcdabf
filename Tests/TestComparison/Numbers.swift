/// The properties of a value by their names, and -1 for what is no `Int`.
package func numbers(of value: Any) -> [String: Int] {
  let properties = Mirror(reflecting: value).children
  return Dictionary(uniqueKeysWithValues: properties.map { ($0.label ?? "", $0.value as? Int ?? -1) })
}
