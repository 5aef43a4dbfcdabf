// swift-format-ignore-file: AlwaysUseLowerCamelCase, because the names are libwebp's

// The functions of webp/demux.h, except for the animation decoder.
//
// Unsafe code: a handle is memory that contains one DemuxedFile, from its creation to WebPDemuxDelete. Everything that
// Swift allocates for it is in its heap. The file's bytes are the caller's, who guarantees that they exist as long as
// the handle. Ranges of chunks and frames lie in these bytes, because the demuxer has read their headers from them.

public import CWebP
internal import WebPFormat

@safe struct DemuxedFile {
  var heap = unsafe WebPHeap()
  let data: CBytes
  let count: Int
  let allowsPartial: Bool
  var demuxer: FileDemuxer?

  /// A part of the file.
  func data(_ range: Range<Int>) -> WebPData { unsafe WebPData(bytes: data + range.lowerBound, size: range.count) }
}

private typealias Handle = UnsafeMutablePointer<DemuxedFile>

@c @implementation public func WebPGetDemuxVersion() -> Int32 { 0x010600 }

@c @implementation public func WebPDemuxInternal(
  _ data: UnsafePointer<WebPData>?, _ allowPartial: Int32, _ state: UnsafeMutablePointer<WebPDemuxState>?,
  _ version: Int32
) -> OpaquePointer? {
  unsafe state?.pointee = WEBP_DEMUX_PARSE_ERROR
  guard isCompatible(version, WEBP_DEMUX_ABI_VERSION), let data = unsafe data, let bytes = unsafe data.pointee.bytes,
    unsafe data.pointee.size != 0, let memory = unsafe webp_malloc(MemoryLayout<DemuxedFile>.size)
  else { return nil }
  let handle = unsafe memory.bindMemory(to: DemuxedFile.self, capacity: 1)
  unsafe handle.initialize(to: DemuxedFile(data: bytes, count: data.pointee.size, allowsPartial: allowPartial != 0))
  let isFinished = unsafe handle.pointee.heap.attempt(memory) { memory in
    let file = unsafe memory.assumingMemoryBound(to: DemuxedFile.self)
    let bytes = unsafe span(file.pointee.data, file.pointee.count)
    unsafe file.pointee.demuxer = FileDemuxer(bytes, allowsPartial: file.pointee.allowsPartial)
  }
  let result: WebPDemuxState =
    switch unsafe handle.pointee.demuxer?.state {
    case .invalid: WEBP_DEMUX_PARSE_ERROR
    case .hasHeader: WEBP_DEMUX_PARSED_HEADER
    case .finished: WEBP_DEMUX_DONE
    case .readingHeader: WEBP_DEMUX_PARSING_HEADER
    // libwebp reports an incomplete file that has to be complete as invalid, unless it lacks its first header.
    case nil where unsafe isFinished && endsInHeaders(span(bytes, data.pointee.size)): WEBP_DEMUX_PARSING_HEADER
    case nil: WEBP_DEMUX_PARSE_ERROR
    }
  unsafe state?.pointee = result
  guard unsafe handle.pointee.demuxer?.isRejected == false else {
    unsafe WebPDemuxDelete(OpaquePointer(handle))
    return nil
  }
  return OpaquePointer(handle)
}

/// The file has no complete RIFF header and no complete bare image.
private func endsInHeaders(_ bytes: Span<UInt8>) -> Bool {
  bytes.count < RIFFHeader.byteCount + ChunkHeader.byteCount || RIFFHeader.uncheckedEnd(bytes) == nil
}

@c @implementation public func WebPDemuxDelete(_ dmux: OpaquePointer?) {
  guard let handle = unsafe Handle(dmux) else { return }
  unsafe handle.pointee.heap.releaseAll()
  unsafe webp_free(UnsafeMutableRawPointer(handle))
}

@c @implementation public func WebPDemuxGetI(_ dmux: OpaquePointer?, _ feature: WebPFormatFeature) -> UInt32 {
  guard let demuxer = unsafe Handle(dmux)?.pointee.demuxer else { return 0 }
  return switch feature {
  case WEBP_FF_FORMAT_FLAGS: UInt32(demuxer.flags)
  case WEBP_FF_CANVAS_WIDTH: UInt32(truncatingIfNeeded: demuxer.width)
  case WEBP_FF_CANVAS_HEIGHT: UInt32(truncatingIfNeeded: demuxer.height)
  case WEBP_FF_LOOP_COUNT: UInt32(demuxer.animation.loopCount)
  case WEBP_FF_BACKGROUND_COLOR: demuxer.animation.backgroundColor
  case WEBP_FF_FRAME_COUNT: UInt32(demuxer.frames.count)
  default: 0
  }
}

// MARK: Frames

private func setFrame(_ number: Int, _ iterator: CFrame) -> Int32 {
  guard let memory = unsafe iterator.pointee.private_ else { return 0 }
  let file = unsafe memory.assumingMemoryBound(to: DemuxedFile.self)
  guard let demuxer = unsafe file.pointee.demuxer, 0...demuxer.frames.count ~= number, !demuxer.frames.isEmpty else {
    return 0
  }
  let frame = demuxer.frames[number == 0 ? demuxer.frames.count - 1 : number - 1]
  guard frame.number > 0 else { return 0 }
  unsafe iterator.pointee = unsafe WebPIterator(
    frame_num: Int32(frame.number), num_frames: Int32(demuxer.frames.count), x_offset: Int32(frame.x),
    y_offset: Int32(frame.y), width: Int32(frame.width), height: Int32(frame.height), duration: Int32(frame.duration),
    dispose_method: frame.isDisposed ? WEBP_MUX_DISPOSE_BACKGROUND : WEBP_MUX_DISPOSE_NONE,
    complete: frame.isComplete ? 1 : 0, fragment: file.pointee.data(frame.bytes), has_alpha: frame.hasAlpha ? 1 : 0,
    blend_method: frame.isBlended ? WEBP_MUX_BLEND : WEBP_MUX_NO_BLEND, pad: iterator.pointee.pad, private_: memory)
  return 1
}

@c @implementation public func WebPDemuxGetFrame(_ dmux: OpaquePointer?, _ number: Int32, _ iter: CFrame?) -> Int32 {
  guard let iter = unsafe iter else { return 0 }
  unsafe iter.pointee = unsafe WebPIterator()
  unsafe iter.pointee.private_ = unsafe dmux.map { unsafe UnsafeMutableRawPointer($0) }
  return unsafe setFrame(Int(number), iter)
}

@c @implementation public func WebPDemuxNextFrame(_ iter: CFrame?) -> Int32 {
  unsafe iter.map { unsafe setFrame(Int($0.pointee.frame_num) + 1, $0) } ?? 0
}

@c @implementation public func WebPDemuxPrevFrame(_ iter: CFrame?) -> Int32 {
  unsafe iter.map { unsafe $0.pointee.frame_num > 1 ? setFrame(Int($0.pointee.frame_num) - 1, $0) : 0 } ?? 0
}

@c @implementation public func WebPDemuxReleaseIterator(_ iter: CFrame?) {}

// MARK: Chunks

/// - Parameter name: four characters. Nil for the name of the current chunk, in the header that precedes its payload.
private func setChunk(_ name: UnsafeRawPointer?, _ number: Int, _ iterator: CChunk) -> Int32 {
  let own = unsafe iterator.pointee.chunk.bytes.map { unsafe UnsafeRawPointer($0 - ChunkHeader.byteCount) }
  guard let memory = unsafe iterator.pointee.private_, let name = unsafe name ?? own, number >= 0 else { return 0 }
  let file = unsafe memory.assumingMemoryBound(to: DemuxedFile.self)
  let fourCC = FourCC(rawValue: unsafe name.loadUnaligned(as: UInt32.self).littleEndian)
  let bytes = unsafe span(file.pointee.data, file.pointee.count)
  guard let chunk = unsafe file.pointee.demuxer?.chunk(fourCC, number, bytes) else { return 0 }
  let payload = chunk.range.dropFirst(ChunkHeader.byteCount)
  unsafe iterator.pointee.chunk = unsafe file.pointee.data(payload)
  unsafe iterator.pointee.num_chunks = Int32(chunk.count)
  unsafe iterator.pointee.chunk_num = Int32(chunk.number)
  return 1
}

@c @implementation public func WebPDemuxGetChunk(
  _ dmux: OpaquePointer?, _ fourcc: UnsafePointer<CChar>?, _ chunkNumber: Int32, _ iter: CChunk?
) -> Int32 {
  guard let iter = unsafe iter else { return 0 }
  unsafe iter.pointee = unsafe WebPChunkIterator()
  unsafe iter.pointee.private_ = unsafe dmux.map { unsafe UnsafeMutableRawPointer($0) }
  return unsafe setChunk(fourcc.map { unsafe UnsafeRawPointer($0) }, Int(chunkNumber), iter)
}

@c @implementation public func WebPDemuxNextChunk(_ iter: CChunk?) -> Int32 {
  unsafe iter.map { unsafe setChunk(nil, Int($0.pointee.chunk_num) + 1, $0) } ?? 0
}

@c @implementation public func WebPDemuxPrevChunk(_ iter: CChunk?) -> Int32 {
  unsafe iter.map { unsafe $0.pointee.chunk_num > 1 ? setChunk(nil, Int($0.pointee.chunk_num) - 1, $0) : 0 } ?? 0
}

@c @implementation public func WebPDemuxReleaseChunkIterator(_ iter: CChunk?) {}
