import Foundation
import PureWebP
import WebPExport

/// Prints the frames of an animation, and writes some of them as PNG, and all of them as APNG and as one PNG.
///
///     animation-tool FILE FOLDER
@main
struct AnimationTool {
  static func main() async throws {
    guard CommandLine.arguments.count == 3 else { return print("usage: animation-tool FILE FOLDER") }
    let bytes = try Data(contentsOf: URL(fileURLWithPath: CommandLine.arguments[1]))
    let folder = URL(fileURLWithPath: CommandLine.arguments[2])
    let animation = try WebP.Animation(bytes)
    printTable(of: animation)
    try writeImages(of: animation, to: folder)
    try writeStrip(of: animation, to: folder)
    try seek(in: animation)
    try await receive(bytes, expected: animation)
    try await play(animation)
    try recover(bytes.prefix(bytes.count * 2 / 3))
  }

  static func printTable(of animation: WebP.Animation) {
    print(
      "\(animation.canvasSize.width) × \(animation.canvasSize.height), \(animation.frames.count) frames,",
      "\(animation.displayMilliseconds) ms")
    for (index, frame) in animation.frames.enumerated() {
      let area = frame.rectangle
      print(
        "\(index): \(area.width) × \(area.height) at \(area.x), \(area.y), \(frame.displayMilliseconds) ms from",
        "\(frame.displayStartMilliseconds)", frame.isBlended ? "blended" : "", frame.isDisposed ? "disposed" : "",
        frame.isKeyFrame ? "key frame" : ""
      )
    }
  }

  /// Writes every fifth frame as a PNG, and the animation as an APNG.
  static func writeImages(of animation: WebP.Animation, to folder: URL) throws {
    for frame in animation where frame.index.isMultiple(of: 5) {
      try Data(frame.image.encoded()).write(to: folder.appendingPathComponent("frame-\(frame.index).png"))
    }
    try Data(animation.encoded().bytes).write(to: folder.appendingPathComponent("animation.png"))
  }

  /// Writes all frames below each other as one PNG, a frame at a time.
  static func writeStrip(of animation: WebP.Animation, to folder: URL) throws {
    let height = animation.canvasSize.height * animation.frames.count
    let header = WebP.PNGHeader(width: animation.canvasSize.width, height: height, colorType: .rgba)
    let writer = try WebP.PNGWriter(header, reducesColors: true)
    var file = Data()
    for frame in animation { try writer.write(rows: frame.image.pixels.span) { file += $0 } }
    try writer.finish { file += $0 }
    try file.write(to: folder.appendingPathComponent("strip.png"))
  }

  /// Shows that a frame is the same whether it is read in order or alone.
  static func seek(in animation: WebP.Animation) throws {
    let frames = Array(animation)
    for index in frames.indices.shuffled().prefix(10) {
      guard try animation.frame(at: index) == frames[index] else { fatalError("frame \(index) differs") }
    }
    print("random access: \(min(frames.count, 10)) frames are equal")
    let middle = animation.displayMilliseconds / 2
    print("after \(middle) ms: frame \(animation.frameIndex(atMilliseconds: middle))")
  }

  /// Receives the file in parts, and encodes the frames as gray images without blocking the tasks of the program.
  static func receive(_ bytes: Data, expected: WebP.Animation) async throws {
    let parts = AsyncStream<Data> { continuation in
      for start in stride(from: 0, to: bytes.count, by: 1000) { continuation.yield(bytes[start...].prefix(1000)) }
      continuation.finish()
    }
    var size = 0
    var count = 0
    for try await update in WebP.updates(from: parts) {
      size += try await update.image.converted(to: .gray8).encodedInBackground().count
      count += 1
    }
    guard count == expected.frames.count else { fatalError("frames are missing") }
    print("\(count) frames arrived, \(size) bytes as gray PNGs")
  }

  static func play(_ animation: WebP.Animation) async throws {
    let start = ContinuousClock.now
    for try await frame in animation.playback(loops: 1) {
      print("frame \(frame.index) after \(start.duration(to: .now).formatted(.units(allowed: [.milliseconds])))")
    }
  }

  static func recover(_ bytes: Data) throws {
    let animation = try WebP.Animation(recovering: bytes)
    let error = animation.recoveryError.map { "\($0)" } ?? "complete"
    print("two thirds of the file: \(animation.frames.count) frames,", error)
  }
}
