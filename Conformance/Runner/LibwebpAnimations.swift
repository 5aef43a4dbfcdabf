import ConformanceSupport
import Foundation
import PureWebP
import WebPExport

/// libwebp's WebPAnimDecoder, which is in the library libwebpdemux.
@safe struct LibwebpAnimations {
  private typealias InitializeOptions = @convention(c) (UnsafeMutableRawPointer, CInt) -> CInt
  private typealias Make = @convention(c) (UnsafeRawPointer, UnsafeRawPointer, CInt) -> OpaquePointer?
  private typealias Ask = @convention(c) (OpaquePointer) -> CInt
  private typealias GetInfo = @convention(c) (OpaquePointer, UnsafeMutableRawPointer) -> CInt
  private typealias GetNext =
    @convention(c) (OpaquePointer, UnsafeMutablePointer<UnsafeRawPointer?>, UnsafeMutablePointer<CInt>) -> CInt
  private typealias Delete = @convention(c) (OpaquePointer) -> Void

  private let initializeOptions: InitializeOptions
  private let make: Make
  private let getInfo: GetInfo
  private let hasMore: Ask
  private let getNext: GetNext
  private let delete: Delete
  private let abi: CInt = 0x0107

  /// Loads libwebpdemux from libwebp's folder.
  init?(beside path: String) {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    guard let name = names.sorted().first(where: { $0.hasPrefix("libwebpdemux") }),
      let library = unsafe dlopen(folder.appendingPathComponent(name).path, RTLD_NOW | RTLD_LOCAL),
      let initializeOptions = unsafe dlsym(library, "WebPAnimDecoderOptionsInitInternal"),
      let make = unsafe dlsym(library, "WebPAnimDecoderNewInternal"),
      let getInfo = unsafe dlsym(library, "WebPAnimDecoderGetInfo"),
      let hasMore = unsafe dlsym(library, "WebPAnimDecoderHasMoreFrames"),
      let getNext = unsafe dlsym(library, "WebPAnimDecoderGetNext"),
      let delete = unsafe dlsym(library, "WebPAnimDecoderDelete")
    else { return nil }
    unsafe self.initializeOptions = unsafeBitCast(initializeOptions, to: InitializeOptions.self)
    unsafe self.make = unsafeBitCast(make, to: Make.self)
    unsafe self.getInfo = unsafeBitCast(getInfo, to: GetInfo.self)
    unsafe self.hasMore = unsafeBitCast(hasMore, to: Ask.self)
    unsafe self.getNext = unsafeBitCast(getNext, to: GetNext.self)
    unsafe self.delete = unsafeBitCast(delete, to: Delete.self)
  }

  /// Returns the frames, composed as RGBA. Nil if libwebp rejects the file.
  func playback(_ file: [UInt8]) -> AnimationPlayback? {
    // WebPAnimDecoderOptions: color_mode, use_threads, 7 × pad.
    var options = [CInt](repeating: 0, count: 9)
    return unsafe file.withUnsafeBytes { file -> AnimationPlayback? in
      // WebPData: pointer, size.
      var data: (UnsafeRawPointer?, Int) = (file.baseAddress, file.count)
      let decoder: OpaquePointer? = unsafe options.withUnsafeMutableBytes { options in
        unsafe initializeOptions(options.baseAddress!, abi) == 0 ? nil : unsafe make(&data, options.baseAddress!, abi)
      }
      guard let decoder = unsafe decoder else { return nil }
      defer { unsafe delete(decoder) }
      // WebPAnimInfo: width, height, loops, background, frames, 4 × pad.
      var info = [UInt32](repeating: 0, count: 9)
      _ = unsafe info.withUnsafeMutableBytes { unsafe getInfo(decoder, $0.baseAddress!) }
      var playback = AnimationPlayback(
        canvas: [Int(info[0]), Int(info[1])], loopCount: Int(info[2]), background: info[3], frameCount: Int(info[4]))
      while unsafe hasMore(decoder) != 0 {
        var canvas: UnsafeRawPointer?
        var end: CInt = 0
        guard unsafe getNext(decoder, &canvas, &end) != 0, let canvas = unsafe canvas else {
          playback.isDamaged = true
          break
        }
        let pixels = unsafe ContiguousArray(
          UnsafeRawBufferPointer(start: canvas, count: 4 * Int(info[0]) * Int(info[1])))
        playback.frames.append(AnimationPlayback.frame(end: Int(end), crc32(pixels.span)))
      }
      return playback
    }
  }
}
