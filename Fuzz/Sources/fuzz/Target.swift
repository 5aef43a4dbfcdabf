import ConformanceGenerator
import PureWebP

/// A fuzzing target.
///
/// The last `choiceCount` bytes of an input are the choices of the test, such as options. The bytes before them are the
/// file. Zeros select the defaults, so a file followed by `choiceCount` zeros is a seed.
enum Target: String, CaseIterable {
  /// Decoding in one call, with random options.
  case still
  /// Incremental decoding, compared with decoding in one call.
  case streaming
  /// Composed frames, also incrementally.
  case animation
  /// The headers and the list of chunks.
  case info
  /// Metadata and its orientation.
  case metadata
  /// Rows that are compressed to a PNG, and decompressed by zlib.
  case compression
  /// All targets above that read a file, with files that are written from the input's bytes.
  case written

  /// The number of bytes for the choices of a test.
  static let choiceCount = 32

  func test(_ input: [UInt8]) {
    var choices = Choices(input.suffix(Self.choiceCount))
    let file = Array(input.dropLast(Self.choiceCount))
    test(file, &choices)
  }

  private func test(_ file: [UInt8], _ choices: inout Choices) {
    switch self {
    case .still: testStill(file, &choices)
    case .streaming: testStreaming(file, &choices)
    case .animation: testAnimation(file, &choices)
    case .info: testInfo(file)
    case .metadata: testMetadata(file, &choices)
    case .compression: testCompression(file, &choices)
    case .written:
      var content = Choices(file, seed: UInt64(file.count))
      let file = content.file()
      let targets: [Target] = [.still, .streaming, .animation, .info, .metadata]
      targets[choices.below(targets.count)].test(file, &choices)
    }
  }
}

/// Ends the run if a promise is broken. libFuzzer saves the input.
func check(_ holds: Bool, _ promise: @autoclosure () -> String) {
  if !holds { fatalError("broken promise: \(promise())") }
}
