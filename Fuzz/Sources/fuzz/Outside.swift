/// Returns true if a token partition in the file starts with 0xFF, which no encoder produces. Decoders, including
/// libwebp, read different bools from it if its bytes arrive incrementally, so the pixels may differ.
///
/// The function considers every position that looks like a frame header, with every number of partitions.
func hasPartitionOutsideOfItsInterval(_ file: [UInt8]) -> Bool {
  func number(at place: Int) -> Int { Int(file[place]) | Int(file[place + 1]) << 8 | Int(file[place + 2]) << 16 }
  guard file.count > 10 else { return false }
  return (0..<file.count - 10).contains { start in
    guard file[start + 3..<start + 6].elementsEqual([0x9D, 0x01, 0x2A]) else { return false }
    let sizes = start + 10 + number(at: start) >> 5
    return [1, 2, 4, 8].contains { count in
      var partition = sizes + 3 * (count - 1)
      for index in 0..<count where partition < file.count {
        if file[partition] == 0xFF { return true }
        if index < count - 1 { partition += number(at: sizes + 3 * index) }
      }
      return false
    }
  }
}
