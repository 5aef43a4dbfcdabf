import Foundation
import PureWebP
import WebPExport

extension WebP {
  /// Converts a WebP to a PNG while its bytes arrive; an animation to an APNG.
  ///
  /// ```swift
  /// let converter = WebP.PNGConverter()
  /// for chunk in chunks { send(try converter.append(chunk)) }
  /// send(try converter.finish())
  /// ```
  ///
  /// Rows are written as they are decoded, so the first bytes of the PNG are available long before the last ones of the
  /// WebP. Metadata keeps its position: a WebP has its ICC profile before the pixels, Exif and XMP after them, and so has
  /// the PNG. An APNG begins with its number of frames, which is known at the end of a WebP: no bytes are available before
  /// that.
  ///
  /// ``append(_:)`` returns all bytes of the PNG that the bytes so far allow. ``PNGSequence`` produces them on demand.
  public final class PNGConverter {
    private let options: ConversionOptions
    private var kind = Kind.unknown
    private var isComplete = false
    /// All bytes so far, of an animation or before the headers are available.
    private var bytes = Data()
    private var headers = HeaderReading()
    /// The properties in the headers. Nil until they are available.
    private(set) var info: ImageInfo?
    /// Called repeatedly while the PNG of an animation is written, with the number of its bytes so far. An error from it
    /// ends the conversion, as the error of `ExportError.output`.
    var check: (_ bytesSoFar: Int) throws -> Void = { _ in try Task.checkCancellation() }

    private enum Kind {
      case unknown
      case still(StillConversion)
      case animation(AnimationWriter?, bytesWritten: Int)
      case finished
    }

    /// Starts a PNG.
    public init(options: ConversionOptions = ConversionOptions()) {
      self.options = options
    }

    /// Takes the next bytes of the WebP.
    ///
    /// - Returns: The bytes of the PNG that they complete; often none.
    /// - Throws: If the WebP is corrupt. The converter is of no use after that.
    public func append(_ next: some Collection<UInt8>) throws(ConversionError) -> Data {
      try take(next)
      return try allParts()
    }

    /// Declares that no bytes follow.
    ///
    /// - Returns: The rest of the PNG.
    public func finish() throws(ConversionError) -> Data {
      takeEnd()
      return try allParts()
    }

    private func allParts() throws(ConversionError) -> Data {
      var output = Data()
      while let part = try nextPart() { output += part }
      return output
    }
  }
}

// MARK: Conversion on demand

extension WebP.PNGConverter {
  /// Indicates whether the end of the PNG has been returned.
  var isFinished: Bool {
    if case .finished = kind { return true }
    return false
  }

  /// Stores the next bytes of the WebP.
  func take(_ next: some Collection<UInt8>) throws(WebP.ConversionError) {
    if case .still(let conversion) = kind { return try conversion.append(next) }
    do {
      try options.limits.check(bytes: bytes.count, adding: next.count)
    } catch {
      throw .decoding(error)
    }
    bytes.append(contentsOf: next)
  }

  /// Declares that no bytes follow.
  func takeEnd() {
    isComplete = true
    if case .still(let conversion) = kind { conversion.finish() }
  }

  /// Does a bounded part of the work: a few rows of a still image, a frame of an animation.
  ///
  /// - Returns: The next bytes of the PNG, which may be none. Nil if more bytes are needed, or the PNG is finished.
  func nextPart() throws(WebP.ConversionError) -> Data? {
    switch kind {
    case .unknown: return try readHeaders() ? Data() : nil
    case .still(let conversion):
      if let part = try conversion.nextPart() { return part }
      if conversion.isFinished { kind = .finished }
      return nil
    case .animation(let writer, let count):
      guard isComplete else { return nil }
      return try nextFrame(writer, bytesWritten: count)
    case .finished: return nil
    }
  }

  /// - Returns: whether the headers are available.
  private func readHeaders() throws(WebP.ConversionError) -> Bool {
    do {
      info = try headers.info(bytes, isComplete: isComplete)
    } catch {
      throw .decoding(error)
    }
    guard let info else { return false }
    if info.isAnimated {
      kind = .animation(nil, bytesWritten: 0)
    } else {
      let conversion = StillConversion(info, options: options)
      kind = .still(conversion)
      try conversion.append(bytes)
      bytes = Data()
      if isComplete { conversion.finish() }
    }
    return true
  }

  /// - Parameter writer: nil before the first frame.
  private func nextFrame(
    _ writer: AnimationWriter?, bytesWritten: Int
  ) throws(WebP.ConversionError) -> Data {
    var output = Data()
    do {
      let writer = try writer ?? makeWriter()
      let file = try writer.writeFrame {
        try check(bytesWritten + output.count)
        output.append(contentsOf: $0)
      }
      kind = file == nil ? .animation(writer, bytesWritten: bytesWritten + output.count) : .finished
    } catch let error as WebP.DecodeError {
      throw .decoding(error)
    } catch let error as WebP.ExportError {
      throw .encoding(error)
    } catch {
      throw .encoding(.output(error))
    }
    return output
  }

  private func makeWriter() throws(WebP.DecodeError) -> AnimationWriter {
    var decoding = WebP.DecodeOptions()
    decoding.limits = options.limits
    decoding.threads = options.threads
    var png = WebP.PNGOptions()
    png.compression = options.compression
    png.threads = options.threads
    let animation = try WebP.Animation(bytes, options: decoding)
    bytes = Data()
    return AnimationWriter(animation, metadata: animation.metadata, png: png)
  }
}
