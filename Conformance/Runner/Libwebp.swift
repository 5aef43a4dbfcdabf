import ConformanceSupport
import PureWebP
import WebPExport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// libwebp, loaded at run time into this process.
///
/// The offsets of the fields in libwebp's webp/decode.h on 64-bit machines:
///
///     WebPDecoderConfig   0  input: width, height, has_alpha, has_animation, format, 5 × pad
///                        40  output: colorspace, width, height, is_external_memory
///                        56          RGBA: pointer, stride (int), size     YUVA: 4 pointers, 4 strides (int), 4 sizes
///                       136          4 × pad, pointer to its own memory
///                       160  options: bypass_filtering, no_fancy_upsampling, …
@safe final class Libwebp {
  private typealias Initialize = @convention(c) (UnsafeMutableRawPointer, CInt) -> CInt
  private typealias GetFeatures = @convention(c) (UnsafeRawPointer?, Int, UnsafeMutableRawPointer, CInt) -> CInt
  private typealias Decode = @convention(c) (UnsafeRawPointer?, Int, UnsafeMutableRawPointer) -> CInt
  private typealias Free = @convention(c) (UnsafeMutableRawPointer) -> Void

  private let initialize: Initialize
  private let getFeatures: GetFeatures
  private let decode: Decode
  private let free: Free
  private let incremental: LibwebpIncremental
  private let animations: LibwebpAnimations?
  private let abi: CInt = 0x0200

  init?(path: String) {
    guard let library = unsafe dlopen(path, RTLD_NOW | RTLD_LOCAL),
      let initialize = unsafe dlsym(library, "WebPInitDecoderConfigInternal"),
      let getFeatures = unsafe dlsym(library, "WebPGetFeaturesInternal"),
      let decode = unsafe dlsym(library, "WebPDecode"), let free = unsafe dlsym(library, "WebPFreeDecBuffer"),
      let incremental = unsafe LibwebpIncremental(library)
    else { return nil }
    self.incremental = incremental
    animations = LibwebpAnimations(beside: path)
    unsafe self.initialize = unsafeBitCast(initialize, to: Initialize.self)
    unsafe self.getFeatures = unsafeBitCast(getFeatures, to: GetFeatures.self)
    unsafe self.decode = unsafeBitCast(decode, to: Decode.self)
    unsafe self.free = unsafeBitCast(free, to: Free.self)
  }

  static var lastError: String { unsafe dlerror().map { unsafe String(cString: $0) } ?? "a function is missing" }

  struct Features {
    let status: Int
    let width, height: Int
    let hasAlpha, isAnimated, isLossy: Bool
  }

  func features(_ file: [UInt8]) -> Features {
    var fields = [CInt](repeating: 0, count: 10)
    let status = unsafe file.withUnsafeBytes { file in
      unsafe fields.withUnsafeMutableBytes { unsafe getFeatures(file.baseAddress, file.count, $0.baseAddress!, abi) }
    }
    return Features(
      status: Int(status), width: Int(fields[0]), height: Int(fields[1]), hasAlpha: fields[2] != 0,
      isAnimated: fields[3] != 0, isLossy: fields[4] == 1)
  }

  /// Calls `body` with a WebPDecoderConfig, and frees its buffers afterwards.
  private func withConfig<Result>(_ body: (UnsafeMutableRawPointer) -> Result) -> Result {
    let config = UnsafeMutableRawPointer.allocate(byteCount: 240, alignment: 16)
    defer { unsafe config.deallocate() }
    unsafe precondition(initialize(config, abi) != 0, "another version of libwebp's interface")
    unsafe config.storeBytes(of: 1, toByteOffset: 40, as: CInt.self)  // RGBA
    defer { unsafe free(config + 40) }
    return unsafe body(config)
  }

  /// Decodes a file with libwebp, to `.rgba` or `.yuva`.
  func verdict(_ file: [UInt8], options: WebP.DecodeOptions) -> Verdict {
    unsafe withConfig { unsafe verdict(file, options: options, $0) }
  }

  private func verdict(
    _ file: [UInt8], options: WebP.DecodeOptions, _ config: UnsafeMutableRawPointer
  ) -> Verdict {
    let isPlanar = options.format == .yuva
    unsafe config.storeBytes(of: isPlanar ? 12 : 1, toByteOffset: 40, as: CInt.self)
    unsafe config.storeBytes(of: options.bypassesLoopFilter ? 1 : 0, toByteOffset: 160, as: CInt.self)
    unsafe config.storeBytes(of: options.upsampling == .nearest ? 1 : 0, toByteOffset: 164, as: CInt.self)
    let status = unsafe file.withUnsafeBytes { unsafe decode($0.baseAddress, $0.count, config) }
    guard status == 0 else { return Verdict(status: Int(status)) }

    let width = Int(unsafe config.load(fromByteOffset: 44, as: CInt.self))
    let height = Int(unsafe config.load(fromByteOffset: 48, as: CInt.self))
    var pixels = ContiguousArray<UInt8>()
    func append(_ pointer: Int, _ stride: Int, _ rowBytes: Int, _ rows: Int) {
      let stride = Int(unsafe config.load(fromByteOffset: stride, as: CInt.self))
      guard let base = unsafe config.load(fromByteOffset: pointer, as: UnsafeRawPointer?.self) else { return }
      for row in 0..<rows {
        unsafe pixels.append(contentsOf: UnsafeRawBufferPointer(start: base + row * stride, count: rowBytes))
      }
    }
    if isPlanar {
      append(56, 88, width, height)
      append(64, 92, (width + 1) / 2, (height + 1) / 2)
      append(72, 96, (width + 1) / 2, (height + 1) / 2)
      append(80, 100, width, height)
    } else {
      append(56, 64, 4 * width, height)
    }
    return Verdict(status: 0, width: width, height: height, sum: crc32(pixels.span))
  }
}

extension Libwebp {
  /// Decodes the first bytes of a file with libwebp's incremental decoder.
  func shown(_ start: ArraySlice<UInt8>) -> LibwebpIncremental.Shown {
    unsafe withConfig { unsafe incremental.shown(start, $0) }
  }

  /// Returns the frames of an animation. The outer optional is nil if libwebpdemux is missing. The inner one is nil if
  /// libwebp rejects the file.
  func playback(_ file: [UInt8]) -> AnimationPlayback?? { animations?.playback(file) }
}
