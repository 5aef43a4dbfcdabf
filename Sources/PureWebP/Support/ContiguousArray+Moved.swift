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
