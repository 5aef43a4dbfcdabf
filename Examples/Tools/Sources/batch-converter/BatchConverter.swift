import Foundation
import PureWebP
import WebPExport

/// Converts a folder of WebP files to upright PNG files of at most 320 × 320 pixels, with their metadata.
///
///     batch-converter FOLDER OUTPUT
@main
struct BatchConverter {
  static let workers = ProcessInfo.processInfo.activeProcessorCount

  static func main() async throws {
    guard CommandLine.arguments.count == 3 else { return print("usage: batch-converter FOLDER OUTPUT") }
    let output = URL(fileURLWithPath: CommandLine.arguments[2])
    let files = try FileManager.default.contentsOfDirectory(
      at: URL(fileURLWithPath: CommandLine.arguments[1]), includingPropertiesForKeys: nil
    ).filter { $0.pathExtension == "webp" }.sorted { $0.path < $1.path }
    // Each worker converts every nth file, one at a time, with one buffer and one thread.
    let failures = await withTaskGroup(of: Int.self) { group in
      for first in 0..<workers {
        group.addTask {
          var worker = Worker()
          return stride(from: first, to: files.count, by: workers).count { !worker.convert(files[$0], to: output) }
        }
      }
      var failures = 0
      for await count in group { failures += count }
      return failures
    }
    print("\(files.count - failures) of \(files.count) files converted")
  }
}

struct Worker {
  /// Decodes into memory that is reused for each file. Rows begin at multiples of 64 bytes.
  private var buffer = Data()

  mutating func convert(_ file: URL, to folder: URL) -> Bool {
    let name = file.deletingPathExtension().lastPathComponent
    do {
      let bytes = try Data(contentsOf: file)
      let metadata = WebP.metadata(bytes)
      let upright = try decode(bytes).oriented(metadata.orientation ?? .up)
      let png = try upright.encoded(metadata: metadata, png: .init(threads: .one))
      try Data(png).write(to: folder.appendingPathComponent("\(name).png"))
      return true
    } catch {
      print("\(name): \(error)")
      return false
    }
  }

  /// Returns the options for decoding the square in the middle of the image, scaled.
  private mutating func decode(_ bytes: Data) throws -> WebP.Image {
    let info = try WebP.info(bytes)
    let side = min(info.width, info.height)
    let square = WebP.Rectangle(x: (info.width - side) / 2, y: (info.height - side) / 2, width: side, height: side)
    let options = WebP.DecodeOptions(crop: square, size: .fit(width: 320, height: 320), threads: .one)
    let size = try options.outputSize(for: info)
    let stride = (4 * size.width + 63) & ~63
    let layout = try options.layout(for: info, stride: stride)
    if buffer.count < layout.byteCount { buffer = Data(count: layout.byteCount) }
    try WebP.decode(bytes, into: &buffer, stride: stride, options: options)
    let image = WebP.Image(
      width: size.width, height: size.height, format: .rgba, pixels: buffer, stride: stride)
    guard let image else {
      fatalError("the rows have the size of the layout")
    }
    return image
  }
}
