import ArgumentParser
import ConformanceSupport
import PureWebP

struct LibwebpCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "libwebp", abstract: "Compares files, and corrupted variants of them, with libwebp.")

  @Argument(help: "The shared library of libwebp. Animations are compared if libwebpdemux is in the same folder.")
  var library: String

  @OptionGroup var paths: FileArguments

  @Option(help: ArgumentHelp("Also compare this many corrupted variants of each file.", valueName: "n"))
  var damage: UInt32 = 0

  @OptionGroup var numbers: Numbers
  @OptionGroup var verbosity: Verbosity

  func run() throws {
    let comparison = try Comparison(loading: library)
    var tally = Tally(quiet: verbosity.quiet)
    let files = try paths.files()
    for file in files {
      let bytes = try Conformance.read(file)
      tally.note(file.path, comparison.differences(bytes, limits: WebP.Limits()), "\(Verdict(bytes))")
      for number in numbers.range(damage) {
        let damaged = Damage.number(number, of: bytes)
        let found = comparison.differences(damaged, limits: WebP.DecodeOptions.damaged.limits, cuts: number)
        tally.note("\(file.path) damage \(number)", found, "\(Verdict(damaged, options: .damaged))")
      }
    }
    tally.finish("\(files.count) files")
    try tally.exit()
  }
}
