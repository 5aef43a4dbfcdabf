internal import WebPFormat

/// The properties of a file that its chunks specify, apart from the image: which metadata it has, and how an animation
/// is played. They follow the same rules as `Demuxer`, but do not require a valid file.
struct ChunkFacts: Sendable {
  /// The size that RIFF specifies for the file. Nil for a bare bitstream.
  var byteCount: Int64?
  /// The feature flags of VP8X. 0 if the first chunk is another one.
  private(set) var features: UInt8 = 0
  private(set) var (hasICC, hasExif, hasXMP) = (false, false, false)
  /// Nil before ANIM.
  private(set) var animation: AnimationHeader?
  /// The number of frames of an animation that are complete.
  private(set) var frameCount = 0
  /// The durations of these frames, in milliseconds.
  private(set) var (storedMilliseconds, displayMilliseconds) = (0, 0)

  private var firstChunk: FourCC?
  /// The end of the current frame, including padding, while its image has not been found. Otherwise 0.
  private var frameEnd: Int64 = 0
  /// The duration of the current frame.
  private var duration = 0

  private var isAnimated: Bool { features & ExtendedHeader.animationFeature != 0 }

  /// Begins a chunk.
  ///
  /// - Parameter payload: the offset of its payload.
  /// - Returns: the number of bytes that `read` needs.
  mutating func begin(_ header: ChunkHeader, payload: Int64) -> Int64 {
    let isFirst = firstChunk == nil
    firstChunk = firstChunk ?? header.fourCC
    switch header.fourCC {
    case .vp8X where isFirst: return 1
    case .anim where firstChunk == .vp8X && animation == nil && header.size >= Int64(AnimationHeader.leastSize):
      return Int64(AnimationHeader.byteCount)
    case .anmf:
      frameEnd = isAnimated && animation != nil ? payload + header.size + header.size & 1 : 0
      duration = 0
      return Int64(AnimationFrameHeader.byteCount)
    case .vp8, .vp8L, .alph: return 0
    default:
      frameEnd = 0
      return 0
    }
  }

  /// Reads the first bytes of a payload, as many as `begin` requested or the payload has.
  mutating func read(_ bytes: Span<UInt8>, of fourCC: FourCC) {
    guard !bytes.isEmpty else { return }
    switch fourCC {
    case .vp8X: features = bytes[0]
    case .anim: animation = AnimationHeader(bytes, at: 0)
    case .anmf: duration = AnimationFrameHeader(bytes, at: 0)?.duration ?? 0
    default: break
    }
  }

  /// Ends a chunk.
  mutating func finish(_ fourCC: FourCC, end: Int64) {
    switch fourCC {
    case .iccp: hasICC = true
    case .exif: hasExif = true
    case .xmp: hasXMP = true
    case .vp8, .vp8L:
      if end <= frameEnd { addFrame() }
      frameEnd = 0
    default: break
    }
  }

  private mutating func addFrame() {
    frameCount += 1
    // The sum may exceed an `Int` of 32 bits.
    storedMilliseconds = Int(clamping: Int64(storedMilliseconds) + Int64(duration))
    displayMilliseconds = Int(
      clamping: Int64(displayMilliseconds) + Int64(AnimationFrameHeader.displayDuration(duration)))
  }
}
