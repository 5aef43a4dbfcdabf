#if canImport(Dispatch)
  import Dispatch
  import PureWebP

  extension WebP.Image {
    /// Encodes the image as a file, without blocking the cooperative thread pool.
    ///
    /// ```swift
    /// let png = try await WebP.decodeInBackground(bytes, options: .init(isUpright: true)).encodedInBackground()
    /// ```
    ///
    /// The result equals the result of ``encoded(as:metadata:png:)``. Encoding runs on threads of Dispatch. If the task
    /// is cancelled, it ends after the next part of the file, which has at most about 1.5 MB of pixels for each thread.
    ///
    /// - Parameters:
    ///   - format: As in ``encoded(as:metadata:png:)``.
    ///   - metadata: As in ``encoded(as:metadata:png:)``.
    ///   - png: The options of a PNG.
    /// - Throws: `ExportError` as ``encoded(as:metadata:png:)``. `CancellationError` if the task is cancelled.
    public func encodedInBackground(
      as format: WebP.FileFormat = .png, metadata: WebP.Metadata = .init(), png: WebP.PNGOptions = .init()
    ) async throws -> [UInt8] {
      let cancellation = CancellationFlag()
      let encoding = BackgroundState(()) { _ in
        Result {
          var bytes: [UInt8] = []
          _ = try throwingCancellationError {
            let isCancelled = { cancellation.isSet }
            return try write(as: format, metadata: metadata, png: png, isCancelled: isCancelled) { part in
              if isCancelled() { throw CancellationError() }
              bytes += part
            }
          }
          return bytes
        }
      }
      return try await withTaskCancellationHandler {
        try Task.checkCancellation()
        return try await encoding.nextOutput().get()
      } onCancel: {
        cancellation.set()
      }
    }
  }

  extension WebP.Animation {
    /// Encodes the animation as an APNG, or as a PNG if it has only one frame, without blocking the cooperative thread
    /// pool.
    ///
    /// The result equals the result of ``encoded(metadata:png:)``. If the task is cancelled, encoding ends after the
    /// next part of the file, or after the frame that is being decoded.
    ///
    /// - Throws: As ``write(metadata:png:progress:to:)``.
    public func encodedInBackground(
      metadata: WebP.Metadata? = nil, png: WebP.PNGOptions = .init()
    ) async throws -> WebP.EncodedFile {
      let cancellation = CancellationFlag()
      let writer = AnimationWriter(
        self, metadata: metadata ?? self.metadata, png: png, isCancelled: { cancellation.isSet })
      let encoding = BackgroundState((writer: writer, bytes: [UInt8]())) { state in
        Result {
          var part: [UInt8] = []
          let file = try state.writer.writeFrame { part += $0 }
          state.bytes += part
          return file
        }
      }
      return try await withTaskCancellationHandler {
        while true {
          try Task.checkCancellation()
          if let file = try await encoding.nextOutput().get() {
            return WebP.EncodedFile(bytes: encoding.access { $0.bytes }, losses: file.losses)
          }
        }
      } onCancel: {
        cancellation.set()
      }
    }
  }

  /// A flag that the handler of a cancelled task sets, and the thread that encodes reads.
  ///
  /// A semaphore, because atomic variables are not available on all supported systems.
  private final class CancellationFlag: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func set() { semaphore.signal() }

    var isSet: Bool {
      guard semaphore.wait(timeout: .now()) == .success else { return false }
      semaphore.signal()
      return true
    }
  }
#endif
