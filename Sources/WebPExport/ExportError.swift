import PureWebP

extension WebP {
  /// The reason why an image could not be written.
  @nonexhaustive
  public enum ExportError: Failure, CustomStringConvertible {
    /// The width, the height or the size of the file exceeds the range of the format.
    case tooLarge(FileFormat)
    /// The header is inconsistent or describes no image. An example is a palette with more colors than indices.
    case invalidHeader(StaticString)
    /// The memory for compression could not be allocated.
    case outOfMemory
    /// The destination of the bytes reported an error.
    case output(any Error)
    /// The current task was cancelled. Only functions with `throws(ExportError)` report this error. Functions that can
    /// throw any error report the same event as `CancellationError`.
    case cancelled

    /// The kind of the problem. For ``output(_:)``, `output` unless the destination was cancelled.
    public var kind: ErrorKind {
      switch self {
      case .tooLarge: .unsupported
      case .invalidHeader: .invalidOptions
      case .outOfMemory: .output
      case .output(let error): ErrorKind(error) == .cancelled ? .cancelled : .output
      case .cancelled: .cancelled
      }
    }

    /// One line, such as `the image is larger than BMP can describe`.
    public var description: String {
      switch self {
      case .tooLarge(let format): "the image is larger than \(format.title) can describe"
      case .invalidHeader(let detail): "\(detail)"
      case .outOfMemory: "out of memory"
      case .output(let error): "\(error)"
      case .cancelled: "cancelled"
      }
    }
  }
}

/// Throws `cancelled` if the task that runs the caller was cancelled. Code outside of tasks is never cancelled.
func checkCancellation() throws(WebP.ExportError) {
  if Task.isCancelled { throw .cancelled }
}

/// Runs `body` and reports a cancellation as Swift's own error, also if the destination of the bytes has thrown it.
func throwingCancellationError<Result>(_ body: () throws -> Result) throws -> Result {
  do {
    return try body()
  } catch WebP.ExportError.cancelled {
    throw CancellationError()
  } catch WebP.ExportError.output(let error as CancellationError) {
    throw error
  }
}
