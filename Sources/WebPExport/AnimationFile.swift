import PureWebP

extension WebP.Animation {
  /// The animation as an APNG; one of a single frame as a PNG.
  ///
  /// Looping is kept, and timing: to the millisecond up to 65 seconds, beyond that to a hundredth of a second, a tenth, or
  /// a whole one. Each canvas is shown with the very pixels that it has here; but for frames that deny their alpha, which
  /// are opaque if all are.
  ///
  /// - Parameter metadata: what the file carries along; nil: what the animation has.
  /// - Throws: what is wrong with a frame, or that there is none (`DecodeError`), or with the file to be (`ExportError`).
  public func encoded(metadata: WebP.Metadata? = nil, png: WebP.PNGOptions = .init()) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try write(metadata: metadata, png: png) { bytes += $0 }
    return bytes
  }

  /// Writes the animation as an APNG, piece by piece; one of a single frame as a PNG.
  ///
  /// - Parameters:
  ///   - metadata: what the file carries along; nil: what the animation has.
  ///   - progress: told the number of each frame before it is written.
  ///   - sink: takes the next bytes of the file.
  /// - Returns: the size of the file's canvas, in pixels.
  /// - Throws: what is wrong with a frame, or that there is none (`DecodeError`), or with the file to be (`ExportError`).
  @discardableResult
  public func write(
    metadata: WebP.Metadata? = nil, png: WebP.PNGOptions = .init(), progress: (Int) -> Void = { _ in },
    to sink: WebP.PNGWriter.Sink
  ) throws -> (width: Int, height: Int) {
    let metadata = metadata ?? self.metadata
    guard frames.count > 1 else {
      progress(0)
      let frame = try frame(at: 0)
      try frame.image.write(metadata: metadata, png: png, to: sink)
      return (frame.image.width, frame.image.height)
    }

    var iterator = makeIterator()
    let order: ChannelOrder = isOpaque ? .rgb : .rgba
    var writer: WebP.APNGWriter?
    var size = (width: 0, height: 0)
    for (index, info) in frames.enumerated() {
      progress(index)
      guard let canvas = try iterator.nextFrame()?.image else { break }
      if writer == nil {
        size = (canvas.width, canvas.height)
        let header = WebP.PNGHeader(
          width: size.width, height: size.height, colorType: order == .rgb ? .rgb : .rgba)
        writer = try WebP.APNGWriter(
          header, frameCount: frames.count, loopCount: loopCount, metadata: metadata, compression: png.compression,
          threads: png.threads)
      }
      let (frame, image, origin) = try picture(of: info, at: index, canvas)
      let rows = try PixelRows(image, order: order, for: .png)
      let place = frame.rectangle
      var pixels = ContiguousArray<UInt8>()
      pixels.reserveCapacity(place.width * place.height * order.count)
      for row in origin.y..<origin.y + place.height {
        rows.append(row: row, columns: origin.x..<origin.x + place.width, to: &pixels)
      }
      try writer?.write(frame, pixels: pixels.span, to: sink)
    }
    try writer?.finish(to: sink)
    return size
  }

  /// What to write for a frame: a picture, where in it the frame is, and where it goes.
  ///
  /// A frame that is blended with the canvas is written as it is where blending is but a choice between its pixel and
  /// the canvas's. Where pixels have to be mixed, viewers round as they like: there, and if the first frame is smaller
  /// than the canvas, the part of the canvas that has changed is written as it has become.
  private func picture(
    of info: FrameInfo, at index: Int, _ canvas: WebP.Image
  ) throws -> (frame: WebP.APNGWriter.Frame, image: WebP.Image, origin: (x: Int, y: Int)) {
    let whole = WebP.Rectangle(x: 0, y: 0, width: canvas.width, height: canvas.height)
    guard index > 0, !isRearranged else {
      var frame = WebP.APNGWriter.Frame(whole, duration: info.duration)
      frame.isDisposed = info.isDisposed
      return (frame, canvas, (0, 0))
    }
    let place = WebP.Rectangle(x: info.x, y: info.y, width: info.width, height: info.height)
    var frame = WebP.APNGWriter.Frame(place, duration: info.duration)
    frame.isDisposed = info.isDisposed
    if info.isBlended && info.hasAlpha && !info.isKeyFrame {
      let raw = try rawFrame(at: index)
      if raw.isEitherOpaqueOrClear {
        frame.isBlended = true
        return (frame, raw, (0, 0))
      }
    }
    return (frame, canvas, (info.x, info.y))
  }

  /// Whether the options ask for canvases on which frames are not where the file has them; or where what is cleared is
  /// black.
  private var isRearranged: Bool {
    options.crop != nil || options.size != nil || options.flipsVertically || (clears && !options.format.hasAlpha)
  }

  /// Whether a frame's disposal clears what a later canvas shows.
  private var clears: Bool { frames.dropLast().contains { $0.isDisposed } }

  /// Whether no canvas has pixels that are not opaque, but those that a frame's disposal clears.
  private var isOpaque: Bool {
    if !options.format.hasAlpha { return true }
    let coversCanvas = frames[0].width == width && frames[0].height == height
    return coversCanvas && !frames.contains { $0.hasAlpha } && !(clears && isRearranged)
  }
}

extension WebP.Image {
  fileprivate var isEitherOpaqueOrClear: Bool {
    guard format.hasAlpha, format.bytesPerPixel == 4 else { return false }
    let alpha = format == .argb ? 0 : 3
    let pixels = pixels.span
    for index in Swift.stride(from: alpha, to: pixels.count, by: 4) where pixels[index] != 0 && pixels[index] != 255 {
      return false
    }
    return true
  }
}
