#if !hasFeature(Embedded) && canImport(_Concurrency)
  /// Decodes the bytes that `WebP.Updates` receives.
  final class UpdateDecoder {
    /// The decoder of a still image.
    private var decoder: WebP.StreamingDecoder
    /// The decoder of an animation. Nil unless the file is one.
    private var animation: WebP.StreamingAnimation?
    private var rowsDelivered = 0
    /// Indicates whether the complete image has the orientation of the metadata.
    private var isOriented = false
    /// The error that follows the rows that have been delivered.
    private var failure: (any Error)?
    /// Indicates whether all bytes of the frames have arrived.
    private(set) var framesArrived = false
    var isOver = false
    /// The number of bytes that were appended since the last call of `Task.yield`.
    private var bytesSinceYield = 0

    init(_ decoder: WebP.StreamingDecoder) { self.decoder = decoder }

    /// The number of pixels between two calls of `Task.yield`.
    private static var pixelLimit: Int { 1 << 20 }

    /// Counts appended bytes, and lets other tasks run.
    func yield(after bytes: Int) async {
      bytesSinceYield += bytes
      guard bytesSinceYield >= 1 << 14 else { return }
      bytesSinceYield = 0
      await Task.yield()
    }
  }

  // MARK: Still images

  extension UpdateDecoder {
    var isAnimated: Bool { animation != nil }

    /// Indicates whether neither new rows nor the upright image can be delivered.
    var needsBytes: Bool { decoder.finishedRows == rowsDelivered && animation == nil && !isOriented }

    func checkFailure() throws { if let failure { throw failure } }

    /// Retains an error that new rows precede, and throws any other error.
    func fail(_ error: any Error) throws {
      isOver = decoder.finishedRows == rowsDelivered
      if isOver { throw error }
      failure = error
    }

    /// The rows that have been completed since the last call, or all rows of the upright image. Nil for an animation.
    func newRows() -> WebP.Update? {
      guard animation == nil else { return nil }
      let isComplete = decoder.isFinished && (isOriented || !decoder.options.isUpright)
      isOver = isOver || isComplete
      guard let image = decoder.image else { return nil }
      defer { rowsDelivered = decoder.finishedRows }
      let rows = isOriented ? 0..<image.height : decoder.newRows(since: rowsDelivered)
      return WebP.Update(image: image, rows: rows, isComplete: isComplete, frame: nil, metadata: decoder.metadata)
    }

    /// Orients the complete image, if the options specify it and no more metadata follows.
    private func orient(isComplete: Bool) throws(WebP.DecodeError) {
      guard decoder.options.isUpright, decoder.isFinished, isComplete || decoder.metadataIsComplete else { return }
      try decoder.finish()
      isOriented = true
    }

    /// Decodes a bounded number of rows. If the file turns out to be an animation, passes its bytes on.
    ///
    /// - Returns: whether decoding stopped at the limit.
    func decode(_ bytes: some Collection<UInt8>) throws -> Bool {
      do throws(WebP.DecodeError) {
        let isPaused = try decoder.append(bytes, pixelLimit: Self.pixelLimit)
        try orient(isComplete: false)
        return isPaused
      } catch {
        guard error.cause == .animation else { throw error }
        animation = WebP.StreamingAnimation(options: decoder.options)
        try animation?.append(decoder.bytes)
        return false
      }
    }

    /// Decodes the rest of the available bytes, and lets other tasks run.
    func finishStep(isPaused: Bool, bytes: Int) async throws {
      if isPaused { try await resume(isComplete: false) }
      await yield(after: bytes)
    }

    /// Decodes the rest, after all bytes have arrived.
    func finishRows() async throws {
      // Some sources end when their task is cancelled, without an error.
      try Task.checkCancellation()
      try await resume(isComplete: true)
    }

    /// Decodes the available bytes.
    private func resume(isComplete: Bool) async throws {
      repeat {
        await Task.yield()
        try Task.checkCancellation()
      } while try decoder.resume(isComplete: isComplete, pixelLimit: Self.pixelLimit)
      try orient(isComplete: isComplete)
    }
  }

  // MARK: Animations

  extension UpdateDecoder {
    /// The next frame, if its bytes have arrived.
    func nextFrame() async throws -> WebP.Update? {
      while true {
        try Task.checkCancellation()
        let step = try nextStep()
        guard step.update != nil || step.isPaused else { return nil }
        await Task.yield()
        if let update = step.update { return update }
      }
    }

    /// Decodes a bounded number of pixels of a frame. Without an update and a pause, more bytes are needed.
    @inline(never)
    private func nextStep() throws -> (update: WebP.Update?, isPaused: Bool) {
      guard let (frame, isPaused) = try animation?.nextFrame(pixelLimit: Self.pixelLimit) else { return (nil, false) }
      let metadata = animation?.metadata ?? WebP.Metadata()
      let update = frame.map {
        WebP.Update(image: $0.image, rows: 0..<$0.image.height, isComplete: true, frame: $0, metadata: metadata)
      }
      return (update, isPaused)
    }

    func appendFrames(_ bytes: some Collection<UInt8>) throws {
      try animation?.append(bytes)
      framesArrived = animation?.isFinished == true
    }

    func finishFrames() throws {
      try Task.checkCancellation()
      framesArrived = true
      try animation?.finish()
    }
  }
#endif
