// Access to rows for the kernels. Bounds are checked once for each row.
//
// Unsafe code: Most other kernels get their pointers here. A precondition checks that the complete row or run is
// within the span. Uninitialized memory is not read before it is written.

extension Span<UInt8> {
  /// A pointer to the `count` bytes at `offset`, valid as long as the span is. Traps unless all are in bounds.
  @inlinable @inline(__always)
  public func row(at offset: Int, count: Int) -> UnsafeRawPointer {
    precondition(offset >= 0 && count > 0 && count <= self.count && offset <= self.count &- count, "row out of bounds")
    return unsafe withUnsafeBytes { unsafe $0.baseAddress.unsafelyUnwrapped + offset }
  }
}

extension MutableSpan<UInt8> {
  /// A pointer to the `count` bytes at `offset`, valid as long as the span is. Traps unless all are in bounds.
  @inlinable @inline(__always)
  public mutating func mutableRow(at offset: Int, count: Int) -> UnsafeMutableRawPointer {
    precondition(offset >= 0 && count > 0 && count <= self.count && offset <= self.count &- count, "row out of bounds")
    return unsafe withUnsafeMutableBytes { unsafe $0.baseAddress.unsafelyUnwrapped + offset }
  }
}

extension UnsafeRawPointer {
  /// The sixteen bytes from `offset` on.
  @inlinable @inline(__always)
  public func bytes(at offset: Int) -> Bytes { unsafe loadUnaligned(fromByteOffset: offset, as: Bytes.self) }

  @inlinable @inline(__always)
  public func byte(at offset: Int) -> UInt8 { unsafe load(fromByteOffset: offset, as: UInt8.self) }
}

extension UnsafeMutableRawPointer {
  /// The sixteen bytes from `offset` on.
  @inlinable @inline(__always)
  public func bytes(at offset: Int) -> Bytes { unsafe loadUnaligned(fromByteOffset: offset, as: Bytes.self) }

  @inlinable @inline(__always)
  public func byte(at offset: Int) -> UInt8 { unsafe load(fromByteOffset: offset, as: UInt8.self) }
}

// Copies of rows of samples. Bounds are checked once for each row.

extension MutableSpan<UInt8> {
  /// Copies `count` bytes. Traps unless all are in bounds.
  @inlinable
  public mutating func copy(_ count: Int, from source: Span<UInt8>, at sourceOffset: Int, to offset: Int) {
    guard count > 0 else { return }
    let row = unsafe mutableRow(at: offset, count: count)
    unsafe row.copyMemory(from: source.row(at: sourceOffset, count: count), byteCount: count)
  }

  /// Sets `count` bytes to `value`. Traps unless all are in bounds.
  @inlinable
  public mutating func fill(_ count: Int, with value: UInt8, at offset: Int) {
    guard count > 0 else { return }
    unsafe _ = mutableRow(at: offset, count: count).initializeMemory(as: UInt8.self, repeating: value, count: count)
  }
}

extension ContiguousArray<UInt8> {
  /// Copies `count` bytes. Traps unless all are in bounds.
  @inlinable
  public mutating func copy(_ count: Int, from source: Span<UInt8>, at sourceOffset: Int, to offset: Int) {
    var span = mutableSpan
    span.copy(count, from: source, at: sourceOffset, to: offset)
  }

  /// Copies `count` bytes from `start` to `position`; the ranges may overlap. Traps unless both are in bounds.
  public mutating func move(_ count: Int, from start: Int, to position: Int) {
    precondition(count > 0 && Swift.min(start, position) >= 0 && Swift.max(start, position) <= self.count - count)
    unsafe withUnsafeMutableBytes { bytes in
      unsafe (bytes.baseAddress! + position).copyMemory(from: bytes.baseAddress! + start, byteCount: count)
    }
  }
}

extension ContiguousArray where Element: BitwiseCopyable & FixedWidthInteger {
  /// Allocates memory without initializing it, which saves a pass over the memory. The caller must not read an element
  /// before writing it.
  @inlinable
  public init(uninitializedCount count: Int) {
    // All empty arrays share one static storage. Setting its count, even to 0, would be a data race.
    guard count > 0 else {
      self = []
      return
    }
    unsafe self.init(unsafeUninitializedCapacity: count) { _, initialized in initialized = count }
  }
}

extension ContiguousArray {
  /// Creates an array of equal elements.
  ///
  /// `init(repeating:count:)` is not specialized: it asks the runtime for the class of the array's memory, which takes
  /// 1,000 instructions. A small image needs about 15 arrays.
  @inlinable @inline(never)
  public init(filledWith element: Element, count: Int) {
    self.init()
    guard count > 0 else { return }  // The shared storage of empty arrays must not be written: see above.
    append(addingCapacity: count) { $0.append(repeating: element, count: count) }
  }
}
