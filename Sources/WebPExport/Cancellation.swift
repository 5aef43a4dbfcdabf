import PureWebP

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
