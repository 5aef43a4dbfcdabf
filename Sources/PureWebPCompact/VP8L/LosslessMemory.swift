// The memory of lossless decoding is one array of words: tables of prefix codes, subresolution images, the color cache,
// and the ring of pixels. One array with one owner needs the least code. A position is an index of this array.
//
//     0         16                   lengthsEnd
//     ├ counts ─┼ lengths ───────────┼ allocations, contiguous … ┤
//
// The words at the beginning belong to the prefix code that is being read (PrefixCodeReader.swift).

/// The words, and the number of words that are in use.
struct LosslessMemory {
  var words: ContiguousArray<UInt32> = []
  /// The first free word.
  var used = lengthsEnd

  /// The position of the lengths. The largest alphabet, the green symbols, determines their maximum number.
  static let lengths = 16
  static let lengthsEnd = lengths + 256 + 24 + 2048

  /// Allocates words and sets them to 0.
  ///
  /// - Returns: the index of the first one.
  @inline(never)
  mutating func allocate(_ count: Int) -> Int {
    let start = used
    let end = start + count
    used = end
    if end > words.count {
      // A quarter more than necessary, so that the array rarely grows.
      var larger = ContiguousArray<UInt32>(repeating: 0, count: end + end / 4)
      var target = larger.mutableSpan
      for index in words.indices { target[index] = words[index] }
      words = larger
    }
    var span = words.mutableSpan
    for index in start..<end { span[index] = 0 }
    return start
  }
}
