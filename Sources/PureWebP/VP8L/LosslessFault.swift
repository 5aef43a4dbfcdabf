/// A rule of the lossless format that a stream breaks.
struct LosslessFault: Error {
  let detail: StaticString
  init(_ detail: StaticString) { self.detail = detail }
}
