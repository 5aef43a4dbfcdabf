/// A violation of the lossless format, without its position.
struct LosslessFormatError: Error {
  let cause: ErrorCause
  init(_ cause: ErrorCause) { self.cause = cause }
}
