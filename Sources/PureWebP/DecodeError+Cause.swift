internal import WebPFormat

extension WebP.DecodeError {
  /// The cause of an error, for programs that handle some causes in their own way.
  ///
  /// ```swift
  /// do {
  ///   show(try WebP.decode(bytes))
  /// } catch where error.cause == .animation {
  ///   show(try WebP.Animation(bytes))
  /// }
  /// ```
  ///
  /// The constants are the causes that programs act on. Every other cause has a text too. Later versions may have more
  /// causes.
  public struct Cause: Hashable, Sendable, CustomStringConvertible {
    let code: ErrorCause

    init(_ code: ErrorCause) { self.code = code }

    /// The problem in English, without the values that ``WebP/DecodeError/detail`` has.
    public var description: String { "\(code.text)" }
  }
}

extension WebP.DecodeError.Cause {
  // The kind notWebP
  /// The bytes are neither a RIFF file nor a VP8 or VP8L bitstream.
  public static let unknownFormat = Self(.unknownFormat)
  /// The bytes are a file of another format, which `detail` names.
  public static let otherFormat = Self(.otherFormat)

  // The kind truncated
  /// The input is empty.
  public static let emptyInput = Self(.emptyInput)

  // The kind unsupported
  /// The file is an animation, and the decoder decodes still images only.
  public static let animation = Self(.animation)
  /// The input is a VP8 or VP8L bitstream without a file around it.
  public static let bareBitstream = Self(.bareBitstream)

  // The kind limitExceeded
  /// The image or the canvas exceeds ``WebP/Limits/maximumPixels``.
  public static let imageTooLarge = Self(.imageTooLarge)
  /// The output size exceeds ``WebP/Limits/maximumPixels``.
  public static let outputTooLarge = Self(.outputTooLarge)
  /// The file exceeds ``WebP/Limits/maximumBytes``.
  public static let fileTooLarge = Self(.fileTooLarge)
  /// The animation exceeds ``WebP/Limits/maximumFrames``.
  public static let tooManyFrames = Self(.tooManyFrames)
  /// All frames together exceed ``WebP/Limits/maximumAnimationPixels``.
  public static let animationTooLarge = Self(.animationTooLarge)

  // The kind invalidOptions
  /// The caller's memory is smaller than the layout of the output. `detail` has the number of bytes needed.
  public static let bufferTooSmall = Self(.bufferTooSmall)
  /// The animation has no frame of this index.
  public static let noSuchFrame = Self(.noSuchFrame)
}
