import Foundation
import PureWebP

/// libwebp's decoder. It is loaded at run time, so that building this command does not need libwebp.
@safe final class LibWebP {
  /// The version, such as `1.6.0`.
  let version: String

  private let initializeConfig: @convention(c) (UnsafeMutableRawPointer, CInt) -> CInt
  private let decodeFile: @convention(c) (UnsafePointer<UInt8>, Int, UnsafeMutableRawPointer) -> CInt
  private let freeBuffer: @convention(c) (UnsafeMutableRawPointer) -> Void
  private let newStream: @convention(c) (UnsafePointer<UInt8>?, Int, UnsafeMutableRawPointer) -> OpaquePointer?
  private let appendToStream: @convention(c) (OpaquePointer, UnsafePointer<UInt8>, Int) -> CInt
  private let deleteStream: @convention(c) (OpaquePointer) -> Void

  /// - Parameter path: the path of the shared library, or a name that the dynamic linker finds.
  init(path: String) throws {
    // The linker does not find a libsharpyuv that is in libwebp's folder.
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    if path.contains("/"), let names = try? FileManager.default.contentsOfDirectory(atPath: folder) {
      for name in names where name.hasPrefix("libsharpyuv") { _ = unsafe dlopen("\(folder)/\(name)", RTLD_NOW) }
    }
    guard let library = unsafe dlopen(path, RTLD_NOW) else {
      throw BenchError("cannot load libwebp: \(unsafe String(cString: dlerror()))")
    }

    func function<Function>(_ name: String, as type: Function.Type) throws -> Function {
      guard let symbol = unsafe dlsym(library, name) else { throw BenchError("\(path) has no \(name)") }
      return unsafe unsafeBitCast(symbol, to: type)
    }
    unsafe initializeConfig = try function(
      "WebPInitDecoderConfigInternal", as: (@convention(c) (UnsafeMutableRawPointer, CInt) -> CInt).self)
    unsafe decodeFile = try function(
      "WebPDecode", as: (@convention(c) (UnsafePointer<UInt8>, Int, UnsafeMutableRawPointer) -> CInt).self)
    unsafe freeBuffer = try function(
      "WebPFreeDecBuffer", as: (@convention(c) (UnsafeMutableRawPointer) -> Void).self)
    unsafe newStream = try function(
      "WebPIDecode",
      as: (@convention(c) (UnsafePointer<UInt8>?, Int, UnsafeMutableRawPointer) -> OpaquePointer?).self)
    unsafe appendToStream = try function(
      "WebPIAppend", as: (@convention(c) (OpaquePointer, UnsafePointer<UInt8>, Int) -> CInt).self)
    unsafe deleteStream = try function("WebPIDelete", as: (@convention(c) (OpaquePointer) -> Void).self)

    let number = try function("WebPGetDecoderVersion", as: (@convention(c) () -> CInt).self)()
    version = "\(number >> 16).\(number >> 8 & 255).\(number & 255)"
    var config = DecoderConfig()
    guard unsafe initializeConfig(&config, Self.abiVersion) != 0 else {
      throw BenchError("libwebp \(version) has an unknown binary interface")
    }
  }

  /// WEBP_DECODER_ABI_VERSION. Versions with the same upper byte have the same structures.
  private static let abiVersion: CInt = 0x0209

  func newConfig() -> DecoderConfig {
    var config = DecoderConfig()
    _ = unsafe initializeConfig(&config, Self.abiVersion)
    return config
  }

  func decode(_ bytes: [UInt8], _ config: inout DecoderConfig) throws {
    let status = unsafe bytes.withUnsafeBufferPointer { file in
      unsafe file.baseAddress.map { unsafe decodeFile($0, file.count, &config) }
    }
    guard let status, status == 0 else { throw BenchError("libwebp rejects the file: VP8StatusCode \(status ?? 7)") }
  }

  func decode(_ bytes: [UInt8], inPiecesOf size: Int, _ config: inout DecoderConfig) throws {
    var status: CInt = 5  // VP8_STATUS_SUSPENDED
    // libwebp uses the config until the stream is deleted.
    unsafe withUnsafeMutableBytes(of: &config) { config in
      guard let config = config.baseAddress, let stream = unsafe newStream(nil, 0, config) else { return }
      defer { unsafe deleteStream(stream) }
      unsafe bytes.withUnsafeBufferPointer { file in
        guard let start = file.baseAddress else { return }
        for offset in stride(from: 0, to: file.count, by: size) where status == 5 {
          status = unsafe appendToStream(stream, start + offset, min(size, file.count - offset))
        }
      }
    }
    guard status == 0 else { throw BenchError("libwebp rejects the file: VP8StatusCode \(status)") }
  }

  /// Frees the pixels that libwebp allocated.
  func freePixels(_ config: inout DecoderConfig) { unsafe freeBuffer(&config.output) }
}

// MARK: The structures of webp/decode.h, as laid out on 64-bit systems

/// WebPDecoderConfig.
struct DecoderConfig {
  /// WebPBitstreamFeatures: width, height, has_alpha, has_animation, format, and five reserved values.
  var input: (Int32, Int32, Int32, Int32, Int32, Int32, Int32, Int32, Int32, Int32) = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
  var output = DecoderBuffer()
  var options = DecoderOptions()
}

/// WebPDecBuffer.
@safe struct DecoderBuffer {
  var colorspace: Int32 = 0
  var width: Int32 = 0
  var height: Int32 = 0
  var isExternalMemory: Int32 = 0

  // A union of WebPYUVABuffer and WebPRGBABuffer. The members of the latter are in parentheses.
  /// The first byte of Y (or of all packed pixels).
  var start: UnsafeMutableRawPointer?
  /// The first byte of U (the stride of packed pixels).
  var u = 0
  /// The first byte of V (the size of packed pixels).
  var v = 0
  var a = 0
  var strides: (y: Int32, u: Int32, v: Int32, a: Int32) = (0, 0, 0, 0)
  var sizes: (y: Int, u: Int, v: Int, a: Int) = (0, 0, 0, 0)

  var padding: (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
  /// The memory that libwebp allocated.
  var privateMemory: UnsafeMutableRawPointer?

  /// Makes libwebp write to the caller's memory, which has the size of `layout`.
  mutating func setExternalMemory(_ pixels: UnsafeMutableRawPointer, _ layout: WebP.Layout) {
    isExternalMemory = 1
    unsafe start = pixels
    let planes = layout.planes
    guard planes.count > 1 else {
      (u, v) = (planes[0].stride, layout.byteCount)
      return
    }
    func address(_ plane: Int) -> Int { Int(bitPattern: pixels) + planes[plane].offset }
    func size(_ plane: Int) -> Int { planes[plane].stride * planes[plane].rows }
    func stride(_ plane: Int) -> Int32 { Int32(planes[plane].stride) }
    let hasAlpha = planes.count == 4
    (u, v, a) = (address(1), address(2), hasAlpha ? address(3) : 0)
    strides = (stride(0), stride(1), stride(2), hasAlpha ? stride(3) : 0)
    sizes = (size(0), size(1), size(2), hasAlpha ? size(3) : 0)
  }
}

/// WebPDecoderOptions.
struct DecoderOptions {
  var bypassesFiltering: Int32 = 0
  var upsamplesPlainly: Int32 = 0
  var crop: (isUsed: Int32, left: Int32, top: Int32, width: Int32, height: Int32) = (0, 0, 0, 0, 0)
  var scale: (isUsed: Int32, width: Int32, height: Int32) = (0, 0, 0)
  var usesThreads: Int32 = 0
  var dithering: Int32 = 0
  var flips: Int32 = 0
  var alphaDithering: Int32 = 0
  var padding: (Int32, Int32, Int32, Int32, Int32) = (0, 0, 0, 0, 0)
}
