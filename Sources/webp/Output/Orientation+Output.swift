import PureWebP
import WebPExport

extension WebP.FileFormat {
  /// Indicates whether files of this format can store an orientation.
  var storesOrientation: Bool { self == .png || self == .tiff }
}

let droppedOrientation = "the output has no orientation, and is shown as stored; --upright rotates it"

extension WebP.Animation {
  /// Writes an APNG of changed canvases, or a PNG if there is only one. Each frame is stored as its complete canvas.
  ///
  /// - Parameters:
  ///   - metadata: the metadata of the file.
  ///   - png: the options of the PNG.
  ///   - progress: receives the index of each frame before the frame is written.
  ///   - sink: receives the next bytes of the file.
  ///   - change: returns the changed canvas. All of them have the same size.
  func writeAPNG(
    metadata: WebP.Metadata, png: WebP.PNGOptions, progress: (Int) -> Void, to sink: WebP.PNGWriter.Sink,
    changing change: (WebP.Image) -> WebP.Image
  ) throws -> WebP.WrittenFile {
    let first = change(try frame(at: 0).image)
    guard frameCount > 1 else { return try first.write(metadata: metadata, png: png, to: sink) }
    let writer = try WebP.APNGWriter(
      WebP.PNGHeader(width: first.width, height: first.height, colorType: .rgba), frameCount: frameCount,
      loopCount: loopCount, metadata: metadata, compression: png.compression, threads: png.threads)
    let rectangle = WebP.Rectangle(x: 0, y: 0, width: first.width, height: first.height)
    var canvases = makeIterator()
    while let canvas = try canvases.nextFrame() {
      progress(canvas.index)
      try writer.write(
        .init(rectangle, duration: frames[canvas.index].duration), pixels: change(canvas.image).pixels.span, to: sink)
    }
    try writer.finish(to: sink)
    return WebP.WrittenFile(width: first.width, height: first.height, droppedProfile: writer.droppedProfile)
  }
}
