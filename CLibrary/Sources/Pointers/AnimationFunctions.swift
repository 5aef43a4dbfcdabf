// swift-format-ignore-file: AlwaysUseLowerCamelCase, because the names are libwebp's

// The animation decoder of webp/demux.h.
//
// Unsafe code: a handle is memory that contains one AnimationDecoder, from its creation to WebPAnimDecoderDelete.
// Everything that Swift allocates for it is in one of its heaps. A failed allocation ends the use of one heap: the
// canvas can be created again, the frames remain. The file's bytes are the caller's, who guarantees that they exist as
// long as the handle.

public import CWebP
internal import WebPFormat

@safe private struct AnimationDecoder {
  var frameHeap = unsafe WebPHeap()
  var canvasHeap = unsafe WebPHeap()
  let file: OpaquePointer
  let data: CBytes
  let count: Int
  let options: WebP.DecodeOptions
  var info = WebPAnimInfo()
  var frames: [DemuxedFrame]?
  /// Nil after a failed frame, or a failed allocation.
  var composer: FrameComposer?
  /// The memory of the last frame's canvas, which `composer` does not move before the next call. Nil after an error.
  var canvas: CPixels?
  /// The index of the next frame.
  var next = 0
  /// The end of the last frame, in milliseconds.
  var time: Int32 = 0

  /// Draws the next frame.
  mutating func drawNext() {
    unsafe canvas = nil
    guard let composer, let frame = frames?[next] else { return }
    do throws(WebP.DecodeError) {
      _ = try composer.draw(frame, number: next, unsafe span(data, count), isComplete: true)
    } catch {
      self.composer = nil
      return
    }
    next += 1
    time &+= Int32(frame.duration)
    unsafe canvas = unsafe composer.canvas.withUnsafeBufferPointer { unsafe CPixels(mutating: $0.baseAddress) }
  }

  mutating func findFrames() {
    var demuxer = Demuxer(limits: options.limits.plain)
    try? demuxer.read(unsafe span(data, count), isComplete: true)
    if demuxer.isFinished { frames = demuxer.newFrames }
  }

  /// Returns to the first frame.
  mutating func restart() {
    (next, time, composer) = (0, 0, nil)
    composer = try? FrameComposer(
      WebP.Size(width: Int(info.canvas_width), height: Int(info.canvas_height)), byteCount: count, options: options)
    composer?.reserveCanvas()
  }
}

private typealias Handle = UnsafeMutablePointer<AnimationDecoder>

extension Handle {
  /// Calls `body`, whose allocations belong to the canvas. Returns whether all succeeded.
  fileprivate func attempt(_ body: @convention(c) (UnsafeMutableRawPointer) -> Void) -> Bool {
    let isFinished = unsafe withUnsafeMutablePointer(to: &pointee.canvasHeap) { unsafe $0.attempt(self, body) }
    // The object no longer exists, so that it must not be released.
    if !isFinished { unsafe withUnsafeMutablePointer(to: &pointee.composer) { unsafe $0.initialize(to: nil) } }
    return isFinished
  }

  /// Finds the frames. Returns whether all allocations succeeded.
  fileprivate func findFrames() -> Bool {
    unsafe withUnsafeMutablePointer(to: &pointee.frameHeap) { heap in
      unsafe heap.attempt(self) { unsafe $0.assumingMemoryBound(to: AnimationDecoder.self).pointee.findFrames() }
    }
  }

  fileprivate func restart() -> Bool {
    unsafe attempt { unsafe $0.assumingMemoryBound(to: AnimationDecoder.self).pointee.restart() }
  }
}

/// The options for a mode that the animation decoder supports. Nil for other modes.
private func decodeOptions(_ mode: WEBP_CSP_MODE, usesThreads: Bool) -> WebP.DecodeOptions? {
  guard let format = mode.format else { return nil }
  let options = WebP.DecodeOptions(format: format, threads: usesThreads ? .automatic : .one, limits: .unlimited)
  return options.composedFormat == format ? options : nil
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
  guard isCompatible(version, WEBP_DEMUX_ABI_VERSION), let data = unsafe data, let bytes = unsafe data.pointee.bytes
  else { return nil }
  let count = unsafe data.pointee.size
  var features = WebPBitstreamFeatures()
  guard unsafe getFeatures(bytes, count, &features) == VP8_STATUS_OK,
    let options = decodeOptions(
      unsafe options?.pointee.color_mode ?? MODE_RGBA, usesThreads: unsafe options?.pointee.use_threads ?? 0 != 0),
    let file = unsafe WebPDemuxInternal(data, 0, nil, version)
  else { return nil }
  guard let memory = unsafe webp_malloc(MemoryLayout<AnimationDecoder>.size) else {
    unsafe WebPDemuxDelete(file)
    return nil
  }
  let handle = unsafe memory.bindMemory(to: AnimationDecoder.self, capacity: 1)
  unsafe handle.initialize(to: AnimationDecoder(file: file, data: bytes, count: count, options: options))
  unsafe handle.pointee.info.canvas_width = unsafe WebPDemuxGetI(file, WEBP_FF_CANVAS_WIDTH)
  unsafe handle.pointee.info.canvas_height = unsafe WebPDemuxGetI(file, WEBP_FF_CANVAS_HEIGHT)
  unsafe handle.pointee.info.loop_count = unsafe WebPDemuxGetI(file, WEBP_FF_LOOP_COUNT)
  unsafe handle.pointee.info.bgcolor = unsafe WebPDemuxGetI(file, WEBP_FF_BACKGROUND_COLOR)
  unsafe handle.pointee.info.frame_count = unsafe WebPDemuxGetI(file, WEBP_FF_FRAME_COUNT)
  // libwebp's limit for one allocation on 64-bit processors.
  let pixels = unsafe Int(handle.pointee.info.canvas_width) * Int(handle.pointee.info.canvas_height)
  guard pixels <= 1 << 32, unsafe handle.findFrames(),
    unsafe handle.pointee.frames?.count == Int(handle.pointee.info.frame_count),
    unsafe handle.restart(), unsafe handle.pointee.composer != nil
  else {
    unsafe WebPAnimDecoderDelete(OpaquePointer(handle))
    return nil
  }
  return OpaquePointer(handle)
}

@c @implementation public func WebPAnimDecoderGetInfo(
  _ dec: OpaquePointer?, _ info: UnsafeMutablePointer<WebPAnimInfo>?
) -> Int32 {
  guard let dec = unsafe dec, let info = unsafe info else { return 0 }
  unsafe info.pointee = unsafe Handle(dec).pointee.info
  return 1
}

@c @implementation public func WebPAnimDecoderGetNext(
  _ dec: OpaquePointer?, _ buf: UnsafeMutablePointer<CPixels?>?, _ timestamp: CNumber?
) -> Int32 {
  guard let buf = unsafe buf, let timestamp = unsafe timestamp, unsafe WebPAnimDecoderHasMoreFrames(dec) != 0,
    let dec = unsafe dec
  else { return 0 }
  let handle = unsafe Handle(dec)
  let isFinished = unsafe handle.attempt {
    unsafe $0.assumingMemoryBound(to: AnimationDecoder.self).pointee.drawNext()
  }
  guard isFinished, let canvas = unsafe handle.pointee.canvas else { return 0 }
  unsafe buf.pointee = unsafe canvas
  unsafe timestamp.pointee = unsafe handle.pointee.time
  return 1
}

@c @implementation public func WebPAnimDecoderHasMoreFrames(_ dec: OpaquePointer?) -> Int32 {
  guard let dec = unsafe dec else { return 0 }
  let handle = unsafe Handle(dec)
  return unsafe handle.pointee.next < Int(handle.pointee.info.frame_count) ? 1 : 0
}

@c @implementation public func WebPAnimDecoderReset(_ dec: OpaquePointer?) {
  guard let dec = unsafe dec else { return }
  let handle = unsafe Handle(dec)
  _ = unsafe handle.restart()
}

@c @implementation public func WebPAnimDecoderGetDemuxer(_ dec: OpaquePointer?) -> OpaquePointer? {
  unsafe dec.map { unsafe Handle($0).pointee.file }
}

@c @implementation public func WebPAnimDecoderDelete(_ dec: OpaquePointer?) {
  guard let dec = unsafe dec else { return }
  let handle = unsafe Handle(dec)
  unsafe (handle.pointee.composer, handle.pointee.frames) = (nil, nil)
  unsafe withUnsafeMutablePointer(to: &handle.pointee.canvasHeap) { unsafe $0.releaseAll() }
  unsafe withUnsafeMutablePointer(to: &handle.pointee.frameHeap) { unsafe $0.releaseAll() }
  unsafe WebPDemuxDelete(handle.pointee.file)
  unsafe webp_free(UnsafeMutableRawPointer(handle))
}
