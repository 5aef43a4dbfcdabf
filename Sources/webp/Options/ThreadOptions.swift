import ArgumentParser
import PureWebP

/// The number of threads, as an option of a command.
struct ThreadOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The maximum number of threads, at most 64. It does not change the output.", valueName: "n"))
  var threads: Int?

  func validate() throws {
    if let threads, threads < 1 { throw ValidationError("--threads must be at least 1") }
  }

  var value: WebP.Threads { threads.map { .atMost($0) } ?? .automatic }
}
