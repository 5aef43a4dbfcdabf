/// The state of a public value, which copies of the value share until one of them changes it.
///
/// The state is a struct, and so are all its parts, so a copy of it has all of its properties.
@propertyWrapper
struct CopiedOnWrite<State> {
  private final class Storage {
    var state: State
    init(_ state: State) { self.state = state }
  }

  private var storage: Storage

  init(wrappedValue: State) { storage = Storage(wrappedValue) }

  var wrappedValue: State {
    _read { yield storage.state }
    _modify {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.state) }
      yield &storage.state
    }
  }
}

/// `@unchecked` is safe because only a unique owner changes the storage.
extension CopiedOnWrite: @unchecked Sendable where State: Sendable {}
