// The passes over all bytes of a PNG, whose pixels are not compressed.
//
//     adler = webp_pack(target, pixels, stride, width, rows, channels, adler)
//     crc = webp_crc(bytes, count)

/// Copies rows of R G B A, which are `stride` bytes apart, as rows of `channels` bytes for each pixel. Each copy begins
/// with its filter: 0, none. Continues the Adler-32 checksum. Writes one byte after the last row, too.
@_cdecl("webp_pack")
public func webpPack(
  _ target: UnsafeMutableRawPointer, _ pixels: UnsafeRawPointer, _ stride: Int32, _ width: Int32, _ rows: Int32,
  _ channels: Int32, _ adler: UInt32
) -> UInt32 {
  var low = UInt64(adler & 0xffff)
  var high = UInt64(adler &>> 16)
  var end = unsafe target
  for row in 0..<Int(rows) {
    unsafe end.storeBytes(of: 0, as: UInt8.self)
    unsafe end += 1
    high &+= low
    var pixel = unsafe pixels + row &* Int(stride)
    for _ in 0..<width {
      let samples = unsafe pixel.loadUnaligned(as: UInt32.self)
      unsafe end.storeBytes(of: samples, as: UInt32.self)
      unsafe end += Int(channels)
      unsafe pixel += 4
      let red = UInt64(samples & 255)
      let green = UInt64(samples &>> 8 & 255)
      let blue = UInt64(samples &>> 16 & 255)
      high &+= 3 &* (low &+ red) &+ 2 &* green &+ blue
      low &+= red &+ green &+ blue
      if channels == 4 {
        low &+= UInt64(samples &>> 24)
        high &+= low
      }
    }
    // A row has at most 65,533 bytes, so the sums do not overflow.
    low %= 65521
    high %= 65521
  }
  return UInt32(truncatingIfNeeded: high &<< 16 | low)
}

/// CRC-32, eight bytes at a time.
@_cdecl("webp_crc")
public func webpCRC(_ bytes: UnsafeRawPointer, _ count: Int32) -> UInt32 {
  let table = unsafe tables ?? makeTables()
  var sum = ~UInt32(0)
  var at = 0
  let count = Int(count)
  while at &+ 8 <= count {
    let low = unsafe sum ^ bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self)
    let high = unsafe bytes.loadUnaligned(fromByteOffset: at &+ 4, as: UInt32.self)
    sum = unsafe advanced(low, table + 1024) ^ advanced(high, table)
    at &+= 8
  }
  while at < count {
    let byte = unsafe UInt32(bytes.load(fromByteOffset: at, as: UInt8.self))
    sum = unsafe sum &>> 8 ^ table[Int((sum ^ byte) & 255)]
    at &+= 1
  }
  return ~sum
}

/// The eight tables of `webp_crc`. Nil before its first call.
nonisolated(unsafe) private var tables: UnsafeMutablePointer<UInt32>?

@inline(never)
private func makeTables() -> UnsafeMutablePointer<UInt32> {
  let table = unsafe allocate(8192)!.bindMemory(to: UInt32.self, capacity: 2048)
  for index in 0..<256 {
    var sum = UInt32(truncatingIfNeeded: index)
    for _ in 0..<8 { sum = sum &>> 1 ^ (sum & 1 == 0 ? 0 : 0xedb8_8320) }
    unsafe table[index] = sum
  }
  for index in 256..<2048 {
    let sum = unsafe table[index &- 256]
    unsafe table[index] = sum &>> 8 ^ table[Int(sum & 255)]
  }
  unsafe tables = unsafe table
  return unsafe table
}

/// The sum of four bytes, which four tables continue.
@inline(__always)
private func advanced(_ word: UInt32, _ tables: UnsafeMutablePointer<UInt32>) -> UInt32 {
  unsafe tables[768 &+ Int(word & 255)] ^ tables[512 &+ Int(word &>> 8 & 255)]
    ^ tables[256 &+ Int(word &>> 16 & 255)] ^ tables[Int(word &>> 24)]
}
