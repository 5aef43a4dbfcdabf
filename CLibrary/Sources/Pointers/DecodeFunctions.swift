// swift-format-ignore-file: AlwaysUseLowerCamelCase, because the names are libwebp's

// The functions of webp/decode.h, except for incremental decoding.
//
// Unsafe code: a pointer with a size is the start of that many bytes, as the header specifies. All other pointers refer
// to one value, or are nil.

public import CWebP
internal import WebPFormat

/// Indicates whether a caller was compiled with compatible structures.
func isCompatible(_ version: Int32, _ own: Int32 = WEBP_DECODER_ABI_VERSION) -> Bool { version >> 8 == own >> 8 }

@c @implementation public func WebPGetDecoderVersion() -> Int32 { 0x010600 }

// MARK: Headers

/// Reads the headers, and stores what is known of the image after an error, as libwebp does.
func readFeatures(_ bytes: Span<UInt8>, _ features: inout WebPBitstreamFeatures) -> VP8StatusCode {
  features = WebPBitstreamFeatures()
  guard bytes.count >= RIFFHeader.byteCount else { return VP8_STATUS_NOT_ENOUGH_DATA }
  var headers = ImageHeaderParser()
  var status = VP8_STATUS_OK
  var knowsFormat = true
  do throws(FormatError) {
    try headers.parse(bytes, need: .headers)
  } catch {
    // The VP8X chunk suffices.
    if error.kind != .truncated || headers.extended == nil { status = VP8StatusCode(error) }
    // libwebp reads the size of the image's chunk before its type.
    knowsFormat = error.cause != .chunkExceedsFile && error.cause != .invalidChunkSize
  }
  features.has_animation = headers.isAnimated ? 1 : 0
  features.has_alpha = headers.extended?.hasAlpha == true ? 1 : 0
  if case .vp8L(let header) = headers.stream { features.has_alpha = header.hasAlpha ? 1 : 0 }
  if knowsFormat, !headers.isAnimated, let type = headers.streamType { features.format = type == .vp8L ? 2 : 1 }
  if status == VP8_STATUS_OK {
    if headers.alpha != nil { features.has_alpha = 1 }
    if let size = headers.size { (features.width, features.height) = (Int32(size.width), Int32(size.height)) }
  }
  return status
}

/// Reads the headers of the caller's bytes.
func getFeatures(_ data: CBytes?, _ count: Int, _ features: CFeatures) -> VP8StatusCode {
  guard let data = unsafe data else { return VP8_STATUS_INVALID_PARAM }
  var (heap, call) = unsafe (WebPHeap(), FileCall(data: data, count: count, output: features))
  let isFinished = unsafe heap.attempt(&call) { call in
    let call = unsafe call.assumingMemoryBound(to: FileCall<WebPBitstreamFeatures>.self)
    let bytes = unsafe span(call.pointee.data, call.pointee.count)
    unsafe call.pointee.status = readFeatures(bytes, &call.pointee.output.pointee)
  }
  return isFinished ? call.status : VP8_STATUS_OUT_OF_MEMORY
}

@c @implementation public func WebPGetFeaturesInternal(
  _ data: CBytes?, _ dataSize: Int, _ features: CFeatures?, _ version: Int32
) -> VP8StatusCode {
  guard isCompatible(version), let features = unsafe features else { return VP8_STATUS_INVALID_PARAM }
  return unsafe getFeatures(data, dataSize, features)
}

@c @implementation public func WebPGetInfo(_ data: CBytes?, _ size: Int, _ w: CNumber?, _ h: CNumber?) -> Int32 {
  var features = WebPBitstreamFeatures()
  guard unsafe getFeatures(data, size, &features) == VP8_STATUS_OK else { return 0 }
  unsafe w?.pointee = features.width
  unsafe h?.pointee = features.height
  return 1
}

// MARK: Simple functions

/// Decodes a file to new memory. Returns its output buffer, or nil after an error.
private func decode(_ data: CBytes?, _ size: Int, _ mode: WEBP_CSP_MODE, _ w: CNumber?, _ h: CNumber?)
  -> WebPDecBuffer?
{
  var output = unsafe WebPDecBuffer()
  unsafe output.colorspace = mode
  guard unsafe WebPGetInfo(data, size, &output.width, &output.height) != 0 else { return nil }
  unsafe w?.pointee = unsafe output.width
  unsafe h?.pointee = unsafe output.height
  return unsafe decode(data, size, &output) == VP8_STATUS_OK ? output : nil
}

/// Decodes a file to the caller's memory. Returns it, or nil after an error.
private func decode(
  _ data: CBytes?, _ count: Int, _ mode: WEBP_CSP_MODE, into pixels: CPixels?, size: Int, stride: Int32
) -> CPixels? {
  guard let pixels = unsafe pixels else { return nil }
  var output = unsafe WebPDecBuffer()
  unsafe (output.colorspace, output.is_external_memory) = (mode, 1)
  unsafe output.u.RGBA = WebPRGBABuffer(rgba: pixels, stride: stride, size: size)
  return unsafe decode(data, count, &output) == VP8_STATUS_OK ? pixels : nil
}

@c @implementation public func WebPDecodeRGBA(_ data: CBytes?, _ size: Int, _ w: CNumber?, _ h: CNumber?) -> CPixels? {
  unsafe decode(data, size, MODE_RGBA, w, h)?.u.RGBA.rgba
}

@c @implementation public func WebPDecodeARGB(_ data: CBytes?, _ size: Int, _ w: CNumber?, _ h: CNumber?) -> CPixels? {
  unsafe decode(data, size, MODE_ARGB, w, h)?.u.RGBA.rgba
}

@c @implementation public func WebPDecodeBGRA(_ data: CBytes?, _ size: Int, _ w: CNumber?, _ h: CNumber?) -> CPixels? {
  unsafe decode(data, size, MODE_BGRA, w, h)?.u.RGBA.rgba
}

@c @implementation public func WebPDecodeRGB(_ data: CBytes?, _ size: Int, _ w: CNumber?, _ h: CNumber?) -> CPixels? {
  unsafe decode(data, size, MODE_RGB, w, h)?.u.RGBA.rgba
}

@c @implementation public func WebPDecodeBGR(_ data: CBytes?, _ size: Int, _ w: CNumber?, _ h: CNumber?) -> CPixels? {
  unsafe decode(data, size, MODE_BGR, w, h)?.u.RGBA.rgba
}

@c @implementation public func WebPDecodeYUV(
  _ data: CBytes?, _ dataSize: Int, _ width: CNumber?, _ height: CNumber?, _ u: CPlane?, _ v: CPlane?,
  _ stride: CNumber?, _ uvStride: CNumber?
) -> CPixels? {
  guard let u = unsafe u, let v = unsafe v, let stride = unsafe stride, let uvStride = unsafe uvStride,
    let output = unsafe decode(data, dataSize, MODE_YUV, width, height)
  else { return nil }
  unsafe (u.pointee, v.pointee) = unsafe (output.u.YUVA.u, output.u.YUVA.v)
  unsafe (stride.pointee, uvStride.pointee) = unsafe (output.u.YUVA.y_stride, output.u.YUVA.u_stride)
  return unsafe output.u.YUVA.y
}

@c @implementation public func WebPDecodeRGBAInto(
  _ data: CBytes?, _ count: Int, _ output: CPixels?, _ size: Int, _ stride: Int32
) -> CPixels? { unsafe decode(data, count, MODE_RGBA, into: output, size: size, stride: stride) }

@c @implementation public func WebPDecodeARGBInto(
  _ data: CBytes?, _ count: Int, _ output: CPixels?, _ size: Int, _ stride: Int32
) -> CPixels? { unsafe decode(data, count, MODE_ARGB, into: output, size: size, stride: stride) }

@c @implementation public func WebPDecodeBGRAInto(
  _ data: CBytes?, _ count: Int, _ output: CPixels?, _ size: Int, _ stride: Int32
) -> CPixels? { unsafe decode(data, count, MODE_BGRA, into: output, size: size, stride: stride) }

@c @implementation public func WebPDecodeRGBInto(
  _ data: CBytes?, _ count: Int, _ output: CPixels?, _ size: Int, _ stride: Int32
) -> CPixels? { unsafe decode(data, count, MODE_RGB, into: output, size: size, stride: stride) }

@c @implementation public func WebPDecodeBGRInto(
  _ data: CBytes?, _ count: Int, _ output: CPixels?, _ size: Int, _ stride: Int32
) -> CPixels? { unsafe decode(data, count, MODE_BGR, into: output, size: size, stride: stride) }

@c @implementation public func WebPDecodeYUVInto(
  _ data: CBytes?, _ dataSize: Int, _ luma: CPixels?, _ lumaSize: Int, _ lumaStride: Int32, _ u: CPixels?, _ uSize: Int,
  _ uStride: Int32, _ v: CPixels?, _ vSize: Int, _ vStride: Int32
) -> CPixels? {
  guard let luma = unsafe luma else { return nil }
  var output = unsafe WebPDecBuffer()
  unsafe (output.colorspace, output.is_external_memory) = (MODE_YUV, 1)
  unsafe (output.u.YUVA.y, output.u.YUVA.y_stride, output.u.YUVA.y_size) = (luma, lumaStride, lumaSize)
  unsafe (output.u.YUVA.u, output.u.YUVA.u_stride, output.u.YUVA.u_size) = (u, uStride, uSize)
  unsafe (output.u.YUVA.v, output.u.YUVA.v_stride, output.u.YUVA.v_size) = (v, vStride, vSize)
  return unsafe decode(data, dataSize, &output) == VP8_STATUS_OK ? luma : nil
}

// MARK: Options

@c @implementation public func WebPInitDecBufferInternal(_ buffer: CBuffer?, _ version: Int32) -> Int32 {
  guard isCompatible(version), let buffer = unsafe buffer else { return 0 }
  unsafe buffer.pointee = unsafe WebPDecBuffer()
  return 1
}

@c @implementation public func WebPFreeDecBuffer(_ buffer: CBuffer?) {
  unsafe buffer?.pointee.release()
}

@c @implementation public func WebPInitDecoderConfigInternal(_ config: CConfig?, _ version: Int32) -> Int32 {
  guard isCompatible(version), let config = unsafe config else { return 0 }
  unsafe config.pointee = unsafe WebPDecoderConfig()
  return 1
}

@c @implementation public func WebPValidateDecoderConfig(_ config: UnsafePointer<WebPDecoderConfig>?) -> Int32 {
  guard let config = unsafe config, unsafe config.pointee.output.format != nil else { return 0 }
  return unsafe config.pointee.options.areValid(for: config.pointee.input) ? 1 : 0
}

extension WebPDecoderOptions {
  /// - Parameter image: its size is 0 if it is not known.
  fileprivate func areValid(for image: WebPBitstreamFeatures) -> Bool {
    if use_cropping != 0, crop_left < 0 || crop_top < 0 || crop_width <= 0 || crop_height <= 0 { return false }
    if use_scaling != 0, scaled_width < 0 || scaled_height < 0 || scaled_width == 0 && scaled_height == 0 {
      return false
    }
    if image.width > 0 || image.height > 0 {
      let fits = crop_width <= image.width - crop_left && crop_height <= image.height - crop_top
      if use_cropping != 0, !fits { return false }
      if use_scaling != 0, scaledSize(width: Int(image.width), height: Int(image.height)) == nil { return false }
    }
    return 0...100 ~= dithering_strength && 0...100 ~= alpha_dithering_strength
  }
}

@c @implementation public func WebPDecode(_ data: CBytes?, _ dataSize: Int, _ config: CConfig?) -> VP8StatusCode {
  guard let config = unsafe config else { return VP8_STATUS_INVALID_PARAM }
  var status = unsafe getFeatures(data, dataSize, &config.pointee.input)
  if status == VP8_STATUS_NOT_ENOUGH_DATA { return VP8_STATUS_BITSTREAM_ERROR }
  if status != VP8_STATUS_OK { return status }
  let (output, options) = unsafe (webp_output(config), config.pointee.options)
  guard unsafe output.pointee.isSlow(config.pointee.input) else {
    return unsafe decode(data, dataSize, output, options)
  }
  var memory = unsafe WebPDecBuffer()
  unsafe memory.colorspace = unsafe output.pointee.colorspace
  status = unsafe decode(data, dataSize, &memory, options)
  if status == VP8_STATUS_OK { status = unsafe output.pointee.copyPixels(of: memory) }
  unsafe memory.release()
  return status
}
