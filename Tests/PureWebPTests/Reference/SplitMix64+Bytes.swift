import ConformanceGenerator

extension SplitMix64 {
  mutating func bytes(_ count: Int) -> ContiguousArray<UInt8> {
    var bytes: ContiguousArray<UInt8> = []
    for _ in 0..<count { bytes.append(UInt8.random(in: 0...255, using: &self)) }
    return bytes
  }
}
