import ArgumentParser
import PureWebP

/// How many threads may work.
struct ThreadOptions: ParsableArguments {
  @Option(help: ArgumentHelp("How many threads may work, 64 at the most; outputs are the same.", valueName: "n"))
  var threads: Int?

  func validate() throws {
    if let threads, threads < 1 { throw ValidationError("--threads is 1 at least.") }
  }

  var value: WebP.Threads { threads.map { .atMost($0) } ?? .automatic }
}
