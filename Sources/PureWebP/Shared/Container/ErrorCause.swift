/// The causes of errors, in the order of their kinds. `kind` relies on this order.
enum ErrorCause: UInt8 {
  // Not WebP
  case unknownFormat, otherFormat
  // Truncated
  case emptyInput, truncatedHeaders, truncatedFile, truncatedImageHeader, truncatedImage, truncatedFirstPartition
  case truncatedPartitionSizes, truncatedTokenPartition, truncatedAlpha
  // Corrupt
  case invalidRIFFSize, invalidChunkSize, chunkExceedsFile, incompleteChunkHeader, invalidFirstChunk
  case extendedHeaderOutsideFile, duplicateExtendedHeader, reservedFeatures, canvasExceedsFormat, frameExceedsFormat
  case missingImage, duplicateImage, imageOutsideFrame, frameBeforeAnimation, frameOutsideCanvas, imageExceedsFrame
  case incompleteFrame, alphaWithoutImage, alphaAfterImage, alphaBeforeLosslessImage, sizeMismatch, invalidImageHeader
  case segmentHeaderExceedsPartition, filterHeaderExceedsPartition, invalidColorCacheSize, duplicateTransform
  case tooManyCodeLengths, codeLengthRunExceedsAlphabet, emptyPrefixCode, invalidPrefixCode, copyBeforeImage
  case copyBeyondImage, emptyAlpha, invalidAlphaCompression, invalidAlphaPreprocessing, reservedAlphaBits
  // Unsupported
  case animation, bareBitstream
  // Limits
  case imageTooLarge, imageTooLargeForFile, outputTooLarge, outputTooLargeForFile, scalingTooLarge, fileTooLarge
  case fileExceedsPlatform, tooManyFrames, animationTooLarge, animationTooLargeForFile, conversionTooLarge
  case conversionTooLargeForFile, framesTooLarge, canvasExceedsPlatform
  // Options of the caller
  case invalidCrop, invalidOutputSize, outputExceedsPlatform, invalidStride, bufferTooSmall, noSuchFrame
  case invalidRowOptions

  var kind: WebP.DecodeError.Kind {
    switch rawValue {
    case ..<Self.emptyInput.rawValue: .notWebP
    case ..<Self.invalidRIFFSize.rawValue: .truncated
    case ..<Self.animation.rawValue: .corrupt
    case ..<Self.imageTooLarge.rawValue: .unsupported
    case ..<Self.invalidCrop.rawValue: .limitExceeded
    default: .invalidOptions
    }
  }

  /// The problem, without the values of this error.
  var text: StaticString {
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
    case .invalidRowOptions: "planar formats and flipping are not available row by row"
    case .invalidCrop: "crop is not inside the image"
    case .invalidOutputSize: "invalid output size"
    case .outputExceedsPlatform: "output is too large for this platform"
    case .invalidStride: "invalid stride"
    case .bufferTooSmall: "buffer is too small"
    case .noSuchFrame: "frame index is out of range"
    }
  }
}
