import Foundation
import PureWebP
import WebPExport

/// Converts one still image from WebP to PNG. Each step converts a strip of rows.
final class StillConversion {
  private var decoder: WebP.RowDecoder
  private let options: WebP.ConversionOptions
  private let colorType: WebP.PNGHeader.ColorType
  /// Nil until the size of the image is known.
  private var writer: WebP.PNGWriter?
  /// The metadata that was available when the PNG was begun. It is not written again at the end.
  private var earlyMetadata = WebP.Metadata()
  private var isComplete = false
  /// Indicates whether all bytes of the PNG were returned.
  private(set) var isFinished = false

  init(_ info: WebP.ImageInfo, options: WebP.ConversionOptions) {
    var decoding = WebP.DecodeOptions()
    decoding.format = info.hasAlpha ? .rgba : .rgb
    decoding.limits = options.limits
    decoder = WebP.RowDecoder(options: decoding)
    colorType = info.hasAlpha ? .rgba : .rgb
    self.options = options
  }

  /// Stores the next bytes of the WebP, which later calls of `nextPart` convert.
  func append(_ bytes: some Collection<UInt8>) throws(WebP.ConversionError) {
    do {
      try decoder.append(bytes)
    } catch {
      throw .decoding(error)
    }
  }

  /// Declares that no bytes follow.
  func finish() {
    decoder.finish()
    isComplete = true
  }

  /// Decodes and compresses the next rows.
  ///
  /// - Returns: The next bytes of the PNG, which may be empty. Nil if more bytes of the WebP are needed, or if the PNG
  ///   is finished.
  func nextPart() throws(WebP.ConversionError) -> Data? {
    let strip: WebP.RowDecoder.Strip?
    do {
      strip = try decoder.nextStrip()
    } catch {
      throw .decoding(error)
    }
    do {
      if let strip { return try write(strip) }
      guard isComplete, !isFinished else { return nil }
      isFinished = true
      return try writeEnd()
    } catch {
      throw .encoding(error)
    }
  }

  private func write(_ strip: WebP.RowDecoder.Strip) throws(WebP.ExportError) -> Data {
    let writer = if let writer { writer } else { try makeWriter() }
    self.writer = writer
    var output = Data()
    try writer.write(rows: strip.pixels.span) { output.append(contentsOf: $0) }
    return output
  }

  private func makeWriter() throws(WebP.ExportError) -> WebP.PNGWriter {
    guard let (width, height) = decoder.size else { preconditionFailure("rows without a size") }
    earlyMetadata = decoder.metadata
    return try WebP.PNGWriter(
      WebP.PNGHeader(width: width, height: height, colorType: colorType), metadata: earlyMetadata,
      compression: options.compression, threads: options.threads)
  }

  private func writeEnd() throws(WebP.ExportError) -> Data {
    let metadata = decoder.metadata
    let late = WebP.Metadata(
      exif: earlyMetadata.exif == nil ? metadata.exif : nil, xmp: earlyMetadata.xmp == nil ? metadata.xmp : nil)
    var output = Data()
    try writer?.finish(metadata: late) { output.append(contentsOf: $0) }
    return output
  }
}
