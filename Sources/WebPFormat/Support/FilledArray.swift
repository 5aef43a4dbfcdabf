extension ContiguousArray {
  /// Creates an array of equal elements.
  ///
  /// `init(repeating:count:)` is not specialized: it asks the runtime for the class of the array's memory, which takes
  /// 1,000 instructions. A small image needs about 15 arrays.
  @inlinable @inline(never)
  public init(filledWith element: Element, count: Int) {
    self.init()
    append(addingCapacity: count) { $0.append(repeating: element, count: count) }
  }
}
