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
  /// These are the causes that programs act on. Every other cause has a text too. Later versions may have more causes.
  public struct Cause: Hashable, Sendable, CustomStringConvertible {
    let code: ErrorCause

    init(_ code: ErrorCause) { self.code = code }

    /// The problem in English, without the values that ``WebP/DecodeError/detail`` has.
    public var description: String { "\(code.text)" }
  }
}

/// The causes of ``WebP/ErrorKind/notWebP``.
extension WebP.DecodeError.Cause {
  /// The bytes are neither a RIFF file nor a VP8 or VP8L bitstream.
  public static let unknownFormat = Self(.unknownFormat)
  /// The bytes are a file of another format, which `detail` names.
  public static let otherFormat = Self(.otherFormat)
}

/// The causes of ``WebP/ErrorKind/truncated``.
extension WebP.DecodeError.Cause {
  /// The input is empty.
  public static let emptyInput = Self(.emptyInput)
  /// The bytes end before the image begins.
  package static let truncatedHeaders = Self(.truncatedHeaders)
  /// The file is shorter than its RIFF header specifies.
  package static let truncatedFile = Self(.truncatedFile)
  /// The bytes end inside the header of the VP8 or VP8L bitstream.
  package static let truncatedImageHeader = Self(.truncatedImageHeader)
  /// The bytes end inside the image data.
  package static let truncatedImage = Self(.truncatedImage)
  /// The first partition of a VP8 frame ends too early.
  package static let truncatedFirstPartition = Self(.truncatedFirstPartition)
  /// The bytes end inside the sizes of a VP8 frame's token partitions.
  package static let truncatedPartitionSizes = Self(.truncatedPartitionSizes)
  /// A token partition of a VP8 frame ends too early.
  package static let truncatedTokenPartition = Self(.truncatedTokenPartition)
  /// The alpha data end too early.
  package static let truncatedAlpha = Self(.truncatedAlpha)
}

/// The causes of ``WebP/ErrorKind/corrupt``.
extension WebP.DecodeError.Cause {
  /// The size in the RIFF header is not possible.
  package static let invalidRIFFSize = Self(.invalidRIFFSize)
  /// The size of a chunk is not possible for its type.
  package static let invalidChunkSize = Self(.invalidChunkSize)
  /// A chunk is larger than the rest of the file.
  package static let chunkExceedsFile = Self(.chunkExceedsFile)
  /// The file ends inside the header of a chunk.
  package static let incompleteChunkHeader = Self(.incompleteChunkHeader)
  /// The first chunk of the file is not VP8, VP8L or VP8X.
  package static let invalidFirstChunk = Self(.invalidFirstChunk)
  /// The input begins with a VP8X chunk instead of a RIFF header.
  package static let extendedHeaderOutsideFile = Self(.extendedHeaderOutsideFile)
  /// The file has two VP8X chunks.
  package static let duplicateExtendedHeader = Self(.duplicateExtendedHeader)
  /// Flags of the VP8X chunk that the format reserves are set.
  package static let reservedFeatures = Self(.reservedFeatures)
  /// The canvas is larger than the format allows.
  package static let canvasExceedsFormat = Self(.canvasExceedsFormat)
  /// A frame is larger than the format allows.
  package static let frameExceedsFormat = Self(.frameExceedsFormat)
  /// The file ends without an image.
  package static let missingImage = Self(.missingImage)
  /// A still file has two images.
  package static let duplicateImage = Self(.duplicateImage)
  /// An animation has an image that is not in a frame.
  package static let imageOutsideFrame = Self(.imageOutsideFrame)
  /// A frame precedes the animation's header.
  package static let frameBeforeAnimation = Self(.frameBeforeAnimation)
  /// A frame is not inside the canvas.
  package static let frameOutsideCanvas = Self(.frameOutsideCanvas)
  /// The image of a frame is larger than the frame's chunk.
  package static let imageExceedsFrame = Self(.imageExceedsFrame)
  /// The RIFF chunk ends inside a frame.
  package static let incompleteFrame = Self(.incompleteFrame)
  /// No image follows an ALPH chunk.
  package static let alphaWithoutImage = Self(.alphaWithoutImage)
  /// An ALPH chunk follows the image that it belongs to.
  package static let alphaAfterImage = Self(.alphaAfterImage)
  /// A lossless image follows an ALPH chunk.
  package static let alphaBeforeLosslessImage = Self(.alphaBeforeLosslessImage)
  /// The image and the canvas have different sizes.
  package static let sizeMismatch = Self(.sizeMismatch)
  /// The header of the VP8 or VP8L bitstream is invalid.
  package static let invalidImageHeader = Self(.invalidImageHeader)
  /// The segment header of a VP8 frame does not fit the first partition.
  package static let segmentHeaderExceedsPartition = Self(.segmentHeaderExceedsPartition)
  /// The filter header of a VP8 frame does not fit the first partition.
  package static let filterHeaderExceedsPartition = Self(.filterHeaderExceedsPartition)
  /// The size of a VP8L color cache is not 1 to 11 bits.
  package static let invalidColorCacheSize = Self(.invalidColorCacheSize)
  /// A VP8L image has a transform twice.
  package static let duplicateTransform = Self(.duplicateTransform)
  /// A VP8L prefix code has more code lengths than symbols.
  package static let tooManyCodeLengths = Self(.tooManyCodeLengths)
  /// A run of code lengths of a VP8L prefix code extends beyond the last symbol.
  package static let codeLengthRunExceedsAlphabet = Self(.codeLengthRunExceedsAlphabet)
  /// A VP8L prefix code has no symbols.
  package static let emptyPrefixCode = Self(.emptyPrefixCode)
  /// The code lengths of a VP8L prefix code do not form a complete tree.
  package static let invalidPrefixCode = Self(.invalidPrefixCode)
  /// A VP8L backward reference begins before the image.
  package static let copyBeforeImage = Self(.copyBeforeImage)
  /// A VP8L backward reference ends after the image.
  package static let copyBeyondImage = Self(.copyBeyondImage)
  /// An ALPH chunk has no alpha data.
  package static let emptyAlpha = Self(.emptyAlpha)
  /// The compression method of an ALPH chunk is unknown.
  package static let invalidAlphaCompression = Self(.invalidAlphaCompression)
  /// The preprocessing of an ALPH chunk is unknown.
  package static let invalidAlphaPreprocessing = Self(.invalidAlphaPreprocessing)
  /// Bits of the ALPH chunk that the format reserves are set.
  package static let reservedAlphaBits = Self(.reservedAlphaBits)
}

/// The causes of ``WebP/ErrorKind/unsupported``.
extension WebP.DecodeError.Cause {
  /// The file is an animation, and the decoder decodes still images only.
  public static let animation = Self(.animation)
  /// The input is a VP8 or VP8L bitstream without a file around it.
  public static let bareBitstream = Self(.bareBitstream)
}

/// The causes of ``WebP/ErrorKind/limitExceeded``.
extension WebP.DecodeError.Cause {
  /// The image or the canvas exceeds ``WebP/Limits/maximumPixels``.
  public static let imageTooLarge = Self(.imageTooLarge)
  /// The image or the canvas exceeds ``WebP/Limits/maximumPixelsPerByte``.
  package static let imageTooLargeForFile = Self(.imageTooLargeForFile)
  /// The output size exceeds ``WebP/Limits/maximumPixels``.
  public static let outputTooLarge = Self(.outputTooLarge)
  /// The output size exceeds ``WebP/Limits/maximumPixelsPerByte``.
  package static let outputTooLargeForFile = Self(.outputTooLargeForFile)
  /// The width of the output times the height of the image exceeds ``WebP/Limits/maximumPixels``.
  package static let scalingTooLarge = Self(.scalingTooLarge)
  /// The file exceeds ``WebP/Limits/maximumBytes``.
  public static let fileTooLarge = Self(.fileTooLarge)
  /// The number of bits in the file does not fit an `Int`.
  package static let fileExceedsPlatform = Self(.fileExceedsPlatform)
  /// The animation exceeds ``WebP/Limits/maximumFrames``.
  public static let tooManyFrames = Self(.tooManyFrames)
  /// All frames together exceed ``WebP/Limits/maximumAnimationPixels``.
  public static let animationTooLarge = Self(.animationTooLarge)
  /// All frames together exceed ``WebP/Limits/maximumPixelsPerByte``.
  package static let animationTooLargeForFile = Self(.animationTooLargeForFile)
  /// All converted canvases together exceed ``WebP/Limits/maximumAnimationPixels``.
  package static let conversionTooLarge = Self(.conversionTooLarge)
  /// All converted canvases together exceed ``WebP/Limits/maximumPixelsPerByte``.
  package static let conversionTooLargeForFile = Self(.conversionTooLargeForFile)
  /// All frames together exceed ``WebP/Limits/maximumPixels``, and must be in memory at the same time.
  package static let framesTooLarge = Self(.framesTooLarge)
  /// The number of bytes of the canvas does not fit an `Int`.
  package static let canvasExceedsPlatform = Self(.canvasExceedsPlatform)
}

/// The causes of ``WebP/ErrorKind/invalidOptions``.
extension WebP.DecodeError.Cause {
  /// The crop is empty or not inside the image.
  package static let invalidCrop = Self(.invalidCrop)
  /// The output size is zero, or a side exceeds 2²⁴ pixels.
  package static let invalidOutputSize = Self(.invalidOutputSize)
  /// The number of bytes of the output does not fit an `Int`.
  package static let outputExceedsPlatform = Self(.outputExceedsPlatform)
  /// The stride is smaller than a row, or too large.
  package static let invalidStride = Self(.invalidStride)
  /// The caller's memory is smaller than the layout of the output. `detail` has the number of bytes needed.
  public static let bufferTooSmall = Self(.bufferTooSmall)
  /// The animation has no frame of this index.
  public static let noSuchFrame = Self(.noSuchFrame)
  /// The format is planar or the image is flipped. ``WebP/RowDecoder`` supports neither.
  package static let invalidRowOptions = Self(.invalidRowOptions)
  /// ``WebP/DecodeOptions/background`` is set, and the format is planar.
  package static let invalidBackground = Self(.invalidBackground)
}
