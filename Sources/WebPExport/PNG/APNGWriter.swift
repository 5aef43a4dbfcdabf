// Animated PNG (PNG specification, third edition, sections 4.9 and 11.3.6):
//
//   IHDR … acTL │ fcTL IDAT … │ fcTL fdAT … │ fcTL fdAT … │ IEND
//          frame count, plays   position, duration, blending and disposal; then an image
//
// fcTL and fdAT share one sequence of numbers. Viewers without animation support show the first frame.

import PureWebP

extension WebP {
  /// Writes an APNG frame by frame.
  ///
  /// The sink receives the file incrementally, as in ``PNGWriter``.
  public final class APNGWriter {
    /// One frame of an animation.
    public struct Frame: Hashable, Sendable {
      /// The frame's rectangle on the canvas. The first frame covers the complete canvas.
      public var rectangle: Rectangle
      /// The duration. Negative values become 0. Durations above 65 seconds are stored as the nearest fraction of two
      /// numbers of 16 bits. The maximum is 65535 seconds.
      public var milliseconds: Int
      /// Indicates whether the frame is alpha-blended with the canvas. Otherwise it replaces its rectangle.
      public var isBlended: Bool
      /// Indicates whether the rectangle becomes transparent after the frame's duration. Otherwise it stays as it is.
      public var isDisposed: Bool

      /// Creates a frame. By default it replaces its rectangle and stays on the canvas.
      public init(
        _ rectangle: Rectangle, milliseconds: Int, isBlended: Bool = false, isDisposed: Bool = false
      ) {
        self.rectangle = rectangle
        self.milliseconds = milliseconds
        self.isBlended = isBlended
        self.isDisposed = isDisposed
      }
    }

    /// The reason why the ICC profile of `metadata` is not in the file. Nil if it is, or if there is no profile.
    public let droppedProfile: DroppedProfile?
    private let header: PNGHeader
    private let compression: PNGCompression
    private let threads: Threads
    private var framesLeft: Int
    private var isFirst = true
    /// The sequence number of the next fcTL or fdAT.
    private var sequenceNumber: UInt32 = 0
    /// The bytes of the file that the sink has not received.
    private var output = ContiguousArray<UInt8>.pngSignature

    /// Starts a file.
    ///
    /// - Parameters:
    ///   - header: the header of the canvas. Its color type applies to all frames, and must not be a palette.
    ///   - frameCount: the number of frames.
    ///   - loopCount: the number of times that the animation is to be shown. 0 means forever.
    ///   - metadata: an ICC profile, Exif and XMP. A profile for other pixels is dropped; see ``droppedProfile``.
    ///   - compression: the level of the compression.
    ///   - threads: the maximum number of threads that compress. The file does not depend on it.
    /// - Throws: `invalidHeader`, `tooLarge` or `outOfMemory`.
    public init(
      _ header: PNGHeader, frameCount: Int, loopCount: Int, metadata: Metadata = Metadata(),
      compression: PNGCompression = .automatic, threads: Threads = .automatic
    ) throws(ExportError) {
      try header.check()
      if case .palette = header.colorType { throw .invalidHeader("frames have no palette in common") }
      guard frameCount > 0, loopCount >= 0 else { throw .invalidHeader("no frames, or a negative number of loops") }
      guard max(frameCount, loopCount) <= Int(Int32.max) else { throw .tooLarge(.png) }
      self.header = header
      droppedProfile = DroppedProfile(metadata.icc, for: header.colorType)
      self.compression = compression
      self.threads = threads
      framesLeft = frameCount
      try output.append(header: header, metadata: metadata)
      var control = ContiguousArray<UInt8>()
      control.appendBigEndian(UInt32(frameCount))
      control.appendBigEndian(UInt32(loopCount))
      output.append(chunk: "acTL", control)
    }

    /// Adds a frame.
    ///
    /// - Parameters:
    ///   - frame: the rectangle of the frame, its duration, and how it changes the canvas.
    ///   - pixels: the rows of the rectangle, without gaps.
    ///   - sink: receives the next bytes of the file.
    /// - Precondition: `pixels` has the size of the rectangle, and at most `frameCount` frames are written.
    /// - Throws: `invalidHeader` if the rectangle exceeds the canvas; `outOfMemory`; `cancelled`; `output` with the
    ///   error of the sink.
    public func write(_ frame: Frame, pixels: Span<UInt8>, to sink: PNGWriter.Sink) throws(ExportError) {
      precondition(framesLeft > 0, "more frames than declared")
      let rectangle = frame.rectangle
      guard rectangle.x >= 0, rectangle.y >= 0, rectangle.width > 0, rectangle.height > 0,
        rectangle.width <= header.width - rectangle.x, rectangle.height <= header.height - rectangle.y,
        !isFirst || (rectangle.width == header.width && rectangle.height == header.height)
      else { throw .invalidHeader("the frame does not fit the canvas") }
      appendControl(of: frame)

      let own = PNGHeader(width: rectangle.width, height: rectangle.height, colorType: header.colorType)
      var rows = PNGRowCompressor(own, compression, threads: threads)
      try rows.append(rows: pixels) { part throws(ExportError) in try emit(part, to: sink) }
      precondition(rows.rowsLeft == 0, "rows are missing")
      framesLeft -= 1
      isFirst = false
    }

    /// Ends the file.
    ///
    /// - Parameters:
    ///   - metadata: Exif and XMP that `init` did not receive. An ICC profile is ignored, because it must precede the
    ///     pixels.
    ///   - sink: receives the last bytes of the file.
    /// - Precondition: all frames have been written.
    /// - Throws: `output` with the error of the sink.
    public func finish(metadata: Metadata = Metadata(), to sink: PNGWriter.Sink) throws(ExportError) {
      precondition(framesLeft == 0, "frames are missing")
      output.append(text: metadata)
      output.append(chunk: "IEND", [])
      try emit(to: sink)
    }

    private func appendControl(of frame: Frame) {
      var control = ContiguousArray<UInt8>()
      control.appendBigEndian(nextSequenceNumber())
      let rectangle = frame.rectangle
      for number in [rectangle.width, rectangle.height, rectangle.x, rectangle.y] {
        control.appendBigEndian(UInt32(number))
      }
      control.appendBigEndian(Self.delay(ofMilliseconds: frame.milliseconds))
      control.append(frame.isDisposed ? 1 : 0)  // APNG_DISPOSE_OP_BACKGROUND, NONE
      control.append(frame.isBlended ? 1 : 0)  // APNG_BLEND_OP_OVER, SOURCE
      output.append(chunk: "fcTL", control)
    }

    /// The duration in seconds, as a fraction of two 16-bit numbers: the numerator in the upper half. The denominator
    /// is 1000 if the numerator then fits. Otherwise the fraction is the nearest one.
    private static func delay(ofMilliseconds duration: Int) -> UInt32 {
      let largest = Int64(UInt16.max)
      // In 64 bits, because the products may exceed the 32 bits that Int has on some platforms.
      let duration = min(max(Int64(duration), 0), 1000 * largest)
      guard duration > largest else { return UInt32(duration) << 16 | 1000 }
      var nearest = (numerator: duration / 1000, denominator: 1 as Int64, error: duration % 1000)
      for denominator in 1...1000 * largest / duration {
        let numerator = min((duration * denominator + 500) / 1000, largest)
        // The distance of the fractions in milliseconds is this number divided by the denominator.
        let error = abs(numerator * 1000 - duration * denominator)
        if error * nearest.denominator < nearest.error * denominator { nearest = (numerator, denominator, error) }
      }
      return UInt32(nearest.numerator) << 16 | UInt32(nearest.denominator)
    }

    private func nextSequenceNumber() -> UInt32 {
      defer { sequenceNumber += 1 }
      return sequenceNumber
    }

    private func emit(_ part: ContiguousArray<UInt8>, to sink: PNGWriter.Sink) throws(ExportError) {
      if isFirst {
        output.append(chunk: "IDAT", part)
      } else {
        var payload = ContiguousArray<UInt8>()
        payload.appendBigEndian(nextSequenceNumber())
        output.append(chunk: "fdAT", payload + part)
      }
      try emit(to: sink)
    }

    private func emit(to sink: PNGWriter.Sink) throws(ExportError) {
      do { try sink(output) } catch { throw .output(error) }
      output.removeAll(keepingCapacity: true)
    }
  }
}
