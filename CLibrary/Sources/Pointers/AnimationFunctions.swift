// swift-format-ignore-file: AlwaysUseLowerCamelCase, because the names are libwebp's

// The animation decoder of webp/demux.h.
//
// Unsafe code: a handle is memory that contains one AnimationDecoder, from its creation to WebPAnimDecoderDelete.
// Everything that Swift allocates for it is in its heap. The file's bytes are the caller's, who guarantees that they
// exist as long as the handle.

public import CWebP
internal import WebPFormat

@safe private struct AnimationDecoder {
  var heap = unsafe WebPHeap()
  let file: OpaquePointer
  let data: CBytes
  let count: Int
  let options: WebP.DecodeOptions
  let info: WebPAnimInfo
  /// `decoded` has decoded frames, from `next` on. Nil after a failed frame, or a failed allocation.
  var playback: (composer: FrameComposer, frames: [DemuxedFrame], decoded: ContiguousArray<FrameTask>)?
  /// The index of the next frame.
  var next = 0
  /// The end of the last frame, in milliseconds.
  var time: Int32 = 0

  /// Draws the next frame.
  mutating func drawNext() {
    guard let (composer, frames, decoded) = playback else { return }
    do throws(WebP.DecodeError) {
      if decoded.isEmpty { decodeFrames(frames, on: composer) }
      let result = playback?.decoded.removeFirst().result
      if let pixels = try result?.get() { composer.draw(frames[next], pixels: pixels) }
    } catch {
      playback = nil
      return
    }
    time &+= Int32(frames[next].duration)
    next += 1
  }

  /// Draws the next frame, and decodes the following ones on other threads if this is worth the overhead.
  private mutating func decodeFrames(_ frames: [DemuxedFrame], on composer: FrameComposer) {
    // The caller may need only the first frame.
    let isShared = next > 0 && options.threads.shouldPrefetchFrames(of: frames[next].width * frames[next].height)
    let numbers = next..<min(next + (isShared ? options.threads.usable.count : 1), frames.count)
    composer.options.threads = numbers.count > 1 ? .one : options.threads
    playback?.decoded = FrameTask.decode(numbers, of: frames, on: composer, unsafe span(data, count))
  }

  /// Returns to the first frame.
  mutating func restart() {
    (next, time, playback) = (0, 0, nil)
    var demuxer = Demuxer(limits: options.limits.plain)
    try? demuxer.read(unsafe span(data, count), isComplete: true)
    let size = WebP.Size(width: Int(info.canvas_width), height: Int(info.canvas_height))
    guard demuxer.isFinished, demuxer.newFrames.count == Int(info.frame_count),
      let composer = try? FrameComposer(size, byteCount: count, options: options)
    else { return }
    composer.reserveCanvas()
    playback = (composer, demuxer.newFrames, [])
  }
}

private typealias Handle = UnsafeMutablePointer<AnimationDecoder>

extension Handle {
  /// Calls `body`. Returns whether all allocations succeeded.
  fileprivate func attempt(_ body: @convention(c) (UnsafeMutableRawPointer) -> Void) -> Bool {
    if unsafe pointee.heap.attempt(self, body) { return true }
    // The objects no longer exist, so that they must not be released.
    unsafe withUnsafeMutablePointer(to: &pointee.playback) { unsafe $0.initialize(to: nil) }
    return false
  }

  /// Returns whether the file can be played.
  fileprivate func restart() -> Bool {
    _ = unsafe attempt { unsafe $0.assumingMemoryBound(to: AnimationDecoder.self).pointee.restart() }
    return unsafe pointee.playback != nil
  }
}

@c @implementation public func WebPAnimDecoderOptionsInitInternal(
  _ options: UnsafeMutablePointer<WebPAnimDecoderOptions>?, _ version: Int32
) -> Int32 {
  guard isCompatible(version, WEBP_DEMUX_ABI_VERSION), let options = unsafe options else { return 0 }
  unsafe (options.pointee.color_mode, options.pointee.use_threads) = (MODE_RGBA, 0)
  return 1
}

@c @implementation public func WebPAnimDecoderNewInternal(
  _ data: UnsafePointer<WebPData>?, _ options: UnsafePointer<WebPAnimDecoderOptions>?, _ version: Int32
) -> OpaquePointer? {
  guard isCompatible(version, WEBP_DEMUX_ABI_VERSION), let data = unsafe data, let bytes = unsafe data.pointee.bytes,
    let format = unsafe (options?.pointee.color_mode ?? MODE_RGBA).format
  else { return nil }
  let (count, usesThreads) = unsafe (data.pointee.size, options?.pointee.use_threads ?? 0 != 0)
  let options = WebP.DecodeOptions(format: format, threads: usesThreads ? .automatic : .one, limits: .unlimited)
  var features = WebPBitstreamFeatures()
  // Formats that the animation decoder does not support are composed in another one.
  guard unsafe getFeatures(bytes, count, &features) == VP8_STATUS_OK, options.composedFormat == format,
    let file = unsafe WebPDemuxInternal(data, 0, nil, version)
  else { return nil }
  guard let memory = unsafe webp_malloc(MemoryLayout<AnimationDecoder>.size) else {
    unsafe WebPDemuxDelete(file)
    return nil
  }
  let handle = unsafe memory.bindMemory(to: AnimationDecoder.self, capacity: 1)
  let info = unsafe WebPAnimInfo(
    canvas_width: WebPDemuxGetI(file, WEBP_FF_CANVAS_WIDTH), canvas_height: WebPDemuxGetI(file, WEBP_FF_CANVAS_HEIGHT),
    loop_count: WebPDemuxGetI(file, WEBP_FF_LOOP_COUNT), bgcolor: WebPDemuxGetI(file, WEBP_FF_BACKGROUND_COLOR),
    frame_count: WebPDemuxGetI(file, WEBP_FF_FRAME_COUNT), pad: (0, 0, 0, 0))
  unsafe handle.initialize(to: AnimationDecoder(file: file, data: bytes, count: count, options: options, info: info))
  // libwebp's limit for one allocation on 64-bit processors.
  guard Int(info.canvas_width) * Int(info.canvas_height) <= 1 << 32, unsafe handle.restart() else {
    unsafe WebPAnimDecoderDelete(OpaquePointer(handle))
    return nil
  }
  return OpaquePointer(handle)
}

@c @implementation public func WebPAnimDecoderGetInfo(
  _ dec: OpaquePointer?, _ info: UnsafeMutablePointer<WebPAnimInfo>?
) -> Int32 {
  guard let handle = unsafe Handle(dec), let info = unsafe info else { return 0 }
  unsafe info.pointee = unsafe handle.pointee.info
  return 1
}

@c @implementation public func WebPAnimDecoderGetNext(_ dec: OpaquePointer?, _ out: CPlane?, _ ms: CNumber?) -> Int32 {
  guard let handle = unsafe Handle(dec), let out = unsafe out, let time = unsafe ms,
    unsafe WebPAnimDecoderHasMoreFrames(dec) != 0
  else { return 0 }
  let isFinished = unsafe handle.attempt {
    unsafe $0.assumingMemoryBound(to: AnimationDecoder.self).pointee.drawNext()
  }
  guard isFinished, let canvas = unsafe handle.pointee.playback?.composer.canvas else { return 0 }
  // The composer does not move the memory before the next call.
  unsafe out.pointee = unsafe canvas.withUnsafeBufferPointer { unsafe CPixels(mutating: $0.baseAddress) }
  unsafe time.pointee = unsafe handle.pointee.time
  return 1
}

@c @implementation public func WebPAnimDecoderHasMoreFrames(_ dec: OpaquePointer?) -> Int32 {
  guard let handle = unsafe Handle(dec) else { return 0 }
  return unsafe handle.pointee.next < Int(handle.pointee.info.frame_count) ? 1 : 0
}

@c @implementation public func WebPAnimDecoderReset(_ dec: OpaquePointer?) { _ = unsafe Handle(dec)?.restart() }

@c @implementation public func WebPAnimDecoderGetDemuxer(_ dec: OpaquePointer?) -> OpaquePointer? {
  unsafe Handle(dec)?.pointee.file
}

@c @implementation public func WebPAnimDecoderDelete(_ dec: OpaquePointer?) {
  guard let handle = unsafe Handle(dec) else { return }
  unsafe handle.pointee.heap.releaseAll()
  unsafe WebPDemuxDelete(handle.pointee.file)
  unsafe webp_free(UnsafeMutableRawPointer(handle))
}
