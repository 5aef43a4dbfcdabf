/// A rule of the lossless format that a bitstream breaks.
struct LosslessFault: Error {
  let cause: ErrorCause
  init(_ cause: ErrorCause) { self.cause = cause }
}
