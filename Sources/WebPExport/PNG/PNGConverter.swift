import PureWebP

extension WebP {
  /// Converts a WebP to a PNG while its bytes arrive. An animation becomes an APNG.
  ///
  /// ```swift
  /// let converter = WebP.PNGConverter()
  /// for chunk in chunks { send(try converter.append(chunk)) }
  /// send(try converter.finish())
  /// ```
  ///
  /// Rows are written as they are decoded, so the first bytes of the PNG are available long before the last bytes of
  /// the WebP have arrived. Metadata is written in the order of the WebP: the ICC profile before the pixels, Exif and
  /// XMP after them. The beginning of an APNG contains the number of frames, which is known only at the end of the
  /// WebP. Therefore all bytes of an APNG are available at the end.
  ///
  /// ``append(_:)`` returns all bytes of the PNG that are available. To produce them on demand, use `PNGSequence` of
  /// the module WebPLoading.
  public final class PNGConverter {
    private let options: ConversionOptions
    private var kind = Kind.unknown
    private var isComplete = false
    /// The number of bytes of an APNG that have been written.
    private var bytesWritten = 0
    /// All bytes so far. Once the headers of a still image are available, its decoder stores the bytes instead.
    private var bytes: [UInt8] = []
    private var headers = HeaderReading()
    /// The properties in the headers. Nil until they are available.
    package private(set) var info: ImageInfo?
    /// Called repeatedly while an APNG is written, with the number of its bytes so far. If it throws an error, the
    /// conversion ends with that error, wrapped in `ExportError.output`.
    package var check: (_ bytesSoFar: Int) throws -> Void = { _ in try Task.checkCancellation() }

    private enum Kind {
      case unknown
      case still(PNGConversion)
      /// The writer is nil before the first frame.
      case animation(AnimationWriter?)
      case finished
    }

    /// Creates a converter for one image.
    public init(options: ConversionOptions = ConversionOptions()) {
      self.options = options
    }

    /// Converts the next bytes of the WebP.
    ///
    /// - Returns: The bytes of the PNG that have become available, which may be none.
    /// - Throws: An error if the WebP is invalid or exceeds a limit. The converter must not be used after that.
    public func append(_ next: some Collection<UInt8>) throws(ConversionError) -> [UInt8] {
      try take(next)
      return try allParts()
    }

    /// Completes the conversion after the last bytes.
    ///
    /// - Returns: The remaining bytes of the PNG.
    public func finish() throws(ConversionError) -> [UInt8] {
      takeEnd()
      return try allParts()
    }

    private func allParts() throws(ConversionError) -> [UInt8] {
      var output: [UInt8] = []
      while let part = try nextPart() { output += part }
      return output
    }
  }
}

// MARK: Conversion on demand

extension WebP.PNGConverter {
  /// Indicates whether all bytes of the PNG were returned.
  package var isFinished: Bool {
    if case .finished = kind { return true }
    return false
  }

  /// Stores the next bytes of the WebP, which later calls of `nextPart` convert.
  package func take(_ next: some Collection<UInt8>) throws(WebP.ConversionError) {
    try converting {
      if case .still(let conversion) = kind { return try conversion.append(next) }
      try options.limits.check(bytes: bytes.count, adding: next.count)
      bytes.append(contentsOf: next)
    }
  }

  /// Declares that no bytes follow.
  package func takeEnd() {
    isComplete = true
    if case .still(let conversion) = kind { conversion.finish() }
  }

  /// Converts a few rows of a still image, or a frame of an animation.
  ///
  /// - Returns: The next bytes of the PNG, which may be empty. Nil if more bytes of the WebP are needed, or if the PNG
  ///   is finished.
  package func nextPart() throws(WebP.ConversionError) -> [UInt8]? {
    switch kind {
    case .unknown: return try readHeaders() ? [] : nil
    case .still(let conversion):
      var output: [UInt8] = []
      let hasWritten = try converting { try conversion.writeNext { output.append(contentsOf: $0) } }
      if conversion.file != nil { kind = .finished }
      return hasWritten ? output : nil
    case .animation(let writer): return isComplete ? try nextFrame(writer) : nil
    case .finished: return nil
    }
  }

  /// Parses the headers, and determines the kind of the conversion.
  ///
  /// - Returns: whether the headers are available.
  private func readHeaders() throws(WebP.ConversionError) -> Bool {
    try converting { info = try headers.info(bytes, isComplete: isComplete) }
    guard let info else { return false }
    if info.isAnimated {
      kind = .animation(nil)
    } else {
      let hasAlpha = info.hasAlpha
      let decoder = WebP.RowDecoder(options: .init(format: hasAlpha ? .rgba : .rgb, limits: options.limits))
      let png = WebP.PNGOptions(compression: options.compression, reducesColors: false, threads: options.threads)
      let conversion = PNGConversion(decoder, hasAlpha: hasAlpha, png: png)
      kind = .still(conversion)
      try converting { try conversion.append(bytes) }
      bytes = []
      if isComplete { conversion.finish() }
    }
    return true
  }

  /// Writes the next frame of an animation.
  private func nextFrame(_ writer: AnimationWriter?) throws(WebP.ConversionError) -> [UInt8] {
    var output: [UInt8] = []
    try converting {
      let writer = try writer ?? makeWriter()
      let file = try writer.writeFrame {
        try check(bytesWritten)
        output.append(contentsOf: $0)
        bytesWritten += $0.count
      }
      kind = file == nil ? .animation(writer) : .finished
    }
    return output
  }

  /// Runs a part of the conversion, and specifies which of its two sides an error is from.
  private func converting<Result>(_ body: () throws -> Result) throws(WebP.ConversionError) -> Result {
    do {
      return try body()
    } catch let error as WebP.DecodeError {
      throw .decoding(error)
    } catch let error as WebP.ExportError {
      throw .encoding(error)
    } catch {
      throw .encoding(.output(error))
    }
  }

  private func makeWriter() throws(WebP.DecodeError) -> AnimationWriter {
    let png = WebP.PNGOptions(compression: options.compression, threads: options.threads)
    let animation = try WebP.Animation(bytes, options: .init(threads: options.threads, limits: options.limits))
    bytes = []
    return AnimationWriter(animation, metadata: animation.metadata, png: png)
  }
}
