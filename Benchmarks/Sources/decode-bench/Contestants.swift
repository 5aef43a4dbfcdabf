import Foundation
import PureWebP

/// A decoder that decodes one file repeatedly: a still image, or the frames of an animation.
protocol Contestant {
  /// Starts a run. If each run uses new memory, frees the pixels of the previous run.
  mutating func begin() throws
  /// Decodes the next image of the run. Returns false after the last one.
  mutating func next() throws -> Bool
  /// Calls `body` with the pixels of the last image.
  func withPixels<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) throws -> Value
}

extension Contestant {
  /// Executes a complete run. The clock measures this call.
  mutating func decode() throws {
    try begin()
    while try next() {}
  }

  /// The address of the pixels.
  var address: Int {
    get throws { try unsafe withPixels { Int(bitPattern: $0.baseAddress) } }
  }
}

/// A file, with the layout of its decoded pixels.
struct InputFile {
  let file: String
  let bytes: [UInt8]
  /// The number of pixels in all frames before scaling, in megapixels.
  let megapixels: Double
  /// The size to scale to, or nil.
  let scaledSize: (width: Int, height: Int)?
  let layout: WebP.Layout

  init(_ file: String, _ setup: Setup) throws {
    self.file = file
    bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
    let info = try WebP.info(bytes)
    if setup.kind == .animation && !info.isAnimated { throw BenchError("not an animation") }
    if setup.kind == .image && info.isAnimated {
      throw BenchError("this is an animation; use --animation")
    }
    megapixels = Double(info.width * info.height * (setup.kind == .animation ? info.frameCount : 1)) / 1e6
    scaledSize = setup.scale.map { scale in
      (max(1, Int(Double(info.width) * scale)), max(1, Int(Double(info.height) * scale)))
    }
    let size = scaledSize ?? (info.width, info.height)
    guard let layout = WebP.Layout(format: setup.format.ours, width: size.width, height: size.height) else {
      throw BenchError("image is too large for this machine")
    }
    self.layout = layout
  }

  func contestant(_ side: Side, _ setup: Setup, _ libwebp: LibWebP?) throws -> any Contestant {
    switch (setup.kind, side) {
    case (.image, .ours): Ours(self, setup)
    case (.image, .libwebp): LibWebPContestant(self, setup, try libwebp ?? setup.loadLibWebP())
    case (.animation, .ours): OursAnimation(self, setup)
    case (.animation, .libwebp): LibWebPAnimation(self, setup, try LibWebPDemux(beside: setup.libwebp ?? ""))
    case (.png, .ours): try Command.webp(self, setup)
    case (.png, .libwebp): try Command.dwebp(self, setup)
    }
  }
}

/// This decoder.
struct Ours: Contestant {
  private let bytes: [UInt8]
  private let options: WebP.DecodeOptions
  private let memory: Memory
  private let pieceSize: Int?
  private var pixels: [UInt8] = []
  private var image: WebP.Image?
  private var isDone = false

  init(_ input: InputFile, _ setup: Setup) {
    bytes = input.bytes
    var options = setup.options
    options.size = input.scaledSize.map { .exact(width: $0.width, height: $0.height) }
    self.options = options
    memory = setup.memory
    pieceSize = setup.pieceSize
    if memory == .reused { pixels = [UInt8](repeating: 0x55, count: input.layout.byteCount) }
  }

  mutating func begin() {
    isDone = false
    image = nil
  }

  mutating func next() throws -> Bool {
    if isDone { return false }
    isDone = true
    switch memory {
    case .reused:
      try WebP.decode(bytes, into: &pixels, options: options)
    case .fresh:
      image = try pieceSize.map(decodePieces) ?? WebP.decode(bytes, options: options)
    }
    return true
  }

  private func decodePieces(of size: Int) throws -> WebP.Image? {
    var decoder = WebP.StreamingDecoder(options: options)
    for start in stride(from: 0, to: bytes.count, by: size) {
      _ = try decoder.append(bytes[start..<min(start + size, bytes.count)])
    }
    try decoder.finish()
    return decoder.image
  }

  func withPixels<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) throws -> Value {
    if let image { return try unsafe image.pixels.withUnsafeBytes(body) }
    return try unsafe pixels.withUnsafeBytes(body)
  }
}

/// libwebp.
@safe final class LibWebPContestant: Contestant {
  private let bytes: [UInt8]
  private let byteCount: Int
  private let libwebp: LibWebP
  private let memory: Memory
  private let pieceSize: Int?
  private var config: DecoderConfig
  /// The memory that libwebp decodes into, or nil if libwebp allocates it.
  private let pixels: UnsafeMutableRawPointer?
  private var isDone = false

  init(_ input: InputFile, _ setup: Setup, _ libwebp: LibWebP) {
    bytes = input.bytes
    byteCount = input.layout.byteCount
    self.libwebp = libwebp
    memory = setup.memory
    pieceSize = setup.pieceSize
    config = libwebp.newConfig()
    config.output.colorspace = setup.format.libwebp
    config.options.usesThreads = setup.threads > 1 ? 1 : 0
    if let size = input.scaledSize { config.options.scale = (1, Int32(size.width), Int32(size.height)) }
    switch memory {
    case .reused:
      let pixels = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 64)
      // The initial value differs from the one in `Ours`, so that a byte that neither decoder writes is a difference.
      unsafe pixels.initializeMemory(as: UInt8.self, repeating: 0xAA, count: byteCount)
      unsafe self.pixels = pixels
      unsafe config.output.setExternalMemory(pixels, input.layout)
    case .fresh:
      unsafe pixels = nil
    }
  }

  deinit {
    if memory == .fresh { libwebp.freePixels(&config) }
    unsafe pixels?.deallocate()
  }

  func begin() {
    isDone = false
    if memory == .fresh { libwebp.freePixels(&config) }
  }

  func next() throws -> Bool {
    if isDone { return false }
    isDone = true
    if let pieceSize {
      try libwebp.decode(bytes, inPiecesOf: pieceSize, &config)
    } else {
      try libwebp.decode(bytes, &config)
    }
    return true
  }

  func withPixels<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) throws -> Value {
    // Like Layout, libwebp stores the planes in one block without gaps.
    try unsafe body(UnsafeRawBufferPointer(start: config.output.start, count: byteCount))
  }
}

/// An error, with its text.
struct BenchError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
