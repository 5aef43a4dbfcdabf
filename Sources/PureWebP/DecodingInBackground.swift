internal import WebPFormat

#if canImport(Dispatch) && !hasFeature(Embedded) && canImport(_Concurrency)
  extension WebP {
    /// Decodes a still image, or the first frame of an animation on its canvas, without blocking the cooperative thread
    /// pool.
    ///
    /// The result equals the result of ``decode(_:options:)-(Collection<UInt8>,_)``. Decoding runs on Dispatch
    /// threads. If the task is cancelled, the decoding of a still image ends within a few milliseconds. The decoding of
    /// an animation's first frame cannot be interrupted.
    ///
    /// - Parameters:
    ///   - bytes: A complete file, or a bare VP8 or VP8L stream. It is copied.
    ///   - options: The decoding options.
    /// - Throws: ``DecodeError`` if the bytes are corrupt or exceed the limits of `options`. `CancellationError` if the
    ///   task is cancelled.
    @inlinable
    public static func decodeInBackground(
      _ bytes: some Collection<UInt8>, options: DecodeOptions = DecodeOptions()
    ) async throws -> Image {
      try options.limits.check(bytes: bytes.count)  // before they are copied
      return try await decodeInBackground(storing: ContiguousArray(bytes), options: options)
    }

    @usableFromInline
    static func decodeInBackground(
      storing bytes: ContiguousArray<UInt8>, options: DecodeOptions
    ) async throws -> Image {
      try await finish(StepwiseDecoding(bytes: bytes, options: options))
    }

    /// Decodes a small upright image without blocking the cooperative thread pool.
    ///
    /// ```swift
    /// let thumbnail = try await WebP.thumbnailInBackground(bytes, fitting: 256)
    /// ```
    ///
    /// The result equals the result of ``thumbnail(_:fitting:options:)-(Collection<UInt8>,_,_)``. It is decoded and
    /// cancelled as by ``decodeInBackground(_:options:)``.
    ///
    /// - Parameters:
    ///   - bytes: A complete file, or a bare VP8 or VP8L stream. It is copied.
    ///   - side: The maximum of width and height, in pixels, at least 1.
    ///   - options: The decoding options, except that `side` replaces the `size`.
    /// - Throws: ``DecodeError`` if the bytes are corrupt or exceed the limits of `options`, or `side` is not positive.
    ///   `CancellationError` if the task is cancelled.
    @inlinable
    public static func thumbnailInBackground(
      _ bytes: some Collection<UInt8>, fitting side: Int, options: DecodeOptions = DecodeOptions()
    ) async throws -> Image {
      try options.limits.check(bytes: bytes.count)  // before they are copied
      return try await thumbnailInBackground(storing: ContiguousArray(bytes), fitting: side, options: options)
    }

    @usableFromInline
    static func thumbnailInBackground(
      storing bytes: ContiguousArray<UInt8>, fitting side: Int, options: DecodeOptions
    ) async throws -> Image {
      var options = options
      options.size = .fit(width: side, height: side)
      return try await finish(StepwiseDecoding(bytes: bytes, options: options, isUpright: true))
    }

    @inline(never)  // two copies would take 2 KB
    private static func finish(_ decoding: sending StepwiseDecoding) async throws -> Image {
      let decoding = BackgroundState(decoding) { $0.step() }
      while true {
        try Task.checkCancellation()
        if let image = try await decoding.nextOutput().get() { return image }
      }
    }
  }

  /// The state of `decodeInBackground` and `thumbnailInBackground`.
  private struct StepwiseDecoding {
    let bytes: ContiguousArray<UInt8>
    let options: WebP.DecodeOptions
    /// Indicates whether the image is oriented as its metadata specifies.
    var isUpright = false
    /// Nil before the first step.
    var session: StillSession?

    /// The number of pixels that one step decodes.
    private static let pixelsPerStep = 1 << 20

    /// Decodes about a megapixel of a still image, or the complete first frame of an animation. Returns the image in
    /// the last step, and nil in all steps before it.
    mutating func step() -> Result<WebP.Image?, WebP.DecodeError> {
      do throws(WebP.DecodeError) {
        let image = try nextRows()
        guard isUpright else { return .success(image) }
        let metadata = image.map { _ in WebP.metadata(bytes.span, limits: options.limits) }
        return .success(image?.oriented(metadata?.orientation ?? .up))
      } catch {
        return .failure(error)
      }
    }

    private mutating func nextRows() throws(WebP.DecodeError) -> WebP.Image? {
      if session == nil {
        let headers = try WebP.DecodeError.converting(try ImageHeaderParser(forDecoding: bytes.span))
        if headers.isAnimated { return try FirstFrame.image(bytes.span, options: options) }
        session = StillSession(headers, bytes, options: options)
      }
      let width = session?.size?.width ?? Self.pixelsPerStep
      let end = (session?.finishedRows ?? 0) + max(1, Self.pixelsPerStep / width)
      try session?.decodeRows(isComplete: true, before: end)
      return session?.isFinished == true ? session?.image : nil
    }
  }
#endif
