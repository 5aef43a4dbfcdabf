extension ContiguousArray {
  /// Moves the elements out, without a copy, and leaves an empty array.
  ///
  /// For the owner of several arrays whose spans are needed at the same time: a span of a stored property counts as an
  /// access to the complete owner.
  mutating func moved() -> Self {
    var elements: Self = []
    swap(&self, &elements)
    return elements
  }
}
