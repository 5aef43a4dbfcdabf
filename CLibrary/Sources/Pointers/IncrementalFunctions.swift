// swift-format-ignore-file: AlwaysUseLowerCamelCase, because the names are libwebp's

// The functions of webp/decode.h for incremental decoding.
//
//     WebPIAppend  ─▶ copy of the bytes ┐
//     WebPIUpdate  ─▶ caller's bytes ───┴▶ headers ─▶ header of the stream ─▶ output buffer ─▶ rows ─▶ finished
//
// Unsafe code: a handle is memory that contains one IncrementalDecoder, from its creation to WebPIDelete. Everything
// that Swift allocates for it is in its heap. Output buffers and options are the caller's, who guarantees that they
// exist as long as the handle.

public import CWebP
internal import WebPFormat

@safe private struct IncrementalDecoder {
  enum Phase { case headers, streamHeader, rows, finished, failed }

  /// The owner of the bytes: not known before the first call, the decoder (WebPIAppend), or the caller (WebPIUpdate).
  enum Input { case unknown, copied, callers }

  var heap = unsafe WebPHeap()
  var phase = Phase.headers
  /// The output buffer of handles for which the caller has none, or a slow one.
  var own = unsafe WebPDecBuffer()
  /// The caller's buffer. Nil if there is none.
  var callers: CBuffer?
  /// The caller's buffer is written at the end, from `own`.
  var isSlow = false
  var config: CConfig?

  var input = Input.unknown
  /// Bytes that WebPIAppend has copied: `count` bytes of a memory of `capacity` bytes.
  var copy: UnsafeMutableRawPointer?
  var count = 0
  var capacity = 0
  /// The bytes of the current call.
  var data: CBytes?
  var status = VP8_STATUS_OK
  /// The number of bytes that were removed because they are no longer needed.
  var removed = 0

  var parser = ImageHeaderParser()
  var configured: ConfiguredDecoder?
  var finishedRows: Int32 = 0

  var options: WebPDecoderOptions { unsafe config.map { unsafe $0.pointee.options } ?? WebPDecoderOptions() }
  var isLossless: Bool { parser.streamType == .vp8L }
  var usesOwnBuffer: Bool { unsafe callers == nil || isSlow }

  /// The output buffer that is written: not nil if it has memory, or may get some.
  var output: WebPDecBuffer {
    get { usesOwnBuffer ? unsafe own : unsafe callers?.pointee ?? own }
    set { if usesOwnBuffer { unsafe own = newValue } else { unsafe callers?.pointee = newValue } }
  }

  /// The output buffer that the caller may see.
  var hasVisibleOutput: Bool {
    guard parser.isFinished, !parser.isAnimated, !isSlow else { return false }
    return phase != .headers && (phase != .streamHeader || isLossless)
  }
}

private typealias Handle = UnsafeMutablePointer<IncrementalDecoder>

// MARK: Decoding

extension IncrementalDecoder {
  mutating func fail(_ status: VP8StatusCode) -> VP8StatusCode {
    phase = .failed
    return status
  }

  /// Decodes as far as the bytes allow.
  ///
  /// - Parameter bytes: the file, without removed bytes.
  mutating func decode(_ bytes: Span<UInt8>) -> VP8StatusCode {
    if phase == .headers {
      do throws(FormatError) {
        try parser.parse(bytes, need: .headers)
      } catch {
        let status = VP8StatusCode(error)
        return status == VP8_STATUS_NOT_ENOUGH_DATA ? VP8_STATUS_SUSPENDED : fail(status)
      }
      if parser.isAnimated { return fail(VP8_STATUS_UNSUPPORTED_FEATURE) }
      phase = .streamHeader
    }
    // All bytes of a lossless image are available, so that a premature end is an error.
    let isComplete = isLossless && bytes.count + removed >= parser.streamEnd
    if phase == .streamHeader {
      do throws(WebP.DecodeError) {
        // A new decoder for each attempt, because a decoder waits for more bytes after a failed one.
        let new = try ConfiguredDecoder(parser, bytes, options, format: unsafe output.format)
        configured = new
        guard try new.decoder.readStreamHeader(bytes, isComplete: isComplete) else { return VP8_STATUS_SUSPENDED }
      } catch {
        return isLossless && !isComplete ? VP8_STATUS_SUSPENDED : fail(VP8StatusCode(error))
      }
      let status = unsafe configured?.allocate(&output) ?? VP8_STATUS_INVALID_PARAM
      guard status == VP8_STATUS_OK else { return fail(status) }
      phase = .rows
    }
    return decodeRows(bytes, isComplete: isComplete)
  }

  private mutating func decodeRows(_ bytes: Span<UInt8>, isComplete: Bool) -> VP8StatusCode {
    guard let configured else { return VP8_STATUS_SUSPENDED }
    let writer = configured.decoder.output
    // The caller may have moved the memory, but must not have changed the size.
    guard unsafe output.isValid(width: writer.width, height: writer.height) else {
      return fail(VP8_STATUS_INVALID_PARAM)
    }
    do throws(WebP.DecodeError) {
      try unsafe configured.decodeRows(bytes, isComplete: isComplete, into: output)
    } catch {
      // libwebp does not count the rows of a lossless image that precede an error.
      if isLossless { return fail(VP8StatusCode(error)) }
      finishedRows = Int32(configured.decoder.output.finishedRows)
      // libwebp does not know that no more bytes will arrive.
      if error.plain.cause == .truncatedTokenPartition { return VP8_STATUS_SUSPENDED }
      return fail(error.plain.chunk == .alph ? VP8_STATUS_USER_ABORT : VP8_STATUS_BITSTREAM_ERROR)
    }
    finishedRows = Int32(configured.decoder.output.finishedRows)
    return configured.decoder.isFinished ? finish() : VP8_STATUS_SUSPENDED
  }

  private mutating func finish() -> VP8StatusCode {
    phase = .finished
    if options.flip != 0 { unsafe output.flip() }
    if isSlow, let callers = unsafe callers {
      let status = unsafe callers.pointee.copyPixels(of: own)
      unsafe own.release()
      guard status == VP8_STATUS_OK else { return status }
      isSlow = false
    }
    return VP8_STATUS_OK
  }

  /// Removes copied bytes that the decoder no longer needs, if they are at least half of all copied bytes. So the total
  /// cost of moving the rest is linear.
  mutating func removeConsumedBytes() {
    guard input == .copied, phase == .rows, let copy = unsafe copy else { return }
    guard let range = configured?.decoder.releaseConsumedBytes(atLeast: max(1 << 15, count / 2)) else { return }
    // The range lies in the `count` bytes that the decoder has received.
    unsafe (copy + range.lowerBound).copyMemory(from: copy + range.upperBound, byteCount: count - range.upperBound)
    count -= range.count
    removed += range.count
  }

  /// Appends a copy of the caller's bytes. Returns whether there is enough memory.
  mutating func append(_ data: CBytes, _ more: Int) -> Bool {
    // Larger sizes are negative numbers, or exceed libwebp's limit.
    guard 0...Int(ChunkHeader.maximumSize) ~= more else { return false }
    if count + more > capacity {
      let newCapacity = max(count + more, count + count / 2, 4096)
      guard let memory = unsafe webp_realloc(copy, newCapacity) else { return false }
      (unsafe copy, capacity) = (unsafe memory, newCapacity)
    }
    unsafe copy?.advanced(by: count).copyMemory(from: data, byteCount: more)
    count += more
    return true
  }
}

extension Handle {
  /// Decodes the bytes. If an allocation fails, decoding cannot continue.
  fileprivate func decode(_ data: CBytes) -> VP8StatusCode {
    unsafe pointee.data = unsafe data
    let isFinished = unsafe pointee.heap.attempt(self) { handle in
      let handle = unsafe handle.assumingMemoryBound(to: IncrementalDecoder.self)
      guard let data = unsafe handle.pointee.data else { return }
      unsafe handle.pointee.status = handle.pointee.decode(span(data, handle.pointee.count))
      unsafe handle.pointee.removeConsumedBytes()
    }
    if isFinished { return unsafe pointee.status }
    // The object no longer exists, so that it must not be released.
    unsafe withUnsafeMutablePointer(to: &pointee.configured) { unsafe $0.initialize(to: nil) }
    return unsafe pointee.fail(VP8_STATUS_OUT_OF_MEMORY)
  }
}

/// Checks the state and the owner of the bytes before a call. Returns nil if decoding can continue.
private func status(of handle: Handle, for input: IncrementalDecoder.Input) -> VP8StatusCode? {
  if unsafe handle.pointee.phase == .failed { return VP8_STATUS_BITSTREAM_ERROR }
  if unsafe handle.pointee.phase == .finished { return VP8_STATUS_OK }
  if unsafe handle.pointee.input == .unknown { unsafe handle.pointee.input = input }
  return unsafe handle.pointee.input == input ? nil : VP8_STATUS_INVALID_PARAM
}

@c @implementation public func WebPIAppend(_ idec: OpaquePointer?, _ data: CBytes?, _ dataSize: Int) -> VP8StatusCode {
  guard let handle = unsafe Handle(idec), let data = unsafe data else { return VP8_STATUS_INVALID_PARAM }
  if let status = unsafe status(of: handle, for: .copied) { return status }
  guard unsafe handle.pointee.append(data, dataSize) else { return VP8_STATUS_OUT_OF_MEMORY }
  guard let copy = unsafe handle.pointee.copy else { return VP8_STATUS_SUSPENDED }
  return unsafe handle.decode(copy.assumingMemoryBound(to: UInt8.self))
}

@c @implementation public func WebPIUpdate(_ idec: OpaquePointer?, _ data: CBytes?, _ dataSize: Int) -> VP8StatusCode {
  guard let handle = unsafe Handle(idec), let data = unsafe data else { return VP8_STATUS_INVALID_PARAM }
  if let status = unsafe status(of: handle, for: .callers) { return status }
  guard dataSize >= (unsafe handle.pointee.count) else { return VP8_STATUS_INVALID_PARAM }
  unsafe handle.pointee.count = dataSize
  return unsafe handle.decode(data)
}

// MARK: Handles

/// - Parameter output: the caller's buffer.
private func makeHandle(_ output: CBuffer?, _ config: CConfig? = nil, isSlow: Bool = false) -> Handle? {
  guard let memory = unsafe webp_malloc(MemoryLayout<IncrementalDecoder>.size) else { return nil }
  let handle = unsafe memory.bindMemory(to: IncrementalDecoder.self, capacity: 1)
  unsafe handle.initialize(to: IncrementalDecoder())
  unsafe handle.pointee.callers = unsafe output
  unsafe handle.pointee.config = unsafe config
  unsafe handle.pointee.isSlow = isSlow
  if isSlow, let output = unsafe output { unsafe handle.pointee.own.colorspace = unsafe output.pointee.colorspace }
  return unsafe handle
}

@c @implementation public func WebPINewDecoder(_ outputBuffer: CBuffer?) -> OpaquePointer? {
  unsafe makeHandle(outputBuffer).map { OpaquePointer($0) }
}

@c @implementation public func WebPIDecode(_ data: CBytes?, _ dataSize: Int, _ config: CConfig?) -> OpaquePointer? {
  var features = unsafe config.map { unsafe $0.pointee.input } ?? WebPBitstreamFeatures()
  if unsafe data != nil, dataSize != 0 {
    let status = unsafe getFeatures(data, dataSize, &features)
    unsafe config?.pointee.input = features
    guard status == VP8_STATUS_OK else { return nil }
  }
  let output = unsafe config.map { unsafe webp_output($0) }
  let isSlow = unsafe output.map { unsafe $0.pointee.isSlow(features) } ?? false
  return unsafe makeHandle(output, config, isSlow: isSlow).map { OpaquePointer($0) }
}

@c @implementation public func WebPINewRGB(
  _ csp: WEBP_CSP_MODE, _ output: CPixels?, _ size: Int, _ stride: Int32
) -> OpaquePointer? {
  guard csp.rawValue < MODE_YUV.rawValue else { return nil }
  if unsafe output != nil, stride == 0 || size == 0 { return nil }
  guard let handle = unsafe makeHandle(nil) else { return nil }
  unsafe handle.pointee.own.colorspace = csp
  if unsafe output != nil {
    unsafe handle.pointee.own.is_external_memory = 1
    unsafe handle.pointee.own.u.RGBA = unsafe WebPRGBABuffer(rgba: output, stride: stride, size: size)
  }
  return OpaquePointer(handle)
}

@c @implementation public func WebPINewYUVA(
  _ luma: CPixels?, _ lumaSize: Int, _ lumaStride: Int32, _ u: CPixels?, _ uSize: Int, _ uStride: Int32, _ v: CPixels?,
  _ vSize: Int, _ vStride: Int32, _ a: CPixels?, _ aSize: Int, _ aStride: Int32
) -> OpaquePointer? {
  var own = unsafe WebPDecBuffer()
  unsafe own.colorspace = MODE_YUVA
  if unsafe luma != nil {
    guard unsafe u != nil, unsafe v != nil, lumaSize != 0, uSize != 0, vSize != 0, lumaStride != 0, uStride != 0,
      vStride != 0
    else { return nil }
    if unsafe a != nil, aSize == 0 || aStride == 0 { return nil }
    if unsafe a == nil { unsafe own.colorspace = MODE_YUV }
    unsafe own.is_external_memory = 1
    unsafe own.u.YUVA = unsafe WebPYUVABuffer(
      y: luma, u: u, v: v, a: a, y_stride: lumaStride, u_stride: uStride, v_stride: vStride, a_stride: aStride,
      y_size: lumaSize, u_size: uSize, v_size: vSize, a_size: aSize)
  }
  guard let handle = unsafe makeHandle(nil) else { return nil }
  unsafe handle.pointee.own = unsafe own
  return OpaquePointer(handle)
}

@c @implementation public func WebPINewYUV(
  _ luma: CPixels?, _ lumaSize: Int, _ lumaStride: Int32, _ u: CPixels?, _ uSize: Int, _ uStride: Int32, _ v: CPixels?,
  _ vSize: Int, _ vStride: Int32
) -> OpaquePointer? { unsafe WebPINewYUVA(luma, lumaSize, lumaStride, u, uSize, uStride, v, vSize, vStride, nil, 0, 0) }

@c @implementation public func WebPIDelete(_ idec: OpaquePointer?) {
  guard let handle = unsafe Handle(idec) else { return }
  unsafe handle.pointee.heap.releaseAll()
  unsafe webp_free(handle.pointee.copy)
  unsafe handle.pointee.own.release()
  unsafe webp_free(UnsafeMutableRawPointer(handle))
}

// MARK: Output

/// The output buffer, if the caller may see it.
private func visibleOutput(_ idec: OpaquePointer?) -> (buffer: UnsafePointer<WebPDecBuffer>, finishedRows: Int32)? {
  guard let handle = unsafe Handle(idec), unsafe handle.pointee.hasVisibleOutput else { return nil }
  let finishedRows = unsafe handle.pointee.finishedRows
  if let callers = unsafe handle.pointee.callers { return unsafe (UnsafePointer(callers), finishedRows) }
  // The handle's memory does not move.
  return unsafe withUnsafeMutablePointer(to: &handle.pointee.own) { unsafe (UnsafePointer($0), finishedRows) }
}

@c @implementation public func WebPIDecGetRGB(
  _ idec: OpaquePointer?, _ lastY: CNumber?, _ width: CNumber?, _ height: CNumber?, _ stride: CNumber?
) -> CPixels? {
  guard let output = unsafe visibleOutput(idec), unsafe output.buffer.pointee.colorspace.rawValue < MODE_YUV.rawValue
  else { return nil }
  unsafe lastY?.pointee = unsafe output.finishedRows
  unsafe width?.pointee = unsafe output.buffer.pointee.width
  unsafe height?.pointee = unsafe output.buffer.pointee.height
  unsafe stride?.pointee = unsafe output.buffer.pointee.u.RGBA.stride
  return unsafe output.buffer.pointee.u.RGBA.rgba
}

@c @implementation public func WebPIDecGetYUVA(
  _ idec: OpaquePointer?, _ lastY: CNumber?, _ u: CPlane?, _ v: CPlane?, _ a: CPlane?, _ width: CNumber?,
  _ height: CNumber?, _ stride: CNumber?, _ uvStride: CNumber?, _ aStride: CNumber?
) -> CPixels? {
  guard let output = unsafe visibleOutput(idec), unsafe output.buffer.pointee.colorspace.rawValue >= MODE_YUV.rawValue
  else { return nil }
  let planes = unsafe output.buffer.pointee.u.YUVA
  unsafe lastY?.pointee = unsafe output.finishedRows
  unsafe u?.pointee = unsafe planes.u
  unsafe v?.pointee = unsafe planes.v
  unsafe a?.pointee = unsafe planes.a
  unsafe width?.pointee = unsafe output.buffer.pointee.width
  unsafe height?.pointee = unsafe output.buffer.pointee.height
  unsafe stride?.pointee = unsafe planes.y_stride
  unsafe uvStride?.pointee = unsafe planes.u_stride
  unsafe aStride?.pointee = unsafe planes.a_stride
  return unsafe planes.y
}

@c @implementation public func WebPIDecodedArea(
  _ idec: OpaquePointer?, _ left: CNumber?, _ top: CNumber?, _ width: CNumber?, _ height: CNumber?
) -> UnsafePointer<WebPDecBuffer>? {
  let output = unsafe visibleOutput(idec)
  unsafe left?.pointee = 0
  unsafe top?.pointee = 0
  unsafe width?.pointee = unsafe output.map { unsafe $0.buffer.pointee.width } ?? 0
  unsafe height?.pointee = unsafe output.map { unsafe $0.finishedRows } ?? 0
  return unsafe output?.buffer
}
