import PureWebP

/// Lists the chunks of a file (RFC 9649, section 2), and checks that they fit together.
///
/// The checks are stricter than the decoder's. For example, all chunks that VP8X declares must exist. The list is
/// produced in parts, because it may be much longer than the file.
struct FileStructure {
  /// An error that ends the list.
  struct Fault: Error {
    let text: String

    init(_ text: String) { self.text = text }
  }

  /// The lines for the last part: the RIFF header, a chunk, or the end of the file.
  private(set) var lines: [String] = []
  private(set) var fault: Fault?
  private(set) var warningCount = 0

  private let bytes: [UInt8]
  private let showsWarnings: Bool
  /// The offset of the next chunk.
  private var position = 0
  /// The end of the RIFF container.
  private var end: Int
  private var isComplete = false
  /// The chunks outside of frames, and in frames.
  private var counts: [WebP.FourCC: Int] = [:]
  private var countsInFrames: [WebP.FourCC: Int] = [:]
  private var hasAlpha = false
  private var canvas: (features: UInt8, width: Int, height: Int)?
  private var frame: OpenFrame?

  /// An ANMF chunk whose own chunks are being listed.
  private struct OpenFrame {
    let width: Int
    let height: Int
    let end: Int
    var hasAlpha = false
    var hasImage = false
  }

  /// - Parameter showsWarnings: whether `lines` contains warnings.
  init(_ bytes: [UInt8], showsWarnings: Bool) {
    self.bytes = bytes
    self.showsWarnings = showsWarnings
    end = bytes.count
  }

  /// Lists and checks the next part.
  ///
  /// - Returns: false if all parts were checked.
  mutating func advance() -> Bool {
    guard fault == nil, !isComplete else { return false }
    lines = []
    do throws(Fault) {
      if position == 0 {
        try listHeader()
      } else if position < end {
        try listChunk()
      } else {
        isComplete = true
        try checkCompleteness()
      }
    } catch {
      fault = error
    }
    return true
  }

  /// The numbers of chunks of each kind, such as `1 VP8X, 2 ANMF (1 VP8, 1 VP8L)`.
  var summary: String {
    func list(_ counts: [WebP.FourCC: Int]) -> String {
      Self.known.compactMap { kind in counts[kind].map { "\($0) \(kind.name)" } }.joined(separator: ", ")
    }
    let inner = list(countsInFrames)
    return list(counts) + (inner.isEmpty ? "" : "; in frames: \(inner)")
  }

  private mutating func warn(_ text: String) {
    warningCount += 1
    if showsWarnings { lines.append("  warning: \(text)") }
  }

  private static let known: [WebP.FourCC] = [.vp8X, .iccp, .anim, .anmf, .alph, .vp8, .vp8L, .exif, .xmp]

  private func count(_ kinds: WebP.FourCC...) -> Int { kinds.reduce(0) { $0 + counts[$1, default: 0] } }

  private func number(_ offset: Int, _ count: Int) -> Int { Int(clamping: bytes[...].number(at: offset, bytes: count)) }

  // MARK: Parts

  private mutating func listHeader() throws(Fault) {
    guard WebP.isWebP(prefix: bytes), bytes.starts(with: "RIFF".utf8) else { throw Fault("no RIFF header") }
    guard bytes.count >= 20 else { throw Fault("the file ends in its first \(bytes.count) bytes") }
    let size = bytes[...].number(at: 4, bytes: 4)
    guard size >= 8, size <= 0xFFFF_FFF6 else { throw Fault("invalid RIFF size \(size)") }
    lines = [line(0, "RIFF", Int(clamping: size))]
    guard size + 8 <= bytes.count else { throw Fault("the file has \(bytes.count) of \(size + 8) bytes") }
    end = Int(size) + 8
    if end < bytes.count { warn("\(counted(bytes.count - end, "byte")) after the RIFF container") }
    position = 12
  }

  private mutating func listChunk() throws(Fault) {
    let start = position
    let limit = frame?.end ?? end
    guard limit - start >= 8 else { throw Fault("incomplete chunk header at byte \(start)") }
    let kind = WebP.FourCC(rawValue: UInt32(truncatingIfNeeded: number(start, 4)))
    let size = bytes[...].number(at: start + 4, bytes: 4)
    guard size + size & 1 <= limit - start - 8 else {
      let container = frame == nil ? "file" : "frame"
      throw Fault("\(kind.name) at byte \(start) exceeds the \(container): \(size) bytes")
    }
    let payload = bytes[start + 8..<start + 8 + Int(size)]
    position = start + 8 + payload.count + payload.count & 1
    lines = [line(start, "\(kind)", payload.count)]
    if frame == nil { counts[kind, default: 0] += 1 } else { countsInFrames[kind, default: 0] += 1 }
    do throws(Fault) { try check(kind, payload) } catch {
      throw Fault("\(error.text) (\(kind.name) at byte \(start))")
    }
    if let frame, kind != .anmf, position >= frame.end {
      self.frame = nil
      if !frame.hasImage { throw Fault("the frame that ends at byte \(frame.end) has no image") }
    }
  }

  private func line(_ offset: Int, _ name: String, _ size: Int) -> String {
    let indent = frame == nil ? "" : "  "
    return "\(String(offset).padded(to: 9))  \(indent)\(name)  \(counted(size, "byte"))"
  }

  /// Appends a description to the line of the chunk.
  private mutating func describe(_ text: String) { lines[lines.count - 1] += ": \(text)" }

  private mutating func check(_ kind: WebP.FourCC, _ payload: ArraySlice<UInt8>) throws(Fault) {
    switch kind {
    case .vp8X: try checkExtendedHeader(payload)
    case .anim: try checkAnimation(payload)
    case .anmf: try checkFrame(payload)
    case .alph: try checkAlpha(payload)
    case .vp8, .vp8L: try checkImage(kind, payload)
    case .iccp:
      if count(.vp8X) == 0 { throw Fault("no VP8X chunk precedes it") }
      if count(.vp8, .vp8L, .anim) > 0 { throw Fault("it follows image data") }
    case .exif, .xmp: break
    default: warn("unknown chunk")
    }
  }

  // MARK: Chunks

  private mutating func checkExtendedHeader(_ payload: ArraySlice<UInt8>) throws(Fault) {
    guard count(.vp8X) == 1, count(.vp8, .vp8L) == 0 else { throw Fault("it follows an image or another VP8X chunk") }
    guard payload.count == 10 else { throw Fault("it must have 10 bytes") }
    let (width, height) = (1 + number(payload.startIndex + 4, 3), 1 + number(payload.startIndex + 7, 3))
    canvas = (payload.first ?? 0, width, height)
    let features = Self.features.filter { has($0.bit) }.map(\.name)
    describe((["\(width) × \(height)"] + features).joined(separator: ", "))
    if counts.values.reduce(0, +) > 1 { warn("VP8X is not the first chunk") }
    if Int64(width) * Int64(height) > 1 << 32 { warn("the canvas has more than 2^32 pixels") }
  }

  private mutating func checkAnimation(_ payload: ArraySlice<UInt8>) throws(Fault) {
    guard count(.vp8X) > 0 else { throw Fault("no VP8X chunk precedes it") }
    guard payload.count == 6 else { throw Fault("it must have 6 bytes") }
    let color = payload.prefix(4).reversed().map { String($0, radix: 16).padded(to: 2, with: "0") }.joined()
    describe("loops \(number(payload.startIndex + 4, 2)), background color (ARGB) \(color)")
  }

  private mutating func checkFrame(_ payload: ArraySlice<UInt8>) throws(Fault) {
    guard frame == nil else { throw Fault("it is in another frame") }
    guard count(.anim) > 0 else { throw Fault("no ANIM chunk precedes it") }
    guard payload.count > 16, payload.count.isMultiple(of: 2) else { throw Fault("invalid size") }
    let fields = (0..<5).map { number(payload.startIndex + 3 * $0, 3) }
    let (x, y, width, height) = (2 * fields[0], 2 * fields[1], 1 + fields[2], 1 + fields[3])
    let flags = payload[payload.startIndex + 15]
    let methods = (flags & 2 == 0 ? ", blended" : "") + (flags & 1 == 1 ? ", disposed" : "")
    describe("\(width) × \(height) at \(x), \(y) for \(fields[4]) ms\(methods)")
    guard let canvas, x + width <= canvas.width, y + height <= canvas.height else {
      throw Fault("the frame exceeds the canvas")
    }
    frame = OpenFrame(width: width, height: height, end: payload.endIndex)
    position = payload.startIndex + 16
  }

  private mutating func checkAlpha(_ payload: ArraySlice<UInt8>) throws(Fault) {
    if let frame {
      if frame.hasAlpha { throw Fault("the frame has several alpha chunks") }
      if frame.hasImage { throw Fault("it follows the image") }
    } else {
      if count(.anim, .anmf) > 0 { throw Fault("a still image and an animation in one file") }
      if count(.vp8X) == 0 { throw Fault("no VP8X chunk precedes it") }
      if count(.vp8) > 0 { throw Fault("it follows the image") }
      if count(.alph) > 1 { throw Fault("the file has several alpha chunks") }
    }
    frame?.hasAlpha = true
    hasAlpha = true
    if payload.first ?? 0 >= 0x40 { warn("reserved bits are set") }
  }

  private mutating func checkImage(_ kind: WebP.FourCC, _ payload: ArraySlice<UInt8>) throws(Fault) {
    guard let info = try? WebP.info(bytes[(payload.startIndex - 8)..<payload.endIndex]) else {
      throw Fault("invalid image header")
    }
    describe("\(info.width) × \(info.height)\(info.hasAlpha ? ", alpha" : "")")
    if let frame {
      if frame.hasImage { throw Fault("the frame has several images") }
      if kind == .vp8L && frame.hasAlpha { throw Fault("a lossless image cannot have an alpha chunk") }
      if (frame.width, frame.height) != (info.width, info.height) { throw Fault("its size differs from the frame's") }
    } else {
      if count(.vp8, .vp8L) > 1 { throw Fault("the file has several images") }
      if count(.anim, .anmf) > 0 { throw Fault("a still image and an animation in one file") }
      if kind == .vp8L && count(.alph) > 0 { warn("the alpha chunk of a lossless image is ignored") }
      if let canvas, (canvas.width, canvas.height) != (info.width, info.height) {
        throw Fault("its size differs from the canvas's")
      }
    }
    frame?.hasImage = true
    hasAlpha = hasAlpha || info.hasAlpha
  }

  // MARK: The complete file

  /// The features that a VP8X chunk declares (RFC 9649, section 2.7), with the chunks that contain them.
  private static let features: [(bit: UInt8, name: String, chunk: WebP.FourCC?)] = [
    (0x20, "ICC profile", .iccp), (0x10, "alpha", nil), (0x08, "Exif", .exif), (0x04, "XMP", .xmp),
    (0x02, "animation", .anim),
  ]

  private func has(_ feature: UInt8) -> Bool { (canvas?.features ?? 0) & feature != 0 }

  /// Checks that the file contains exactly the chunks that VP8X declares.
  private mutating func checkCompleteness() throws(Fault) {
    guard frame == nil else { throw Fault("the last frame is incomplete") }
    let images = count(.vp8, .vp8L) + [WebP.FourCC.vp8, .vp8L].reduce(0) { $0 + countsInFrames[$1, default: 0] }
    guard images > 0 else { throw Fault("the file has no image") }
    guard canvas != nil else { return }
    for (bit, name, chunk) in Self.features {
      guard let chunk else {
        if hasAlpha && !has(bit) { throw Fault("VP8X does not declare alpha") }
        if !hasAlpha && has(bit) { warn("VP8X declares alpha, but no image has alpha") }
        continue
      }
      if has(bit) && count(chunk) == 0 { throw Fault("VP8X declares \(name), but the file has no \(chunk.name) chunk") }
      guard !has(bit) && count(chunk) > 0 else { continue }
      // libwebp decodes the first frame.
      guard bit == 0x02 && images == 1 else { throw Fault("VP8X does not declare \(name)") }
      warn("VP8X does not declare \(name)")
    }
    if has(0x02) && count(.anmf) == 0 { throw Fault("the animation has no frames") }
  }
}

extension WebP.FourCC {
  /// The name without trailing spaces.
  fileprivate var name: String { String("\(self)".split(separator: " ").first ?? "") }
}

extension ArraySlice<UInt8> {
  /// Returns the little-endian number in some bytes. Bytes after the end of the slice are zeros. The result is an
  /// `Int64`, because an `Int` of 32 bits cannot hold every chunk size.
  ///
  /// - Parameters:
  ///   - offset: the number of bytes before the number.
  ///   - count: the number of its bytes.
  func number(at offset: Int, bytes count: Int) -> Int64 {
    dropFirst(offset).prefix(count).reversed().reduce(0) { $0 << 8 | Int64($1) }
  }
}
