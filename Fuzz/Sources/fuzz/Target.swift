import PureWebP

/// What can be fuzzed. The last bytes of an input are the choices of the test, those before them the file: so a file from
/// anywhere is a good seed, with as many zeros behind it, which choose nothing.
enum Target: String, CaseIterable {
  /// Decoding at once, with all options.
  case still
  /// Decoding in pieces, against decoding at once.
  case streaming
  /// Composed frames, and the same in pieces.
  case animation
  /// What the headers say.
  case info
  /// Metadata.
  case metadata
  /// All of that, on files that are written from the input's bytes.
  case written

  /// Enough bytes to choose everything.
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
    case .written:
      var content = Choices(file, seed: UInt64(file.count))
      let file = content.file()
      let targets: [Target] = [.still, .streaming, .animation, .info, .metadata]
      targets[choices.below(targets.count)].test(file, &choices)
    }
  }
}

/// Ends the run: libFuzzer keeps the input.
func check(_ holds: Bool, _ promise: @autoclosure () -> String) {
  if !holds { fatalError("broken promise: \(promise())") }
}
