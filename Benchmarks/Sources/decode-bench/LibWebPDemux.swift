import Foundation

/// libwebp's animation decoder, loaded at run time.
@safe final class LibWebPDemux {
  let hasMoreFrames: @convention(c) (OpaquePointer) -> CInt
  let nextFrame:
    @convention(c) (OpaquePointer, UnsafeMutablePointer<UnsafePointer<UInt8>?>, UnsafeMutablePointer<Int32>) -> CInt
  let delete: @convention(c) (OpaquePointer) -> Void
  private let initializeOptions: @convention(c) (UnsafeMutableRawPointer, CInt) -> CInt
  private let newDecoder: @convention(c) (UnsafeRawPointer, UnsafeRawPointer, CInt) -> OpaquePointer?

  /// - Parameter libwebp: the path or the name of libwebp. The demuxer has a similar name in the same folder.
  init(beside libwebp: String) throws {
    let folder = URL(fileURLWithPath: libwebp).deletingLastPathComponent().path
    let names = libwebp.contains("/") ? try FileManager.default.contentsOfDirectory(atPath: folder) : []
    let path = names.first { $0.hasPrefix("libwebpdemux.") || $0.hasPrefix("libwebpdemux-") }.map { "\(folder)/\($0)" }
    guard let library = unsafe dlopen(path ?? "libwebpdemux.so.2", RTLD_NOW) else {
      throw BenchError("cannot load libwebpdemux: \(unsafe String(cString: dlerror()))")
    }
    func function<Function>(_ name: String, as type: Function.Type) throws -> Function {
      guard let symbol = unsafe dlsym(library, name) else { throw BenchError("libwebpdemux has no \(name)") }
      return unsafe unsafeBitCast(symbol, to: type)
    }
    unsafe hasMoreFrames = try function(
      "WebPAnimDecoderHasMoreFrames", as: (@convention(c) (OpaquePointer) -> CInt).self)
    unsafe nextFrame = try function(
      "WebPAnimDecoderGetNext",
      as: (@convention(c) (
        OpaquePointer, UnsafeMutablePointer<UnsafePointer<UInt8>?>, UnsafeMutablePointer<Int32>
      ) -> CInt).self)
    unsafe delete = try function("WebPAnimDecoderDelete", as: (@convention(c) (OpaquePointer) -> Void).self)
    unsafe initializeOptions = try function(
      "WebPAnimDecoderOptionsInitInternal", as: (@convention(c) (UnsafeMutableRawPointer, CInt) -> CInt).self)
    unsafe newDecoder = try function(
      "WebPAnimDecoderNewInternal",
      as: (@convention(c) (UnsafeRawPointer, UnsafeRawPointer, CInt) -> OpaquePointer?).self)
  }

  /// WEBP_DEMUX_ABI_VERSION.
  private static let abiVersion: CInt = 0x0107

  /// - Parameter bytes: the file. It must stay valid until the decoder is deleted.
  func open(_ bytes: UnsafeBufferPointer<UInt8>, colorspace: Int32, usesThreads: Bool) throws -> OpaquePointer {
    var options = AnimationOptions()
    guard unsafe initializeOptions(&options, Self.abiVersion) != 0 else {
      throw BenchError("libwebpdemux has an unknown binary interface")
    }
    options.colorspace = colorspace
    options.usesThreads = usesThreads ? 1 : 0
    // WebPData.
    var data = (start: UInt(bitPattern: bytes.baseAddress), count: bytes.count)
    guard let decoder = unsafe newDecoder(&data, &options, Self.abiVersion) else {
      throw BenchError("libwebp rejects the animation")
    }
    return unsafe decoder
  }
}

/// WebPAnimDecoderOptions.
private struct AnimationOptions {
  var colorspace: Int32 = 0
  var usesThreads: Int32 = 0
  var padding: (Int32, Int32, Int32, Int32, Int32, Int32, Int32) = (0, 0, 0, 0, 0, 0, 0)
}
