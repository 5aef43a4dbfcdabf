/// Reports the header of a VP8 stream (RFC 6386, section 9), as webpinfo prints it.
///
/// Most fields are coded as bools, but webpinfo reads them as plain bits, and so does this type. Bools of even
/// probability resemble plain bits, so most of the values are correct.
enum LossyReport {
  static func append(_ payload: ArraySlice<UInt8>, to lines: inout [String]) throws(FileAnalysis.Finding) {
    lines.append("  Parsing lossy bitstream...")
    let tag = Int(payload.number(at: 0, bytes: 3))
    let firstPartitionSize = tag >> 5
    guard tag >> 1 & 7 <= 3 else { throw FileAnalysis.Finding("Unknown profile.") }
    guard tag >> 4 & 1 == 1 else { throw FileAnalysis.Finding("Frame is not displayable.") }
    lines += field("Key frame", tag & 1 == 0 ? "Yes" : "No") + field("Profile", tag >> 1 & 7)
    lines += field("Display", "Yes") + field("Part. 0 length", firstPartitionSize)
    guard tag & 1 == 0 else { throw FileAnalysis.Finding("Non-keyframe detected in lossy bitstream.") }
    guard payload.dropFirst(3).starts(with: [0x9D, 0x01, 0x2A]) else {
      throw FileAnalysis.Finding("Invalid lossy bitstream signature.")
    }
    for (index, letter) in ["X", "Y"].enumerated() {
      let side = payload.number(at: 6 + 2 * index, bytes: 2)
      lines += field(letter == "X" ? "Width" : "Height", side & 0x3FFF) + field("\(letter) scale", side >> 14)
    }

    let rest = payload.dropFirst(10)
    guard firstPartitionSize < rest.count else { throw FileAnalysis.Finding("Bad partition length.") }
    var bits = PlainBits(bytes: rest, order: .highestFirst)
    do {
      lines += field("Color space", try bits.read(1)) + field("Clamp type", try bits.read(1))
      try appendSegments(&bits, to: &lines)
      try appendFilter(&bits, to: &lines)
      try appendPartitions(&bits, rest.dropFirst(firstPartitionSize), to: &lines)
      try appendQuantizers(&bits, to: &lines)
    } catch let finding as FileAnalysis.Finding {
      throw finding
    } catch {
      throw FileAnalysis.Finding("Truncated lossy bitstream.")
    }
    guard bits.position >> 3 < firstPartitionSize else { throw FileAnalysis.Finding("Truncated lossy bitstream.") }
  }

  /// Reports the segments (section 9.3).
  private static func appendSegments(_ bits: inout PlainBits, to lines: inout [String]) throws(PlainBits.End) {
    let usesSegments = try bits.read(1)
    lines += field("Use segment", usesSegments)
    guard usesSegments == 1 else { return }
    let (updatesMap, updatesData) = (try bits.read(1), try bits.read(1))
    lines += field("Update map", updatesMap) + field("Update data", updatesData)
    if updatesData == 1 {
      lines += field("Absolute delta", try bits.read(1))
      var numbers: [[Int]] = []
      for count in [7, 6] {
        numbers.append(try (0..<4).map { _ throws(PlainBits.End) in try bits.readOptional(count, isSigned: true) })
      }
      lines += field("Quantizer", numbers[0]) + field("Filter strength", numbers[1])
    }
    if updatesMap == 1 {
      let probabilities = try (0..<3).map { _ throws(PlainBits.End) in try bits.readOptional(8, absent: 255) }
      lines += field("Prob segment", probabilities)
    }
  }

  /// Reports the loop filter (sections 9.4 and 9.6).
  private static func appendFilter(_ bits: inout PlainBits, to lines: inout [String]) throws(PlainBits.End) {
    let header = (try bits.read(1), try bits.read(6), try bits.read(3), try bits.read(1))
    lines += field("Simple filter", header.0) + field("Level", header.1) + field("Sharpness", header.2)
    lines += field("Use lf delta", header.3)
    guard header.3 == 1 else { return }
    let updates = try bits.read(1)
    lines += field("Update lf delta", updates)
    if updates == 1 {
      for _ in 0..<8 { _ = try bits.readOptional(7) }
    }
  }

  /// Reports the token partitions (section 9.5).
  private static func appendPartitions(
    _ bits: inout PlainBits, _ sizes: ArraySlice<UInt8>, to lines: inout [String]
  ) throws {
    let count = 1 << (try bits.read(2))
    guard sizes.count >= 3 * (count - 1) else { throw FileAnalysis.Finding("Truncated lossy bitstream.") }
    lines += field("Total partitions", count)
    var bytesLeft = sizes.count - 3 * (count - 1)
    for index in 1..<count {
      let size = Int(sizes.number(at: 3 * (index - 1), bytes: 3))
      guard size <= bytesLeft else { throw FileAnalysis.Finding("Truncated partition.") }
      lines += field("Part. \(index) length", size)
      bytesLeft -= size
    }
  }

  /// Reports the quantizer indices (section 9.6).
  private static func appendQuantizers(_ bits: inout PlainBits, to lines: inout [String]) throws(PlainBits.End) {
    lines += field("Base Q", try bits.read(7))
    for name in ["Y1 DC", "Y2 DC", "Y2 AC", "UV DC", "UV AC"] {
      lines += field("DQ \(name)", try bits.readOptional(4, isSigned: true))
    }
  }
}

/// Returns a line with a name and a value, in two columns.
func field(_ name: String, _ value: some CustomStringConvertible) -> [String] {
  let label = "  \(name):"
  return [label + String(repeating: " ", count: max(0, 20 - label.count)) + value.description]
}

private func field(_ name: String, _ values: [Int]) -> [String] {
  field(name, values.map(String.init).joined(separator: " "))
}
