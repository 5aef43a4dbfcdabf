import Foundation
import PureWebP
import WebPExport

extension WebP {
  /// Makes a PNG of a WebP while its bytes come; of an animation, an APNG.
  ///
  /// ```swift
  /// let converter = WebP.PNGConverter()
  /// for chunk in chunks { send(try converter.append(chunk)) }
  /// send(try converter.finish())
  /// ```
  ///
  /// Rows are written as they are decoded, so that the first bytes of the PNG are there long before the last ones of
  /// the WebP. Metadata is written where it comes: a WebP has its ICC profile before the picture, Exif (which tells the
  /// orientation) and XMP after it, and so has the PNG then. An APNG begins with the number of its frames, which a WebP
  /// does not tell before its end: of an animation there is nothing to send until then.
  public final class PNGConverter {
    private let options: ConversionOptions
    /// All there are so far: metadata and the frames of animations are read from them.
    private var bytes = Data()
    private var kind = Kind.unknown
    private var headers = HeaderReading()
    /// What the headers say, as soon as they are there.
    private(set) var info: ImageInfo?
    /// Asked again and again while an animation's PNG is made, which is made as a whole: what it throws ends that, as
    /// the error of `ExportError.output`.
    var check: (_ bytesSoFar: Int) throws -> Void = { _ in try Task.checkCancellation() }

    /// What is being made, as soon as the headers have told.
    private enum Kind {
      case unknown
      case still(StillConversion)
      case animation
    }

    /// Begins a PNG.
    public init(options: ConversionOptions = ConversionOptions()) {
      self.options = options
    }

    /// Takes the next bytes of the WebP.
    ///
    /// - Returns: the bytes of the PNG that they make possible; often none.
    /// - Throws: what is wrong with the WebP. The converter is of no use after that.
    public func append(_ next: some Collection<UInt8>) throws(ConversionError) -> Data {
      bytes.append(contentsOf: next)
      do {
        try options.limits.check(bytes: bytes.count)
      } catch {
        throw .decoding(error)
      }
      return try convert(next, isComplete: false)
    }

    /// Tells that no more bytes will come.
    ///
    /// - Returns: the rest of the PNG.
    public func finish() throws(ConversionError) -> Data {
      try convert(EmptyCollection(), isComplete: true)
    }

    private func convert(_ next: some Collection<UInt8>, isComplete: Bool) throws(ConversionError) -> Data {
      var output = Data()
      switch kind {
      case .unknown:
        guard let info = try readInfo(isComplete: isComplete) else { break }
        self.info = info
        if info.isAnimated {
          kind = .animation
          break
        }
        let conversion = StillConversion(info, metadata: WebP.metadata(bytes, limits: options.limits), options: options)
        kind = .still(conversion)
        try conversion.append(bytes, to: &output)
      case .still(let conversion):
        try conversion.append(next, to: &output)
      case .animation: break
      }
      guard isComplete else { return output }
      switch kind {
      case .unknown: break
      case .still(let conversion):
        try conversion.finish(metadata: WebP.metadata(bytes, limits: options.limits), to: &output)
      case .animation: try convertAnimation(to: &output)
      }
      return output
    }

    private func convertAnimation(to output: inout Data) throws(ConversionError) {
      var decoding = DecodeOptions()
      decoding.limits = options.limits
      var png = PNGOptions()
      png.compression = options.compression
      do {
        let animation = try Animation(bytes, options: decoding)
        try animation.write(png: png) {
          try check(output.count)
          output.append(contentsOf: $0)
        }
      } catch let error as DecodeError {
        throw .decoding(error)
      } catch let error as ExportError {
        throw .encoding(error)
      } catch {
        throw .encoding(.output(error))
      }
    }

    /// What the headers say, or nil as long as they are not there.
    private func readInfo(isComplete: Bool) throws(ConversionError) -> ImageInfo? {
      do {
        return try headers.info(bytes, isComplete: isComplete)
      } catch {
        throw .decoding(error)
      }
    }
  }
}
