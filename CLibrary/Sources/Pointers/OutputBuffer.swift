// Output buffers: WebPDecBuffer, and the memory that it describes.
//
// Unsafe code: the pointers in a buffer are the caller's, or the decoder's own. `isValid` proves for each plane that
// its rows lie in the size that the caller has declared for it. `withPixels` is called only for valid buffers, and
// passes only these rows to the decoder.

internal import CWebP

/// A plane of an output buffer.
@safe private struct BufferPlane {
  /// The start of the top row.
  let start: CPixels?
  /// The distance between rows. Negative if the top row is the last one in memory.
  let stride: Int
  /// The size of the memory.
  let size: Int
  let rowBytes: Int
  let rows: Int

  init(_ start: CPixels?, _ stride: Int32, _ size: Int, rowBytes: Int, rows: Int) {
    unsafe self.start = start
    (self.stride, self.size, self.rowBytes, self.rows) = (Int(stride), size, rowBytes, rows)
  }

  /// The bytes from the start of the first row in memory to the end of the last one.
  var byteCount: Int { abs(stride) * (rows - 1) + rowBytes }

  /// Neither product overflows: a stride has 32 bits, and so has the number of rows. `size` is an unsigned number in C,
  /// so that a negative one is larger than all others.
  var isValid: Bool { unsafe start != nil && abs(stride) >= rowBytes && UInt(byteCount) <= UInt(bitPattern: size) }

  /// The first row in memory.
  var lowest: CPixels? { unsafe start.map { unsafe stride < 0 ? $0 + stride * (rows - 1) : $0 } }
}

extension WebPDecBuffer {
  /// The pixel format. Nil if `colorspace` has no valid value.
  var format: WebP.PixelFormat? { unsafe colorspace.format }

  /// Indicates whether the decoder writes to memory of its own first, as libwebp does.
  func isSlow(_ features: WebPBitstreamFeatures) -> Bool {
    let isPremultiplied = unsafe MODE_rgbA.rawValue...MODE_rgbA_4444.rawValue ~= colorspace.rawValue
    return unsafe isPremultiplied && is_external_memory >= 2 && features.has_alpha != 0
  }

  private var planeCount: Int { unsafe format.map { $0.planeCount ?? 1 } ?? 0 }

  private func plane(_ index: Int) -> BufferPlane {
    let (width, height) = unsafe (Int(width), Int(height))
    if unsafe planeCount == 1 {
      let (packed, rowBytes) = unsafe (u.RGBA, width * (format?.bytesPerPixel ?? 0))
      return unsafe BufferPlane(packed.rgba, packed.stride, packed.size, rowBytes: rowBytes, rows: height)
    }
    let (planes, halfWidth, halfHeight) = unsafe (u.YUVA, (width + 1) / 2, (height + 1) / 2)
    return switch index {
    case 0: unsafe BufferPlane(planes.y, planes.y_stride, planes.y_size, rowBytes: width, rows: height)
    case 1: unsafe BufferPlane(planes.u, planes.u_stride, planes.u_size, rowBytes: halfWidth, rows: halfHeight)
    case 2: unsafe BufferPlane(planes.v, planes.v_stride, planes.v_size, rowBytes: halfWidth, rows: halfHeight)
    default: unsafe BufferPlane(planes.a, planes.a_stride, planes.a_size, rowBytes: width, rows: height)
    }
  }

  /// Indicates whether the memory has room for the pixels.
  private var isValid: Bool { unsafe planeCount > 0 && (0..<planeCount).allSatisfy { unsafe plane($0).isValid } }

  /// Indicates whether the memory has room for the pixels, and the buffer has this size.
  func isValid(width: Int, height: Int) -> Bool {
    unsafe self.width == Int32(width) && self.height == Int32(height) && isValid
  }

  /// Allocates the memory unless it is the caller's or exists already, and checks it.
  ///
  /// - Parameters:
  ///   - width: the width of the output, in pixels.
  ///   - isFlipped: the rows are written from the last one in memory to the first one.
  mutating func allocate(width: Int, height: Int, isFlipped: Bool) -> VP8StatusCode {
    unsafe (self.width, self.height) = (Int32(width), Int32(height))
    guard let format = unsafe format else { return VP8_STATUS_INVALID_PARAM }
    if unsafe is_external_memory <= 0, unsafe private_memory == nil {
      let stride = width * format.bytesPerPixel
      guard stride <= Int32.max else { return VP8_STATUS_INVALID_PARAM }
      let (lumaSize, halfWidth) = (stride * height, (width + 1) / 2)
      let chromaSize = format.isPlanar ? halfWidth * ((height + 1) / 2) : 0
      let alphaSize = format == .yuva ? lumaSize : 0
      // libwebp's limit for one allocation on 64-bit processors.
      let total = lumaSize + 2 * chromaSize + alphaSize
      guard total <= 1 << 34, let start = unsafe webp_malloc(total) else { return VP8_STATUS_OUT_OF_MEMORY }
      let memory = unsafe start.assumingMemoryBound(to: UInt8.self)
      unsafe private_memory = memory
      if format.isPlanar {
        let (chroma, chromaStride) = unsafe (memory + lumaSize, Int32(halfWidth))
        unsafe u.YUVA = unsafe WebPYUVABuffer(
          y: memory, u: chroma, v: chroma + chromaSize, a: alphaSize > 0 ? chroma + 2 * chromaSize : u.YUVA.a,
          y_stride: Int32(stride), u_stride: chromaStride, v_stride: chromaStride,
          a_stride: alphaSize > 0 ? Int32(width) : 0, y_size: lumaSize, u_size: chromaSize, v_size: chromaSize,
          a_size: alphaSize)
      } else {
        unsafe u.RGBA = WebPRGBABuffer(rgba: memory, stride: Int32(stride), size: lumaSize)
      }
    }
    guard unsafe isValid else { return VP8_STATUS_INVALID_PARAM }
    if isFlipped { unsafe flip() }
    return VP8_STATUS_OK
  }

  /// Exchanges the first and the last row of each plane, by their pointers and strides.
  mutating func flip() {
    func flip(_ start: inout CPixels?, _ stride: inout Int32, rows: Int) {
      guard let first = unsafe start else { return }
      (unsafe start, stride) = unsafe (first + (rows - 1) * Int(stride), -stride)
    }
    // Copies, because two fields of a union cannot be passed at the same time.
    var (planes, packed, height) = unsafe (u.YUVA, u.RGBA, Int(height))
    if unsafe format?.isPlanar == true {
      unsafe flip(&planes.y, &planes.y_stride, rows: height)
      unsafe flip(&planes.u, &planes.u_stride, rows: (height + 1) / 2)
      unsafe flip(&planes.v, &planes.v_stride, rows: (height + 1) / 2)
      unsafe flip(&planes.a, &planes.a_stride, rows: height)
      unsafe u.YUVA = unsafe planes
    } else {
      unsafe flip(&packed.rgba, &packed.stride, rows: height)
      unsafe u.RGBA = unsafe packed
    }
  }

  /// Releases the decoder's memory.
  mutating func release() {
    if unsafe is_external_memory <= 0 { unsafe webp_free(private_memory) }
    unsafe private_memory = nil
  }

  /// Copies the pixels of a buffer of the same format and size.
  mutating func copyPixels(of source: WebPDecBuffer) -> VP8StatusCode {
    unsafe (width, height) = (source.width, source.height)
    guard unsafe isValid else { return VP8_STATUS_INVALID_PARAM }
    for index in 0..<(unsafe planeCount) {
      let (from, to) = unsafe (source.plane(index), plane(index))
      for row in 0..<to.rows {
        unsafe to.start?.advanced(by: row * to.stride).update(
          from: from.start.unsafelyUnwrapped + row * from.stride, count: to.rowBytes)
      }
    }
    return VP8_STATUS_OK
  }

  /// Calls `body` with the memory of all planes as one span, and their positions in it.
  ///
  /// The planes of a planar format need not be adjacent. The span then includes bytes between them that may belong to
  /// anything. The decoder accesses only the rows in the layout.
  func withPixels(
    _ body: (inout MutableSpan<UInt8>, WebP.Layout) throws(WebP.DecodeError) -> Void
  ) throws(WebP.DecodeError) {
    let planes = unsafe (0..<planeCount).map { unsafe plane($0) }
    guard let start = unsafe planes.compactMap({ unsafe $0.lowest }).min(),
      let end = unsafe planes.compactMap({ plane in unsafe plane.lowest.map { unsafe $0 + plane.byteCount } }).max()
    else { return }
    let layout = unsafe WebP.Layout(
      planes: planes.map {
        unsafe WebP.Layout.Plane(
          offset: $0.start.unsafelyUnwrapped - start, stride: $0.stride, rowBytes: $0.rowBytes, rows: $0.rows)
      }, byteCount: end - start)
    var pixels = unsafe MutableSpan(_unsafeStart: start, count: end - start)
    try body(&pixels, layout)
  }
}

extension WebP.Layout {
  fileprivate init(planes: [Plane], byteCount: Int) { (self.planes, self.byteCount) = (planes, byteCount) }
}

extension WEBP_CSP_MODE {
  /// The pixel format. Nil for values that are not valid.
  var format: WebP.PixelFormat? {
    let formats: [WebP.PixelFormat] = [
      .rgb, .rgba, .bgr, .bgra, .argb, .rgba4444, .rgb565, .rgbaPremultiplied, .bgraPremultiplied, .argbPremultiplied,
      .rgba4444Premultiplied, .yuv, .yuva,
    ]
    return rawValue < formats.count ? formats[Int(rawValue)] : nil
  }
}
