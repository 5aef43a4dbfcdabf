/// A value stored in a separate object.
///
/// For optional stored properties of classes: destroying an `Optional` struct instantiates type metadata, which costs the
/// first decode of a small image several percent. Destroying an optional reference does not.
final class Boxed<Value>: CopiedOnWrite {
  var value: Value

  init(_ value: Value) { self.value = value }
  init(copying other: Boxed) { value = other.value }
}
