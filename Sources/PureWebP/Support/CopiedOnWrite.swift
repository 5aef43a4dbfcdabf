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
