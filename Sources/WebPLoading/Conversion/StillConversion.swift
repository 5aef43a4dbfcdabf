import Foundation
import PureWebP
import WebPExport

/// One still picture on its way from WebP to PNG.
final class StillConversion {
  private var decoder: WebP.StreamingDecoder
  private let options: WebP.ConversionOptions
  private let metadata: WebP.Metadata
  private let colorType: WebP.PNGHeader.ColorType
  /// Nil until the size is known for sure.
  private var writer: WebP.PNGWriter?
  private var rowsWritten = 0

  /// - Parameter metadata: what has come before the picture.
  init(_ info: WebP.ImageInfo, metadata: WebP.Metadata, options: WebP.ConversionOptions) {
    var decoding = WebP.DecodeOptions()
    decoding.format = info.hasAlpha ? .rgba : .rgb
    decoding.limits = options.limits
    decoder = WebP.StreamingDecoder(options: decoding)
    colorType = info.hasAlpha ? .rgba : .rgb
    self.options = options
    self.metadata = metadata
  }

  /// Decodes the rows that the next bytes complete, and writes them.
  func append(_ bytes: some Collection<UInt8>, to output: inout Data) throws(WebP.ConversionError) {
    do {
      _ = try decoder.append(bytes)
    } catch {
      throw .decoding(error)
    }
    try writeRows(to: &output)
  }

  /// - Parameter metadata: all that the file has.
  func finish(metadata: WebP.Metadata, to output: inout Data) throws(WebP.ConversionError) {
    do {
      try decoder.finish()
    } catch {
      throw .decoding(error)
    }
    try writeRows(to: &output)
    let late = WebP.Metadata(
      exif: self.metadata.exif == nil ? metadata.exif : nil, xmp: self.metadata.xmp == nil ? metadata.xmp : nil)
    var rest = ContiguousArray<UInt8>()
    do {
      try writer?.finish(metadata: late) { rest += $0 }
    } catch {
      throw .encoding(error)
    }
    output.append(contentsOf: rest)
  }

  private func writeRows(to output: inout Data) throws(WebP.ConversionError) {
    guard decoder.finishedRows > rowsWritten || writer == nil, let image = decoder.image else { return }
    var pieces = ContiguousArray<UInt8>()
    do {
      let writer = if let writer { writer } else { try makeWriter(width: image.width, height: image.height) }
      self.writer = writer
      let rows = image.pixels.span.extracting(rowsWritten * image.stride..<decoder.finishedRows * image.stride)
      try writer.write(rows: rows) { pieces += $0 }
    } catch {
      throw .encoding(error)
    }
    rowsWritten = decoder.finishedRows
    output.append(contentsOf: pieces)
  }

  private func makeWriter(width: Int, height: Int) throws(WebP.ExportError) -> WebP.PNGWriter {
    // On the caller's thread: what is compressed leaves at once, and does not wait for other blocks.
    try WebP.PNGWriter(
      WebP.PNGHeader(width: width, height: height, colorType: colorType), metadata: metadata,
      compression: options.compression, threads: .one)
  }
}
