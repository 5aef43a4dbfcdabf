extension WebP.DecodeError {
  /// The error for a VP8 frame that ends too early.
  ///
  /// - Parameter offset: the end of the bytes.
  static func truncatedFrame(_ cause: ErrorCause, at offset: Int) -> Self {
    Self(cause, chunk: .vp8, offset: offset)
  }
}
