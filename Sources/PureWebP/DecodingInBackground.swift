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
      try options.limits.checkInput(bytes.count)  // before they are copied
      return try await decodeInBackground(storing: ContiguousArray(bytes), options: options)
    }

    @usableFromInline
    static func decodeInBackground(
      storing bytes: ContiguousArray<UInt8>, options: DecodeOptions
    ) async throws -> Image {
      let decoding = BackgroundState(StepwiseDecoding(bytes, options)) { $0.step() }
      while true {
        try Task.checkCancellation()
        if let image = try await decoding.nextOutput().get() { return image }
      }
    }
  }

  /// The state of `decodeInBackground`.
  private struct StepwiseDecoding {
    private let bytes: ContiguousArray<UInt8>
    private let options: WebP.DecodeOptions
    /// Nil before the first step.
    private var session: StillSession?

    /// The number of pixels that one step decodes.
    private static let pixelsPerStep = 1 << 20

    init(_ bytes: ContiguousArray<UInt8>, _ options: WebP.DecodeOptions) {
      self.bytes = bytes
      self.options = options
    }

    /// Decodes about a megapixel of a still image, or the complete first frame of an animation. Returns the image in
    /// the last step, and nil in all steps before it.
    mutating func step() -> Result<WebP.Image?, WebP.DecodeError> {
      do throws(WebP.DecodeError) {
        return .success(try nextRows())
      } catch {
        return .failure(error)
      }
    }

    private mutating func nextRows() throws(WebP.DecodeError) -> WebP.Image? {
      if session == nil {
        let headers = try ImageHeaderParser(forDecoding: bytes.span)
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
