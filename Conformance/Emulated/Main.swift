// The conformance suite as an Embedded Swift program. It needs only the C library, so QEMU can run it on other
// processors. The script `on-arm` compiles it, the decoder and the folder Support as one module.

@_extern(c) private func fopen(_ path: UnsafePointer<CChar>, _ mode: UnsafePointer<CChar>) -> OpaquePointer?
@_extern(c) private func fread(
  _ bytes: UnsafeMutableRawPointer, _ size: Int, _ count: Int, _ file: OpaquePointer
) -> Int
@_extern(c) private func fclose(_ file: OpaquePointer) -> Int32

private func contents(of path: String) -> [UInt8] {
  // A missing file is treated as an empty file, which makes the comparison fail.
  guard let file = unsafe fopen(path, "r") else { return [] }
  var bytes: [UInt8] = []
  var count: Int
  repeat {
    count = bytes.count
    bytes += unsafe [UInt8](unsafeUninitializedCapacity: 1 << 16) { memory, size in
      size = unsafe fread(memory.baseAddress.unsafelyUnwrapped, 1, memory.count, file)
    }
  } while bytes.count > count
  _ = unsafe fclose(file)
  return bytes
}

/// The CRC-32 of bytes. Replaces the function that `Support` uses on other platforms, which needs zlib.
func crc32(_ bytes: Span<UInt8>) -> UInt32 {
  var sum = UInt32.max
  for index in bytes.indices {
    sum ^= UInt32(bytes[index])
    for _ in 0..<8 { sum = sum >> 1 ^ (sum & 1) * 0xEDB8_8320 }
  }
  return ~sum
}

/// Returns the number of lines of a table that differ, or 1 if there is no such table.
private func check<Line: TableLine>(_ what: String, _ table: String, of: Line.Type) -> Int {
  let lines = String(decoding: contents(of: "references/\(table)"), as: UTF8.self).split(separator: "\n").dropFirst()
  var differing = 0
  for line in lines {
    let line = Line(line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0) })
    let differences = line.differences(of: contents(of: "vectors/\(line.file)"))
    for difference in differences { print("\(line.file): \(difference)") }
    if !differences.isEmpty { differing += 1 }
  }
  print("\(what): \(lines.count - differing) agree, \(differing) differ")
  return lines.isEmpty ? 1 : differing
}

@_cdecl("main") public func main() -> Int32 {
  let differing =
    check("vectors", "vectors.tsv", of: Reference.self)
    + check("vectors cut at every byte", "prefixes.tsv", of: TruncationCases.self)
    + check("corrupted vectors", "damage.tsv", of: DamageCases.self)
    + check("vectors with options", "options.tsv", of: OptionCase.self)
    + check("finished rows of incomplete files", "incremental.tsv", of: IncrementalRows.self)
    + check("animations", "animations.tsv", of: AnimationReference.self)
  return differing == 0 ? 0 : 1
}
