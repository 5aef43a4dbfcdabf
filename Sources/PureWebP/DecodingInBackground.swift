internal import WebPFormat

#if canImport(Dispatch) && !hasFeature(Embedded) && canImport(_Concurrency)
  extension WebP {
    /// Decodes a still image, or the first frame of an animation on its canvas, without blocking the cooperative thread
    /// pool.
    ///
    /// The result equals the result of ``decode(_:options:)-(Collection<UInt8>,_)``. Decoding runs on
    /// Dispatch threads. If the task is cancelled, decoding ends after about a megapixel of the stored image, or after
    /// the prefix codes of a lossless image.
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
      try await lastOutput(of: StepwiseDecoding(bytes: bytes, options: options)) { $0.step() }
    }

    /// Repeats a step until it returns an image or the task is cancelled.
    @inline(never)  // two copies would take 2 KB
    static func lastOutput<State>(
      of state: sending State, step: @escaping @Sendable (inout State) -> Result<Image?, DecodeError>
    ) async throws -> Image {
      let decoding = BackgroundState(state, step: step)
      while true {
        try Task.checkCancellation()
        if let image = try await decoding.nextOutput().get() { return image }
      }
    }
  }

  /// The state of `decodeInBackground`.
  struct StepwiseDecoding {
    let bytes: ContiguousArray<UInt8>
    /// After the first step, the options for the stored image.
    private(set) var options: WebP.DecodeOptions
    /// Indicates whether the image is oriented as its metadata specifies.
    private let isUpright: Bool
    /// The orientation in the metadata, if the image is to be oriented.
    private var orientation = WebP.Orientation.up
    /// The number of pixels that one step decodes, converts or orients.
    private let pixelsPerStep: Int
    private var stage = Stage.opening

    init(
      bytes: ContiguousArray<UInt8>, options: WebP.DecodeOptions, pixelsPerStep: Int = 1 << 20
    ) {
      self.bytes = bytes
      self.options = options
      isUpright = options.isUpright
      self.pixelsPerStep = pixelsPerStep
    }

    private enum Stage {
      case opening
      case still(StillSession)
      case animation(FirstFrame)
      case orienting(OrientedCopy)
    }

    /// Decodes about a megapixel. Returns the image in the last step, and nil in all steps before it.
    mutating func step() -> Result<WebP.Image?, WebP.DecodeError> {
      do throws(WebP.DecodeError) { return .success(try nextImage()) } catch { return .failure(error) }
    }

    @_optimize(size)
    private mutating func nextImage() throws(WebP.DecodeError) -> WebP.Image? {
      switch stage {
      case .opening:
        let headers = try WebP.DecodeError.converting(try ImageHeaderParser(forDecoding: bytes.span))
        orientation = options.orientation(of: bytes.span)
        options = options.beforeOrienting(orientation)
        stage =
          headers.isAnimated
          ? .animation(try FirstFrame(bytes.span, options: options))
          : .still(StillSession(headers, bytes, options: options))
        return nil
      case .still(let session):
        try session.decodeRows(isComplete: true, pixelLimit: pixelsPerStep)
        return session.isFinished ? upright(session.image) : nil
      case .animation(let frame):
        return upright(try frame.nextImage(bytes.span, pixelLimit: pixelsPerStep))
      case .orienting(let copy):
        copy.step(pixelLimit: pixelsPerStep)
        return copy.image
      }
    }

    private mutating func upright(_ image: WebP.Image?) -> WebP.Image? {
      guard isUpright, let image else { return image }
      if orientation == .up { return image.oriented(.up) }
      stage = .orienting(OrientedCopy(of: image, orientation))
      return nil
    }
  }
#endif
