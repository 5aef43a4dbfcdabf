// The metadata and unknown chunks of a file (RFC 9649, sections 2.7.1.4 to 2.7.1.6). They may be anywhere in the file,
// even in the frames of an animation. If there are several metadata chunks of the same type, the first one applies.
// Corrupt chunks are omitted.

internal import WebPFormat

/// Reads the chunks of a file whose bytes arrive incrementally. Stores the metadata, and no other bytes.
///
/// The chunks of a frame are read like chunks after it, as in `Demuxer`. Reading ends at a chunk that exceeds the file.
struct MetadataCollector: Sendable {
  private(set) var metadata = WebP.Metadata()
  private(set) var facts = ChunkFacts()

  /// Indicates whether no chunk except Exif is stored.
  private let storesExifOnly: Bool
  /// The remaining bytes of `maximumMetadataBytes`.
  private var allowed: Int
  /// The end of the RIFF chunk, or of the file. Later bytes are ignored.
  private var end: Int64
  /// The offset of the next byte.
  private var offset: Int64 = 0
  /// The number of bytes to skip before the next part.
  private var skipped: Int64 = 0
  private var part = Part.riff
  /// The bytes of the current part so far.
  private var bytes: [UInt8] = []

  private enum Part {
    case riff
    case header
    /// The first bytes of a payload. It is metadata, and complete, or it is read by `ChunkFacts`.
    case payload(ChunkHeader, count: Int, isMetadata: Bool)
    /// The end of a payload, which is followed by padding.
    case payloadEnd(FourCC, padding: Int64)
    case end

    var count: Int {
      switch self {
      case .riff: RIFFHeader.byteCount
      case .header: ChunkHeader.byteCount
      case .payload(_, let count, _): count
      case .payloadEnd, .end: 0
      }
    }
  }

  /// - Parameter byteCount: the size of the file, if it is known.
  init(limits: WebP.Limits, byteCount: Int = .max, storesExifOnly: Bool = false) {
    allowed = limits.maximumMetadataBytes
    end = Int64(byteCount)
    self.storesExifOnly = storesExifOnly
  }

  /// Indicates whether no more chunks can follow.
  var isComplete: Bool {
    if case .end = part { true } else { false }
  }

  mutating func append(_ next: Span<UInt8>) {
    var index = 0
    while !isComplete {
      let skip = Int(min(skipped, Int64(next.count - index)))
      skipped -= Int64(skip)
      offset += Int64(skip)
      index += skip
      guard skipped == 0 else { return }
      let taken = min(part.count - bytes.count, next.count - index)
      bytes.append(copying: next.extracting(index..<index + taken))
      offset += Int64(taken)
      index += taken
      guard bytes.count == part.count else { return }
      finishPart()
      bytes.removeAll()
    }
  }

  private mutating func finishPart() {
    switch part {
    case .riff:
      guard let riffEnd = bytes.withSpan({ RIFFHeader.uncheckedEnd($0) }) else {
        part = .end
        return
      }
      facts.byteCount = riffEnd
      end = min(end, riffEnd)
      part = .header
    case .header:
      guard let header = bytes.withSpan({ ChunkHeader($0, at: 0) }), header.size <= end - offset else {
        part = .end
        return
      }
      let isMetadata = take(header.fourCC, header.size)
      let needed = isMetadata ? header.size : facts.begin(header, payload: offset)
      part = .payload(header, count: Int(min(needed, header.paddedPayloadSize)), isMetadata: isMetadata)
    case .payload(let header, let count, let isMetadata):
      if isMetadata { store(header.fourCC) } else { bytes.withSpan { facts.read($0, of: header.fourCC) } }
      if header.fourCC == .anmf {
        part = .header
      } else {
        let size = max(header.size, Int64(count))
        skipped = size - Int64(count)
        part = .payloadEnd(header.fourCC, padding: header.paddedPayloadSize - size)
      }
    case .payloadEnd(let fourCC, let padding):
      facts.finish(fourCC, end: offset)
      skipped = padding
      part = offset + padding + Int64(ChunkHeader.byteCount) > end ? .end : .header
    case .end: break
    }
  }

  private mutating func store(_ fourCC: FourCC) {
    if let kind = WebP.Metadata.Kind(fourCC) {
      metadata[kind] = bytes
    } else {
      metadata.unknown.append(.init(fourCC: WebP.FourCC(fourCC), payload: bytes))
    }
  }

  /// The memory that an array needs in addition to its elements, in bytes.
  private static let unknownCost = 64

  /// Returns whether the chunk is to be stored. If so, reduces `allowed`.
  private mutating func take(_ fourCC: FourCC, _ size: Int64) -> Bool {
    // The header counts too. Otherwise the number of empty chunks would not be limited.
    let cost = Int64(ChunkHeader.byteCount) + size + (fourCC.isKnown ? 0 : Int64(Self.unknownCost))
    guard cost <= Int64(allowed), !storesExifOnly || fourCC == .exif else { return false }
    if let kind = WebP.Metadata.Kind(fourCC) {
      guard metadata[kind] == nil else { return false }
    } else {
      guard !fourCC.isKnown else { return false }
    }
    allowed -= Int(cost)
    return true
  }
}

extension WebP.Metadata {
  init(_ bytes: Span<UInt8>, limits: WebP.Limits) {
    var collector = MetadataCollector(limits: limits, byteCount: bytes.count)
    collector.append(bytes)
    self = collector.metadata
  }
}

extension ChunkHeader {
  /// The size of the payload with its padding.
  fileprivate var paddedPayloadSize: Int64 { paddedSize - Int64(Self.byteCount) }
}
