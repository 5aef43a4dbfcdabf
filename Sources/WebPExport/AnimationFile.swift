import PureWebP

extension WebP.Animation {
  /// Encodes the animation as an APNG, or as a PNG if it has only one frame.
  ///
  /// See ``write(metadata:png:progress:to:)``.
  public func encoded(metadata: WebP.Metadata? = nil, png: WebP.PNGOptions = .init()) throws -> WebP.EncodedFile {
    var bytes: [UInt8] = []
    let file = try write(metadata: metadata, png: png) { bytes += $0 }
    return WebP.EncodedFile(bytes: bytes, losses: file.losses)
  }

  /// Writes the animation incrementally as an APNG, or as a PNG if it has only one frame.
  ///
  /// The APNG has the loop count and the frame durations of the animation. Durations up to 65 seconds are exact to the
  /// millisecond. Longer durations are stored as the nearest fraction of two numbers of 16 bits. Each canvas has the
  /// pixels of `frame(at:)`. If all frames are declared opaque, the APNG is opaque.
  ///
  /// If `Animation(recovering:)` found an error, the file has the frames before it, and
  /// ``WebP/Loss/framesAfterError(_:frames:)`` is one of the losses.
  ///
  /// - Parameters:
  ///   - metadata: The metadata to store. Nil stores the metadata of the animation, and `Metadata()` none. The frames
  ///     are rotated only if the options of the animation specify it.
  ///   - png: The options of the PNG.
  ///   - progress: Receives the index of each frame before the frame is written.
  ///   - sink: Receives the next bytes of the file.
  /// - Returns: The size of the file's canvas, and what the file does not contain.
  /// - Throws: `DecodeError` if a frame is corrupt or the animation has no frames, `ExportError` if the file cannot be
  ///   written, `CancellationError` if the current task is cancelled.
  @discardableResult
  public func write(
    metadata: WebP.Metadata? = nil, png: WebP.PNGOptions = .init(), progress: (Int) -> Void = { _ in },
    to sink: WebP.PNGWriter.Sink
  ) throws -> WebP.WrittenFile {
    let writer = AnimationWriter(self, metadata: metadata ?? self.metadata, png: png)
    while true {
      progress(writer.framesWritten)
      if let file = try writer.writeFrame(to: sink) { return file }
    }
  }
}

/// Writes an animation frame by frame.
package final class AnimationWriter {
  /// The number of frames that have been written.
  package private(set) var framesWritten = 0

  private let animation: WebP.Animation
  private let metadata: WebP.Metadata
  private let png: WebP.PNGOptions
  private let order: ChannelOrder
  private let isCancelled: () -> Bool
  private var frames: WebP.Animation.FrameIterator
  /// Nil until the first canvas is available, because options may change its size.
  private var writer: WebP.APNGWriter?

  /// - Parameter isCancelled: Is called before each frame, for every 16 rows that are converted, and for each part of
  ///   the file.
  package init(
    _ animation: WebP.Animation, metadata: WebP.Metadata, png: WebP.PNGOptions,
    isCancelled: @escaping () -> Bool = { Task.isCancelled }
  ) {
    self.animation = animation
    self.metadata = metadata
    self.png = png
    self.isCancelled = isCancelled
    order = animation.frameCount > 1 && animation.isOpaque ? .rgb : .rgba
    frames = animation.makeIterator()
  }

  /// Writes the next frame, and the end of the file with the last one.
  ///
  /// - Returns: The file, after the last frame.
  /// - Throws: As ``WebP/Animation/write(metadata:png:progress:to:)``.
  package func writeFrame(to sink: WebP.PNGWriter.Sink) throws -> WebP.WrittenFile? {
    if isCancelled() { throw CancellationError() }
    func write(_ part: ContiguousArray<UInt8>) throws {
      if isCancelled() { throw CancellationError() }
      try sink(part)
    }
    return try throwingCancellationError {
      guard animation.frameCount > 1 else {
        let file = try animation.frame(at: 0).image.write(
          as: .png, metadata: metadata, png: png, isCancelled: isCancelled, to: write)
        return WebP.WrittenFile(size: file.size, losses: recoveryLosses + file.losses)
      }
      guard let canvas = try frames.nextFrame()?.image else { preconditionFailure("no frame follows the last one") }
      let writer = try writer ?? makeWriter(canvas)
      self.writer = writer
      try self.write(canvas, with: writer, to: write)
      framesWritten += 1
      guard framesWritten == animation.frameCount else { return nil }
      try writer.finish(to: write)
      return WebP.WrittenFile(
        size: WebP.Size(width: canvas.width, height: canvas.height), metadata, droppedProfile: writer.droppedProfile,
        after: recoveryLosses)
    }
  }

  private var recoveryLosses: [WebP.Loss] {
    animation.recoveryError.map { [.framesAfterError($0, frames: animation.frameCount)] } ?? []
  }

  private func makeWriter(_ canvas: WebP.Image) throws(WebP.ExportError) -> WebP.APNGWriter {
    let header = WebP.PNGHeader(
      width: canvas.width, height: canvas.height, colorType: order == .rgb ? .rgb : .rgba)
    return try WebP.APNGWriter(
      header, frameCount: animation.frameCount, loopCount: animation.loopCount,
      metadata: metadata.describing(canvas.appliedOrientation),
      compression: png.compression, threads: png.threads)
  }

  private func write(
    _ canvas: WebP.Image, with writer: WebP.APNGWriter, to sink: WebP.PNGWriter.Sink
  ) throws {
    let (frame, image, origin) = try animation.contents(ofFrame: framesWritten, canvas)
    let rows = PixelRows(try image.storable(in: .png, isCancelled: isCancelled), order: order)
    let rectangle = frame.rectangle
    var pixels = ContiguousArray<UInt8>()
    pixels.reserveCapacity(rectangle.width * rectangle.height * order.count)
    for row in origin.y..<origin.y + rectangle.height {
      rows.append(row: row, columns: origin.x..<origin.x + rectangle.width, to: &pixels)
    }
    try writer.write(frame, pixels: pixels.span, to: sink)
  }
}

extension WebP.Animation {
  /// Returns the contents of the APNG's frame: its parameters, an image, and the position of the frame in the image.
  ///
  /// The first frame is stored as the complete canvas, and so are all frames if `isRearranged`. Other
  /// frames are stored as their rectangle of the canvas. A frame that is blended with the canvas is stored unchanged if
  /// each of its pixels is either opaque or transparent. Otherwise viewers would have to mix colors, with different
  /// rounding.
  fileprivate func contents(
    ofFrame index: Int, _ canvas: WebP.Image
  ) throws -> (frame: WebP.APNGWriter.Frame, image: WebP.Image, origin: (x: Int, y: Int)) {
    let info = frames[index]
    guard index > 0, !isRearranged else {
      let rectangle = WebP.Rectangle(x: 0, y: 0, width: canvas.width, height: canvas.height)
      let frame = WebP.APNGWriter.Frame(
        rectangle, milliseconds: info.storedMilliseconds, isDisposed: info.isDisposed)
      return (frame, canvas, (0, 0))
    }
    let rectangle = info.rectangle
    var frame = WebP.APNGWriter.Frame(
      rectangle, milliseconds: info.storedMilliseconds, isDisposed: info.isDisposed)
    if info.isBlended && info.hasAlpha && !info.isKeyFrame {
      let raw = try image(ofFrame: index)
      if raw.isEitherOpaqueOrClear {
        frame.isBlended = true
        return (frame, raw, (0, 0))
      }
    }
    return (frame, canvas, (rectangle.x, rectangle.y))
  }

  /// Indicates whether the canvases differ from the file's canvases in position, or in the color of cleared pixels.
  private var isRearranged: Bool {
    options.crop != nil || options.size != nil || options.flipsVertically || appliedOrientation != .up
      || (clears && !options.format.hasAlpha)
  }

  /// Indicates whether the disposal of a frame clears pixels that a later canvas shows.
  private var clears: Bool { frames.dropLast().contains { $0.isDisposed } }

  /// Indicates whether all pixels are opaque, except for pixels that the disposal of a frame clears.
  fileprivate var isOpaque: Bool {
    if !options.format.hasAlpha { return true }
    let coversCanvas = frames[0].rectangle.size == canvasSize
    return coversCanvas && !frames.contains { $0.hasAlpha } && !(clears && isRearranged)
  }
}

extension WebP.Image {
  fileprivate var isEitherOpaqueOrClear: Bool {
    guard let alpha = format.alphaOffset else { return false }
    let pixels = pixels.span
    for index in Swift.stride(from: alpha, to: pixels.count, by: 4) where pixels[index] != 0 && pixels[index] != 255 {
      return false
    }
    return true
  }
}
