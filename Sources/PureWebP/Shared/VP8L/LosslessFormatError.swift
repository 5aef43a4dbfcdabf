/// A rule of the lossless format that a bitstream breaks.
struct LosslessFormatError: Error {
  let cause: ErrorCause
  init(_ cause: ErrorCause) { self.cause = cause }
}
