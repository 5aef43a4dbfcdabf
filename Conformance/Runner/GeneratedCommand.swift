import ArgumentParser
import ConformanceGenerator
import ConformanceSupport
import Foundation
import PureWebP

struct GeneratedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generated",
    abstract: "Compares generated files with libwebp.",
    discussion: "Files with different results are written to the working directory.")

  @Argument(help: "The shared library of libwebp.")
  var library: String

  @Argument(help: "The number of files.")
  var count: UInt32

  @OptionGroup var numbers: Numbers
  @OptionGroup var verbosity: Verbosity

  func run() throws {
    let comparison = try Comparison(loading: library)
    var tally = Tally(quiet: verbosity.quiet)
    for number in numbers.range(count) {
      var choices = Choices(seed: UInt64(number))
      let file = choices.file()
      let found = comparison.differences(file, limits: WebP.DecodeOptions.damaged.limits, cuts: number)
      let name = "generated-\(number).webp"
      tally.note(name, found, "\(Verdict(file, options: .damaged))")
      if found?.isEmpty == false { try? Data(file).write(to: URL(fileURLWithPath: name)) }
      if number % 100_000 == 99_999 { tally.finish("generated files up to number \(number)") }
    }
    tally.finish("\(count) generated files")
    try tally.exit()
  }
}
