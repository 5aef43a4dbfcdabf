import PureWebP

/// This decoder, composing frames.
struct OursAnimation: Contestant {
  private let bytes: [UInt8]
  private let options: WebP.DecodeOptions
  private var frames: WebP.Animation.FrameIterator?
  private var image: WebP.Image?

  init(_ input: InputFile, _ setup: Setup) {
    bytes = input.bytes
    options = setup.options
  }

  mutating func begin() throws {
    image = nil
    frames = try WebP.Animation(bytes, options: options).makeIterator()
  }

  mutating func next() throws -> Bool {
    // A player retains one frame at a time.
    image = nil
    guard let frame = try frames?.nextFrame() else { return false }
    image = frame.image
    return true
  }

  func withPixels<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) throws -> Value {
    guard let image else { throw BenchError("no frame") }
    return try unsafe image.pixels.withUnsafeBytes(body)
  }
}

/// libwebp's WebPAnimDecoder.
@safe final class LibWebPAnimation: Contestant {
  private let bytes: UnsafeMutableBufferPointer<UInt8>
  private let byteCount: Int
  private let demux: LibWebPDemux
  private let colorspace: Int32
  private let usesThreads: Bool
  private var decoder: OpaquePointer?
  private var canvas: UnsafePointer<UInt8>?

  init(_ input: InputFile, _ setup: Setup, _ demux: LibWebPDemux) {
    unsafe bytes = .allocate(capacity: input.bytes.count)
    _ = unsafe bytes.initialize(from: input.bytes)
    byteCount = input.layout.byteCount
    self.demux = demux
    colorspace = setup.format.libwebp
    usesThreads = setup.threads > 1
  }

  deinit {
    if let decoder = unsafe decoder { unsafe demux.delete(decoder) }
    unsafe bytes.deallocate()
  }

  func begin() throws {
    if let decoder = unsafe decoder { unsafe demux.delete(decoder) }
    unsafe decoder = nil
    unsafe decoder = try unsafe demux.open(
      UnsafeBufferPointer(bytes), colorspace: colorspace, usesThreads: usesThreads)
  }

  func next() throws -> Bool {
    guard let decoder = unsafe decoder, unsafe demux.hasMoreFrames(decoder) != 0 else { return false }
    var timestamp: Int32 = 0
    guard unsafe demux.nextFrame(decoder, &canvas, &timestamp) != 0 else {
      throw BenchError("libwebp rejects a frame")
    }
    return true
  }

  func withPixels<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) throws -> Value {
    try unsafe body(UnsafeRawBufferPointer(start: canvas, count: byteCount))
  }
}
