import PureWebP

extension WebP {
  /// Why a picture could not be written.
  public enum ExportError: Error, CustomStringConvertible {
    /// The file format cannot hold pixels of this kind: planes where colours are asked for, or the other way round;
    /// colours multiplied with alpha where the format has none such; pixels of 16 bits.
    case unsupportedPixels(PixelFormat, FileFormat)
    /// Width, height or the size of the file are more than the format has numbers for.
    case tooLarge(FileFormat)
    /// The header and what it describes do not fit together, such as a palette of more colours than its indices reach, or
    /// there is nothing to describe.
    case invalidHeader(StaticString)
    /// There is no memory for what is being written.
    case outOfMemory
    /// The place where the bytes go to refused them.
    case output(any Error)

    /// One line, such as `PPM cannot hold pixels in yuv`.
    public var description: String {
      switch self {
      case .unsupportedPixels(let pixels, let format): "\(format.title) cannot hold pixels in \(pixels)"
      case .tooLarge(let format): "the picture is larger than \(format.title) can describe"
      case .invalidHeader(let detail): "\(detail)"
      case .outOfMemory: "out of memory"
      case .output(let error): "\(error)"
      }
    }
  }
}
