import Foundation
import PureWebP
import WebPLoading

/// Shows how far an image is decoded while its bytes arrive slowly.
///
///     progressive-viewer FILE
@main
struct ProgressiveViewer {
  static func main() async throws {
    guard CommandLine.arguments.count == 2 else { return print("usage: progressive-viewer FILE") }
    let file = URL(fileURLWithPath: CommandLine.arguments[1])
    let bytes = try Data(contentsOf: file)
    try resume(bytes)
    try await cancel(bytes)
    try await load(file)
  }

  /// Stops in the middle, keeps the decoder, and continues with the rest of the bytes.
  static func resume(_ bytes: Data) throws {
    var decoder = WebP.StreamingDecoder()
    try decoder.append(bytes.prefix(bytes.count / 2))
    print("half of the bytes: \(decoder.finishedRows) rows")
    var resumed = decoder
    try resumed.append(bytes.dropFirst(bytes.count / 2))
    try resumed.finish()
    print("all bytes: \(resumed.finishedRows) rows, orientation \(resumed.metadata.orientation ?? .up)")
  }

  /// Cancels the task after the first rows.
  static func cancel(_ bytes: Data) async throws {
    let (rows, continuation) = AsyncStream<Range<Int>>.makeStream()
    let viewer = Task {
      defer { continuation.finish() }
      for try await update in WebP.updates(from: SlowChunks(bytes: bytes)) {
        continuation.yield(update.rows)
      }
    }
    for await rows in rows {
      print("rows \(rows)")
      viewer.cancel()
    }
    if case .failure(let error) = await viewer.result { print("ended with \(type(of: error))") }
  }

  /// The same through the loader, which also caches and orients images.
  static func load(_ file: URL) async throws {
    for try await update in WebP.ImageLoader().updates(for: file) {
      switch update {
      case .rows(_, let rows): print("loader: rows \(rows)")
      case .finished(let loaded): print("loader: \(loaded.image.width) × \(loaded.image.height)")
      default: break
      }
    }
  }
}

/// A kilobyte every ten milliseconds.
struct SlowChunks: AsyncSequence, AsyncIteratorProtocol {
  var bytes: Data

  func makeAsyncIterator() -> Self { self }

  mutating func next() async throws -> Data? {
    try await Task.sleep(for: .milliseconds(10))
    let chunk = bytes.prefix(1024)
    bytes = bytes.dropFirst(1024)
    return chunk.isEmpty ? nil : chunk
  }
}
