import ArgumentParser
import PureWebP

/// How many threads may work.
struct ThreadOptions: ParsableArguments {
  @Option(help: ArgumentHelp("How many threads may work, 256 at the most; outputs are the same.", valueName: "n"))
  var threads: Int?

  func validate() throws {
    if let threads, threads < 1 { throw ValidationError("--threads is 1 at least.") }
  }

  /// More than so many are taken for as many: a slip of the finger is not to take memory for a million of them.
  private static let most = 256

  var value: WebP.Threads { threads.map { .atMost(min($0, Self.most)) } ?? .automatic }
}
