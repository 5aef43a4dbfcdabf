/// The state of a value type, in an object that copies of the value share until one of them changes it.
///
/// Methods of the object change it in place, so a mutating method of the value calls them on `unique()`.
///
/// Stored properties have no default values, not even an implicit nil. So a property that `init(copying:)` forgets does
/// not compile. Structs would be copied in one assignment, but nested structs of this size take 250 KB of code to copy.
protocol CopiedOnWrite: AnyObject {
  init(copying other: Self)
}

extension CopiedOnWrite {
  /// The object that `reference` refers to, which is replaced by a copy if other values share it.
  static func unique(_ reference: inout Self) -> Self {
    if !isKnownUniquelyReferenced(&reference) { reference = Self(copying: reference) }
    return reference
  }
}

extension Optional where Wrapped: CopiedOnWrite {
  /// The object, which is replaced by a copy if other values share it.
  mutating func unique() -> Wrapped? {
    if !isKnownUniquelyReferenced(&self) { self = map { Wrapped(copying: $0) } }
    return self
  }
}

extension ContiguousArray {
  /// Moves the elements out, without a copy, and leaves an empty array.
  ///
  /// Used if an object or a struct owns several arrays and their spans are needed at the same time. A span of a stored
  /// property counts as an access to its complete owner, so that two such spans would conflict.
  mutating func moved() -> Self {
    var elements: Self = []
    swap(&self, &elements)
    return elements
  }
}
