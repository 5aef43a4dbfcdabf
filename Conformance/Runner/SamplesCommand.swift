import ArgumentParser
import ConformanceGenerator
import ConformanceSupport
import Foundation
import PureWebP

struct SamplesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "samples",
    abstract: "Writes generated files, damaged ones among them, and what is made of each.",
    discussion: """
      For other builds of the decoder, which cannot be compared with libwebp itself. To standard output: the number of \
      bytes, 32 bits, lowest byte first, and the file; and in the same way the verdict on it, as in the tables.
      """)

  @Argument(help: "How many, each followed by a damaged form of itself.")
  var count: UInt32

  @OptionGroup var numbers: Numbers

  func run() {
    for number in numbers.range(count) {
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
