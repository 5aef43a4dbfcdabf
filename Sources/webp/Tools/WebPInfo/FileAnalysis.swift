import PureWebP

/// Lists and checks all chunks of a file, with the checks and messages of libwebp's webpinfo.
///
/// The checks are stricter than the decoder's. For example, all chunks that VP8X declares must exist. The report is
/// produced in parts, because it may be much longer than the file.
struct FileAnalysis {
  /// The contents of the report.
  struct Options {
    var listsChunks = true
    var describesStreams = false
    var summarizes = false
  }

  /// The error that ends an analysis, in webpinfo's words.
  struct Finding: Error {
    let text: String

    init(_ text: String) { self.text = text }
  }

  /// The chunks that webpinfo knows, in the order of its summary.
  static let known: [WebP.FourCC] = [.vp8, .vp8L, .vp8X, .alph, .anim, .anmf, .iccp, .exif, .xmp]

  let bytes: [UInt8]
  let options: Options

  /// The lines that describe the last part: the header, a chunk, or the complete file.
  var lines: [String] = []
  /// The errors and warnings for the last part, in the order of detection.
  private(set) var findings: [String] = []
  private(set) var warningCount = 0
  private(set) var isSound = true
  private var isComplete = false

  var position = 0
  var end = 0
  var counts: [WebP.FourCC: Int] = [:]
  var countsInFrames: [WebP.FourCC: Int] = [:]
  var imageCount = 0
  var hasAlpha = false
  var flags: UInt8 = 0
  var canvas: (width: Int64, height: Int64) = (0, 0)
  var frame: OpenFrame?

  /// An ANMF chunk whose own chunks are being read.
  struct OpenFrame {
    let width: Int64
    let height: Int64
    var bytesLeft: Int
    var hasAlpha = false
    var hasImage = false
  }

  init(_ bytes: [UInt8], _ options: Options) {
    self.bytes = bytes
    self.options = options
    end = bytes.count
  }

  /// Checks the next part.
  ///
  /// - Returns: false if all parts were checked.
  mutating func advance() -> Bool {
    guard isSound, !isComplete else { return false }
    (lines, findings) = ([], [])
    do throws(Finding) {
      if position == 0 {
        try readHeader()
      } else if position < end {
        try process(try readChunk())
      } else {
        isComplete = true
        if options.summarizes { summarize() }
        try validate()
      }
    } catch {
      fail(error)
    }
    return true
  }

  private mutating func fail(_ finding: Finding) {
    isSound = false
    findings.append("Error: \(finding.text)")
  }

  mutating func warn(_ text: String) {
    findings.append("Warning: \(text)")
    warningCount += 1
  }

  mutating func list(_ newLines: [String]) {
    if options.listsChunks { lines += newLines }
  }

  func count(_ kind: WebP.FourCC) -> Int { counts[kind, default: 0] }
}

// MARK: Reading chunks

extension FileAnalysis {
  private mutating func readHeader() throws(Finding) {
    guard bytes.count >= 20 else { throw Finding("Truncated data detected when parsing RIFF header.") }
    guard WebP.isWebP(prefix: bytes) else { throw Finding("Corrupted RIFF header.") }
    let size = bytes[...].number(at: 4, bytes: 4)
    guard size >= 8 else { throw Finding("RIFF size is too small.") }
    guard size <= Chunk.maximumPayload else { throw Finding("RIFF size is over limit.") }
    list(["RIFF HEADER:", "  File size: \(String(Int32(truncatingIfNeeded: size + 8)).padded(to: 6))"])
    guard size + 8 <= bytes.count else { throw Finding("Truncated data detected when parsing RIFF payload.") }
    if size + 8 < bytes.count {
      warn("RIFF size is smaller than the file size.")
      end = Int(size + 8)
    }
    position = 12
  }

  private mutating func readChunk() throws(Finding) -> Chunk {
    let chunk = try Chunk(bytes[position..<end])
    let isFrame = chunk.kind == .anmf
    guard !isFrame || chunk.payload.count.isMultiple(of: 2) else {
      throw Finding("ANMF chunk size should always be even.")
    }
    // The chunks in a frame are read one by one, after its header.
    position += isFrame ? Chunk.headerBytes + Self.frameHeaderBytes : chunk.bytes.count
    return chunk
  }

  private mutating func process(_ chunk: Chunk) throws(Finding) {
    let (offset, size) = (String(chunk.bytes.startIndex).padded(to: 6), String(chunk.bytes.count).padded(to: 6))
    let location = "at offset \(offset), length \(size)"
    if Self.known.contains(chunk.kind) {
      list(["Chunk \(chunk.kind) \(location)"])
    } else {
      warn(String("Unknown chunk \(location)".prefix(49)))
    }
    do throws(Finding) {
      try processPayload(of: chunk)
    } catch {
      fail(error)
    }
    // The size of a chunk in a frame is checked even if its payload is invalid.
    if chunk.kind != .anmf { try closeFrame(after: chunk) }
  }

  private mutating func processPayload(of chunk: Chunk) throws(Finding) {
    switch chunk.kind {
    case .vp8, .vp8L: try processImage(chunk)
    case .vp8X: try processExtended(chunk)
    case .alph: try processAlpha(chunk)
    case .anim: try processAnimation(chunk)
    case .anmf: try processFrame(chunk)
    case .iccp: try processProfile()
    case .exif, .xmp: counts[chunk.kind, default: 0] += 1
    default: break
    }
  }

  private mutating func closeFrame(after chunk: Chunk) throws(Finding) {
    guard var frame else { return }
    guard frame.bytesLeft >= chunk.bytes.count else {
      throw Finding("Truncated data detected when parsing ANMF chunk.")
    }
    frame.bytesLeft -= chunk.bytes.count
    self.frame = frame.bytesLeft > 0 ? frame : nil
    guard frame.bytesLeft > 0 || frame.hasImage else {
      throw Finding("No VP8/VP8L chunk detected in an ANMF chunk.")
    }
  }

  static let frameHeaderBytes = 16
}
