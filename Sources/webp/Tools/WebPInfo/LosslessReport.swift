/// Reports the header of a VP8L stream and its first transform (RFC 9649, sections 3.3 and 3.5), as webpinfo prints
/// them.
enum LosslessReport {
  static func append(_ payload: ArraySlice<UInt8>, to lines: inout [String]) throws(FileAnalysis.Finding) {
    lines.append("  Parsing lossless bitstream...")
    guard payload.count >= 5 else { throw truncated }
    guard payload.first == 0x2F else { throw FileAnalysis.Finding("Invalid lossless bitstream signature.") }
    var bits = PlainBits(bytes: payload.dropFirst(), order: .lowestFirst)
    do throws(PlainBits.End) {
      let header = (try bits.read(14), try bits.read(14), try bits.read(1), try bits.read(3))
      lines += field("Width", header.0 + 1) + field("Height", header.1 + 1)
      lines += field("Alpha", header.2) + field("Version", header.3)
      try appendTransform(&bits, to: &lines)
    } catch {
      throw truncated
    }
  }

  static func appendTransform(_ bits: inout PlainBits, to lines: inout [String]) throws(PlainBits.End) {
    let usesTransform = try bits.read(1)
    lines += field("Use transform", usesTransform == 1 ? "Yes" : "No")
    guard usesTransform == 1 else { return }
    let type = try bits.read(2)
    let name = ["Predictor", "Cross Color", "Subtract Green", "Color Indexing"][type]
    lines += field("1st transform", "\(name) (\(type))")
    switch type {
    case 0, 1: lines += field("Tran. block size", 4 << (try bits.read(3)))
    case 3: lines += field("No. of colors", try bits.read(8) + 1)
    default: break
    }
  }

  static var truncated: FileAnalysis.Finding { FileAnalysis.Finding("Truncated lossless bitstream.") }
}

/// Reports the header of an ALPH chunk (RFC 9649, section 2.7.1.2), as webpinfo prints it.
enum AlphaReport {
  /// - Returns: true if reserved bits are set.
  static func append(_ payload: ArraySlice<UInt8>, to lines: inout [String]) throws(FileAnalysis.Finding) -> Bool {
    guard payload.count > 1, let header = payload.first else { throw FileAnalysis.Finding("Truncated ALPH chunk.") }
    lines.append("  Parsing ALPH chunk...")
    let (compression, filter, preprocessing) = (header & 3, Int(header >> 2 & 3), header >> 4 & 3)
    let name = ["None", "Horizontal", "Vertical", "Gradient"][filter]
    lines += field("Compression", compression) + field("Filter", "\(name) (\(filter))")
    lines += field("Pre-processing", preprocessing)
    guard compression <= 1 else { throw FileAnalysis.Finding("Invalid Alpha compression method.") }
    guard preprocessing <= 1 else { throw FileAnalysis.Finding("Invalid Alpha pre-processing method.") }
    if compression == 1 {
      var bits = PlainBits(bytes: payload.dropFirst(), order: .lowestFirst)
      do throws(PlainBits.End) {
        try LosslessReport.appendTransform(&bits, to: &lines)
      } catch {
        throw LosslessReport.truncated
      }
    }
    return header >> 6 > 0
  }
}
