import ArgumentParser

@main
struct ConformanceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conformance",
    abstract: "Compares the results of PureWebP and libwebp.",
    usage: """
      conformance [<paths> ...] [--table <file>] [--quiet]
      conformance <subcommand>
      """,
    discussion: """
      Without files, compares the recorded results of libwebp for every vector: unchanged, cut at every byte, \
      corrupted, with options, and frame by frame. Each line has a file and its verdict. The exit code is 1 if a \
      result differs, or if no file was compared.
      """,
    subcommands: [
      CheckCommand.self, LibwebpCommand.self, GeneratedCommand.self, SamplesCommand.self, EnduranceCommand.self,
      LoadCommand.self,
    ],
    defaultSubcommand: CheckCommand.self)
}
