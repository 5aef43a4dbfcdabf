import PureWebP
internal import WebPFormat

/// The header fields of bitstreams as lines of text. The decoder's own parsers read the fields.
enum StreamHeaders {
  /// Returns the fields of a VP8 frame (RFC 6386, section 9).
  static func lossy(_ payload: ArraySlice<UInt8>) throws(FileStructure.Fault) -> [String] {
    let bytes = Array(payload).span
    guard let tag = FrameTag(bytes, at: 0, chunkSize: Int64(bytes.count)) else { throw .init("invalid frame tag") }
    let frame: PartitionLayout
    do throws(FormatError) {
      guard let layout = try PartitionLayout(tag, at: 0, chunkSize: Int64(bytes.count), bytes, isComplete: true) else {
        throw FormatError(.truncatedFirstPartition)
      }
      frame = layout
    } catch {
      throw .init("\(error.cause.text)")
    }
    let (header, filter, quantizer) = (frame.header, frame.header.filter, frame.header.quantizer)
    var lines = [
      field("profile", bytes[0] >> 1 & 7), field("scale", "\(bytes[7] >> 6), \(bytes[9] >> 6)"),
      field("first partition", counted(tag.firstPartitionSize, "byte")),
      field("token partitions", frame.sizes(of: bytes).map(String.init).joined(separator: ", ") + " bytes"),
      field(
        "loop filter",
        "\(filter.isSimple ? "simple" : "normal"), level \(filter.level), sharpness \(filter.sharpness)"),
    ]
    if filter.usesDeltas {
      lines.append(field("filter deltas", "\(text(filter.referenceDeltas)); modes \(text(filter.modeDeltas))"))
    }
    let deltas = [quantizer.y1DC, quantizer.y2DC, quantizer.y2AC, quantizer.uvDC, quantizer.uvAC]
    let names = ["Y1 DC", "Y2 DC", "Y2 AC", "UV DC", "UV AC"]
    let differences = zip(names, deltas).filter { $0.1 != 0 }.map { ", \($0.0) \($0.1 > 0 ? "+" : "")\($0.1)" }
    lines.append(field("quantizer", "\(quantizer.base)\(differences.joined())"))
    let segments = header.segmentation
    if segments.isEnabled {
      let kind = segments.usesAbsoluteValues ? "absolute" : "relative"
      lines.append(
        field("segments", "quantizers \(text(segments.quantizers)), levels \(text(segments.filterLevels)), \(kind)"))
      if segments.updatesMap { lines.append(field("segment tree", text(segments.treeProbabilities))) }
    }
    if let skip = header.skipProbability { lines.append(field("skip probability", skip)) }
    return lines
  }

  /// Returns the fields of a VP8L stream, and its first transform (RFC 9649, sections 3.4 and 4).
  static func lossless(_ payload: ArraySlice<UInt8>) throws(FileStructure.Fault) -> [String] {
    guard let header = LosslessHeader(Array(payload).span, at: 0) else { throw .init("invalid image header") }
    return [
      field("alpha hint", header.hasAlpha),
      field("first transform", try firstTransform(payload.dropFirst(LosslessHeader.byteCount))),
    ]
  }

  /// Returns the fields of an ALPH chunk (RFC 9649, section 2.7.1.2).
  static func alpha(_ payload: ArraySlice<UInt8>) throws(FileStructure.Fault) -> [String] {
    guard payload.count > 1, let header = payload.first else { throw .init("it has no data") }
    let (compression, preprocessing) = (header & 3, header >> 4 & 3)
    guard compression <= 1 else { throw .init("unknown compression \(compression)") }
    guard preprocessing <= 1 else { throw .init("unknown preprocessing \(preprocessing)") }
    return [
      field("compression", compression == 0 ? "none" : "lossless"),
      field("filter", ["none", "horizontal", "vertical", "gradient"][Int(header >> 2 & 3)]),
      field("preprocessing", preprocessing == 0 ? "none" : "level reduction"),
    ] + (compression == 0 ? [] : [field("first transform", try firstTransform(payload.dropFirst()))])
  }

  /// The bits are read from the lowest one on: 1 if a transform follows, its type, and the type's parameter.
  private static func firstTransform(_ bytes: ArraySlice<UInt8>) throws(FileStructure.Fault) -> String {
    guard !bytes.isEmpty else { throw .init("truncated image") }
    let bits = bytes.number(at: 0, bytes: 2)
    guard bits & 1 == 1 else { return "none" }
    return switch bits >> 1 & 3 {
    case 0: "predictor, blocks of \(4 << (bits >> 3 & 7))"
    case 1: "color, blocks of \(4 << (bits >> 3 & 7))"
    case 2: "subtract green"
    default: "color indexing, \(counted(Int(bits >> 3 & 255) + 1, "color"))"
    }
  }

  private static func field(_ name: String, _ value: some CustomStringConvertible) -> String {
    "           \(name): \(value)"
  }

  private static func text<Numbers: SIMD>(_ numbers: Numbers) -> String where Numbers.Scalar: CustomStringConvertible {
    numbers.indices.map { "\(numbers[$0])" }.joined(separator: " ")
  }
}

extension PartitionLayout {
  /// The sizes of the token partitions, in bytes.
  fileprivate func sizes(of bytes: Span<UInt8>) -> [Int] {
    (0..<tokenPartitions.count).map { tokenPartitions.range($0, bytes).clamped(to: 0..<bytes.count).count }
  }
}
