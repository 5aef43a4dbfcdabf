// Decoding of a complete still image to an output buffer. The functions of decode.h are in DecodeFunctions.swift.
//
// Unsafe code: the caller of the C function guarantees the bytes of a span. Other pointers are to local variables, or
// to the caller's output buffer.

internal import CWebP
internal import WebPFormat

/// The caller's bytes as a span: `count` bytes that begin at `data`, and exist as long as the call that received them.
@_lifetime(borrow data)
func span(_ data: CBytes, _ count: Int) -> Span<UInt8> {
  let span = unsafe Span(_unsafeStart: data, count: count)
  return unsafe _overrideLifetime(span, borrowing: data)
}

extension VP8StatusCode {
  init(_ error: WebP.DecodeError) { self.init(rawValue: UInt32(error.status)) }

  /// - Parameter error: an error in the headers.
  init(_ error: FormatError) {
    // libwebp reports a bare bitstream that ends in its first partition as corrupt.
    self.init(rawValue: error.cause == .truncatedFirstPartition ? 3 : UInt32(error.status))
  }
}

extension WebPDecoderOptions {
  /// The options for an image of this size.
  ///
  /// - Returns: nil if the size to scale to is invalid.
  func decodeOptions(format: WebP.PixelFormat, width: Int, height: Int) -> WebP.DecodeOptions? {
    var options = WebP.DecodeOptions(format: format, threads: use_threads != 0 ? .automatic : .one, limits: .unlimited)
    options.bypassesLoopFilter = bypass_filtering != 0
    options.upsampling = no_fancy_upsampling != 0 ? .nearest : .fancy
    options.dithering = Int(dithering_strength)
    options.alphaSmoothing = max(0, Int(alpha_dithering_strength))
    var (width, height) = (width, height)
    if use_cropping != 0 {
      (width, height) = (Int(crop_width), Int(crop_height))
      options.crop = WebP.Rectangle(x: Int(crop_left), y: Int(crop_top), width: width, height: height)
    }
    if use_scaling != 0 {
      guard let size = scaledSize(width: width, height: height) else { return nil }
      options.size = .exact(width: size.width, height: size.height)
    }
    return options
  }

  /// The size of the output buffer for an image of this size. Nil if the crop or the size to scale to is invalid.
  ///
  /// libwebp rounds the crop's position of lossless images too when it determines this size.
  func bufferSize(width: Int, height: Int) -> (width: Int, height: Int)? {
    var (width, height) = (width, height)
    if use_cropping != 0 {
      let (x, y, cropWidth, cropHeight) = (Int(crop_left & ~1), Int(crop_top & ~1), Int(crop_width), Int(crop_height))
      guard x >= 0, y >= 0, cropWidth > 0, cropHeight > 0, x + cropWidth <= width, y + cropHeight <= height else {
        return nil
      }
      (width, height) = (cropWidth, cropHeight)
    }
    return use_scaling != 0 ? scaledSize(width: width, height: height) : (width, height)
  }

  /// The size to scale an image of this size to. Nil if it is invalid.
  func scaledSize(width: Int, height: Int) -> (width: Int, height: Int)? {
    // In 64 bits, from which libwebp takes the lower 32.
    func proportional(_ side: Int, _ numerator: Int, _ denominator: Int) -> Int {
      Int(Int32(truncatingIfNeeded: (side &* numerator &+ denominator &- 1) / denominator))
    }
    var (newWidth, newHeight) = (Int(scaled_width), Int(scaled_height))
    guard newWidth >= 0, newHeight >= 0 else { return nil }
    if newWidth == 0, height > 0 { newWidth = proportional(width, newHeight, height) }
    if newHeight == 0, width > 0 { newHeight = proportional(height, newWidth, width) }
    let sides = 1...Int(Int32.max / 2)
    return sides ~= newWidth && sides ~= newHeight ? (newWidth, newHeight) : nil
  }
}

/// Decodes a complete file.
///
/// - Parameter output: receives its size and memory. After an error, memory of the decoder is released.
func decode(_ data: CBytes?, _ count: Int, _ output: CBuffer, _ options: WebPDecoderOptions = .init()) -> VP8StatusCode
{
  guard let data = unsafe data, count >= RIFFHeader.byteCount else { return VP8_STATUS_NOT_ENOUGH_DATA }
  var (heap, call) = unsafe (WebPHeap(), FileCall(data: data, count: count, output: output, options: options))
  let isFinished = unsafe heap.attempt(&call) { call in
    let call = unsafe call.assumingMemoryBound(to: FileCall<WebPDecBuffer>.self)
    let bytes = unsafe span(call.pointee.data, call.pointee.count)
    unsafe call.pointee.status = decode(bytes, &call.pointee.output.pointee, call.pointee.options)
  }
  let status = unsafe isFinished ? call.status : VP8_STATUS_OUT_OF_MEMORY
  if status != VP8_STATUS_OK { unsafe output.pointee.release() }
  return status
}

/// The arguments and the result of a call with a complete file.
@safe struct FileCall<Output> {
  let data: CBytes
  let count: Int
  let output: UnsafeMutablePointer<Output>
  var options = WebPDecoderOptions()
  var status = VP8_STATUS_OK
}

private func decode(_ bytes: Span<UInt8>, _ output: inout WebPDecBuffer, _ options: WebPDecoderOptions) -> VP8StatusCode
{
  var headers = ImageHeaderParser()
  do throws(FormatError) {
    try headers.parse(bytes, need: .image)
  } catch {
    return headers.isAnimated && error.kind == .truncated ? VP8_STATUS_UNSUPPORTED_FEATURE : VP8StatusCode(error)
  }
  if headers.isAnimated { return VP8_STATUS_UNSUPPORTED_FEATURE }
  do throws(WebP.DecodeError) {
    let configured = try ConfiguredDecoder(headers, bytes, options, format: unsafe output.format)
    _ = try configured.decoder.readStreamHeader(bytes, isComplete: true)
    let status = unsafe configured.allocate(&output)
    guard status == VP8_STATUS_OK else { return status }
    try unsafe configured.decodeRows(bytes, isComplete: true, into: output)
  } catch {
    return VP8StatusCode(error)
  }
  if options.flip != 0 { unsafe output.flip() }
  return VP8_STATUS_OK
}

/// A decoder of an image, and the caller's options for it.
struct ConfiguredDecoder {
  let decoder: ImageDecoder
  private let options: WebPDecoderOptions
  private let size: (width: Int, height: Int)
  /// If the options do not fit the image, the decoder has the default options, and is used for the header of the stream
  /// only: an error there has precedence.
  private let fitsOptions: Bool

  /// - Parameters:
  ///   - headers: the headers of a still image, after a successful `parse`.
  ///   - format: nil if the output buffer has no valid one.
  init(
    _ headers: ImageHeaderParser, _ bytes: Span<UInt8>, _ options: WebPDecoderOptions, format: WebP.PixelFormat?
  ) throws(WebP.DecodeError) {
    self.options = options
    size = headers.stream?.size ?? (width: 0, height: 0)
    if let format, let options = options.decodeOptions(format: format, width: size.width, height: size.height),
      let decoder = try? ImageDecoder(headers, bytes, options: options)
    {
      (self.decoder, fitsOptions) = (decoder, true)
    } else {
      decoder = try ImageDecoder(headers, bytes, options: WebP.DecodeOptions(limits: .unlimited))
      fitsOptions = false
    }
  }

  /// Allocates and checks the memory for the output.
  func allocate(_ output: inout WebPDecBuffer) -> VP8StatusCode {
    guard let size = options.bufferSize(width: size.width, height: size.height) else { return VP8_STATUS_INVALID_PARAM }
    let status = unsafe output.allocate(width: size.width, height: size.height, isFlipped: options.flip != 0)
    return status == VP8_STATUS_OK && !fitsOptions ? VP8_STATUS_INVALID_PARAM : status
  }

  /// Decodes rows as far as the bytes allow.
  func decodeRows(_ bytes: Span<UInt8>, isComplete: Bool, into output: WebPDecBuffer) throws(WebP.DecodeError) {
    try unsafe output.withPixels { (pixels, layout) throws(WebP.DecodeError) in
      decoder.place(in: layout)
      try decoder.decodeRows(bytes, isComplete: isComplete, into: &pixels)
    }
  }
}
