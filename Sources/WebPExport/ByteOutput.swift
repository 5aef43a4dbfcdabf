// Numbers as bytes: big-endian in PNG, little-endian in BMP and TIFF.

extension ContiguousArray<UInt8> {
  mutating func appendBigEndian(_ number: UInt32) {
    for shift in stride(from: 24 as UInt32, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: number >> shift)) }
  }

  mutating func appendLittleEndian(_ number: UInt32) {
    for shift in stride(from: 0 as UInt32, through: 24, by: 8) { append(UInt8(truncatingIfNeeded: number >> shift)) }
  }

  mutating func appendLittleEndian(_ number: UInt16) {
    append(UInt8(truncatingIfNeeded: number))
    append(UInt8(truncatingIfNeeded: number >> 8))
  }

  mutating func append(zeros count: Int) { append(contentsOf: repeatElement(0, count: count)) }
}
