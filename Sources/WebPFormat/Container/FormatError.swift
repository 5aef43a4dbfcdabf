/// An error in the bytes or the options. `DecodeError` of each decoder describes it to users.
public struct FormatError: Error {
  fileprivate struct Facts: Hashable, Sendable {
    let cause: ErrorCause
    let value: Int
    let chunk: FourCC
    var offset: Int
    var frame: Int?
    var finishedRows = 0
    var status: Int
  }

  /// The memory of an error's properties. Functions that throw move only a reference to it.
  private final class Storage: Sendable {
    let facts: Facts

    init(_ facts: Facts) { self.facts = facts }
  }

  private let storage: Storage

  /// - Parameters:
  ///   - value: the value in the text: a limit, the number of bytes needed, or the raw value of an `OtherFormat`.
  ///   - offset: −1 if there is none.
  ///   - status: libwebp's status, or 0 for the usual one for errors of this kind.
  @inline(never)
  public init(_ cause: ErrorCause, value: Int = 0, chunk: FourCC = .none, offset: Int = -1, status: Int = 0) {
    let status = status == 0 ? cause.kind.usualStatus : status
    self.init(Facts(cause: cause, value: value, chunk: chunk, offset: offset, status: status))
  }

  private init(_ facts: Facts) { storage = Storage(facts) }

  public var cause: ErrorCause { storage.facts.cause }
  public var kind: ErrorKind { cause.kind }
  public var value: Int { storage.facts.value }
  public var chunk: FourCC? { storage.facts.chunk == .none ? nil : storage.facts.chunk }
  /// The position of the error, in bytes from the start of the input.
  public var offset: Int? { storage.facts.offset < 0 ? nil : storage.facts.offset }
  /// The index of the frame that has the error.
  public var frame: Int? { storage.facts.frame }
  /// The number of finished rows of a still image.
  public var finishedRows: Int { storage.facts.finishedRows }
  /// libwebp's VP8StatusCode for this error.
  public var status: Int { storage.facts.status }

  /// The same error, in a frame whose bitstream begins at offset `start` of the file. Finished rows of a frame are not
  /// reported.
  public func with(frame: Int?, offset start: Int = 0) -> Self {
    var facts = storage.facts
    if facts.offset >= 0 { facts.offset += start }
    facts.frame = frame
    facts.finishedRows = 0
    return Self(facts)
  }

  public func with(finishedRows: Int) -> Self {
    var facts = storage.facts
    facts.finishedRows = finishedRows
    return Self(facts)
  }

  public func with(status: Int) -> Self {
    var facts = storage.facts
    facts.status = status
    return Self(facts)
  }
}

extension FormatError: Hashable {
  public static func == (left: Self, right: Self) -> Bool { left.facts == right.facts }

  public func hash(into hasher: inout Hasher) { hasher.combine(facts) }

  private var facts: Facts { storage.facts }
}

/// The kind of a problem, in the order of the public kinds of both decoders.
public enum ErrorKind: UInt8, Sendable {
  case notWebP, truncated, corrupt, unsupported, limitExceeded, invalidOptions

  /// The VP8StatusCode that libwebp usually reports for this kind. An error for which libwebp reports another code is
  /// created with that code.
  public var usualStatus: Int {
    switch self {
    case .notWebP, .corrupt: 3  // BITSTREAM_ERROR
    case .truncated: 7  // NOT_ENOUGH_DATA
    case .unsupported: 4  // UNSUPPORTED_FEATURE
    case .limitExceeded: 1  // OUT_OF_MEMORY
    case .invalidOptions: 2  // INVALID_PARAM
    }
  }
}

/// The causes of errors. The parsers of a lossless stream throw a cause without its position.
public enum ErrorCause: UInt8, Error {
  // Not WebP
  case unknownFormat, otherFormat
  // Truncated
  case emptyInput, truncatedHeaders, truncatedFile, truncatedImageHeader, truncatedImage, truncatedFirstPartition
  case truncatedPartitionSizes, truncatedTokenPartition, truncatedAlpha
  // Corrupt
  case invalidRIFFSize, invalidChunkSize, chunkExceedsFile, incompleteChunkHeader, invalidFirstChunk
  case extendedHeaderOutsideFile, duplicateExtendedHeader, reservedFeatures, canvasExceedsFormat, frameExceedsFormat
  case missingImage, duplicateImage, imageOutsideFrame, frameBeforeAnimation, frameOutsideCanvas, imageExceedsFrame
  case incompleteFrame, alphaWithoutImage, alphaAfterImage, alphaBeforeLosslessImage, sizeMismatch
  case invalidImageHeader, segmentHeaderExceedsPartition, filterHeaderExceedsPartition, invalidColorCacheSize
  case duplicateTransform, tooManyCodeLengths, codeLengthRunExceedsAlphabet, emptyPrefixCode, invalidPrefixCode
  case copyBeforeImage, copyBeyondImage, emptyAlpha, invalidAlphaCompression, invalidAlphaPreprocessing
  case reservedAlphaBits
  // Unsupported
  case animation, bareBitstream, unchangeableExif
  // Limits
  case imageTooLarge, imageTooLargeForFile, outputTooLarge, outputTooLargeForFile, scalingTooLarge, fileTooLarge
  case fileExceedsPlatform, tooManyFrames, animationTooLarge, animationTooLargeForFile, conversionTooLarge
  case conversionTooLargeForFile, framesTooLarge, canvasExceedsPlatform
  // Options of the caller
  case invalidCrop, invalidOutputSize, outputExceedsPlatform, invalidStride, bufferTooSmall, noSuchFrame
  case invalidRowOptions, invalidBackground

  public var kind: ErrorKind {
    switch self {
    case .unknownFormat, .otherFormat: .notWebP
    case .emptyInput, .truncatedHeaders, .truncatedFile, .truncatedImageHeader, .truncatedImage,
      .truncatedFirstPartition, .truncatedPartitionSizes, .truncatedTokenPartition, .truncatedAlpha:
      .truncated
    case .animation, .bareBitstream, .unchangeableExif: .unsupported
    case .imageTooLarge, .imageTooLargeForFile, .outputTooLarge, .outputTooLargeForFile, .scalingTooLarge,
      .fileTooLarge, .fileExceedsPlatform, .tooManyFrames, .animationTooLarge, .animationTooLargeForFile,
      .conversionTooLarge, .conversionTooLargeForFile, .framesTooLarge, .canvasExceedsPlatform:
      .limitExceeded
    case .invalidCrop, .invalidOutputSize, .outputExceedsPlatform, .invalidStride, .bufferTooSmall, .noSuchFrame,
      .invalidRowOptions, .invalidBackground:
      .invalidOptions
    case .invalidRIFFSize, .invalidChunkSize, .chunkExceedsFile, .incompleteChunkHeader, .invalidFirstChunk,
      .extendedHeaderOutsideFile, .duplicateExtendedHeader, .reservedFeatures, .canvasExceedsFormat,
      .frameExceedsFormat, .missingImage, .duplicateImage, .imageOutsideFrame, .frameBeforeAnimation,
      .frameOutsideCanvas, .imageExceedsFrame, .incompleteFrame, .alphaWithoutImage, .alphaAfterImage,
      .alphaBeforeLosslessImage, .sizeMismatch, .invalidImageHeader, .segmentHeaderExceedsPartition,
      .filterHeaderExceedsPartition, .invalidColorCacheSize, .duplicateTransform, .tooManyCodeLengths,
      .codeLengthRunExceedsAlphabet, .emptyPrefixCode, .invalidPrefixCode, .copyBeforeImage, .copyBeyondImage,
      .emptyAlpha, .invalidAlphaCompression, .invalidAlphaPreprocessing, .reservedAlphaBits:
      .corrupt
    }
  }

  /// The problem, without the values of this error.
  public var text: StaticString {
    switch self {
    case .unknownFormat: "not a WebP file"
    case .otherFormat: "another file format"
    case .emptyInput: "input is empty"
    case .truncatedHeaders: "input ends before the image"
    case .truncatedFile: "file is shorter than its RIFF size"
    case .truncatedImageHeader: "image header is truncated"
    case .truncatedImage: "image data is truncated"
    case .truncatedFirstPartition: "first partition is truncated"
    case .truncatedPartitionSizes: "partition sizes are truncated"
    case .truncatedTokenPartition: "token partition is truncated"
    case .truncatedAlpha: "alpha data is truncated"
    case .invalidRIFFSize: "invalid RIFF size"
    case .invalidChunkSize: "invalid chunk size"
    case .chunkExceedsFile: "chunk exceeds the file"
    case .incompleteChunkHeader: "chunk header exceeds the file"
    case .invalidFirstChunk: "first chunk is not VP8, VP8L or VP8X"
    case .extendedHeaderOutsideFile: "VP8X chunk outside of a RIFF file"
    case .duplicateExtendedHeader: "duplicate VP8X chunk"
    case .reservedFeatures: "reserved VP8X flags are set"
    case .canvasExceedsFormat: "canvas has 2^32 or more pixels"
    case .frameExceedsFormat: "frame has 2^32 or more pixels"
    case .missingImage: "file has no image"
    case .duplicateImage: "duplicate image chunk"
    case .imageOutsideFrame: "image chunk outside of a frame"
    case .frameBeforeAnimation: "ANMF chunk before ANIM"
    case .frameOutsideCanvas: "frame exceeds the canvas"
    case .imageExceedsFrame: "image exceeds its ANMF chunk"
    case .incompleteFrame: "file ends inside a frame"
    case .alphaWithoutImage: "ALPH chunk without an image"
    case .alphaAfterImage: "ALPH chunk after its image"
    case .alphaBeforeLosslessImage: "ALPH chunk before VP8L"
    case .sizeMismatch: "image size differs from canvas size"
    case .invalidImageHeader: "invalid image header"
    case .segmentHeaderExceedsPartition: "segment header exceeds the first partition"
    case .filterHeaderExceedsPartition: "filter header exceeds the first partition"
    case .invalidColorCacheSize: "invalid color cache size"
    case .duplicateTransform: "duplicate transform"
    case .tooManyCodeLengths: "too many code lengths"
    case .codeLengthRunExceedsAlphabet: "run of code lengths exceeds the alphabet"
    case .emptyPrefixCode: "prefix code has no symbols"
    case .invalidPrefixCode: "prefix code is incomplete or oversubscribed"
    case .copyBeforeImage: "backward reference before the first pixel"
    case .copyBeyondImage: "backward reference beyond the last pixel"
    case .emptyAlpha: "ALPH chunk is empty"
    case .invalidAlphaCompression: "invalid alpha compression method"
    case .invalidAlphaPreprocessing: "invalid alpha preprocessing"
    case .reservedAlphaBits: "reserved ALPH bits are set"
    case .animation: "animation, not a still image"
    case .bareBitstream: "bare bitstream has no chunks"
    case .unchangeableExif: "orientation cannot be stored in Exif"
    case .imageTooLarge: "image is too large"
    case .imageTooLargeForFile: "image is too large for its file size"
    case .outputTooLarge: "output is too large"
    case .outputTooLargeForFile: "output is too large for the file size"
    case .scalingTooLarge: "scaling is too expensive"
    case .fileTooLarge: "file is too large"
    case .fileExceedsPlatform: "file is too large for this platform"
    case .tooManyFrames: "animation has too many frames"
    case .animationTooLarge: "animation is too large"
    case .animationTooLargeForFile: "animation is too large for its file size"
    case .conversionTooLarge: "canvas conversion is too expensive"
    case .conversionTooLargeForFile: "canvas conversion is too expensive for the file size"
    case .framesTooLarge: "all frames together are too large"
    case .canvasExceedsPlatform: "canvas is too large for this platform"
    case .invalidBackground: "planar formats have no background"
    case .invalidRowOptions: "rows cannot be planar, flipped or rotated"
    case .invalidCrop: "crop is not inside the image"
    case .invalidOutputSize: "invalid output size"
    case .outputExceedsPlatform: "output is too large for this platform"
    case .invalidStride: "invalid stride"
    case .bufferTooSmall: "buffer is too small"
    case .noSuchFrame: "frame index is out of range"
    }
  }
}
