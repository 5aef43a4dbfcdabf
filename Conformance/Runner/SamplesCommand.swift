import ArgumentParser
import ConformanceGenerator
import ConformanceSupport
import Foundation
import PureWebP

struct SamplesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "samples",
    abstract: "Writes generated and corrupted files with their verdicts.",
    discussion: """
      For builds of the decoder that cannot load libwebp, such as WebAssembly. The output consists of pairs: a file, \
      and its verdict as in the tables. Each begins with its size in bytes, as 32 bits in little-endian order.
      """)

  @Argument(help: "The number of files. Each is followed by a corrupted variant.")
  var count: UInt32

  @Option(help: ArgumentHelp("The first number. Random by default.", valueName: "k"))
  var first: UInt32?

  func run() {
    let first = first ?? .random(in: 0...(.max - count))
    FileHandle.standardError.write(Data("repeat these samples with --first \(first)\n".utf8))
    for number in Int(first)..<Int(first) + Int(count) {
      var choices = Choices(seed: UInt64(number))
      let file = choices.file()
      for bytes in [file, Damage.number(number, of: file)] {
        write(bytes)
        write(Array("\(Verdict(bytes))".utf8))
      }
    }
  }

  private func write(_ bytes: [UInt8]) {
    let count = (0..<4).map { UInt8(truncatingIfNeeded: bytes.count >> (8 * $0)) }
    FileHandle.standardOutput.write(Data(count + bytes))
  }
}
