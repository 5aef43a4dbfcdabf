import ArgumentParser

@main
struct ConformanceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conformance",
    abstract: "Shows what PureWebP makes of files, and whether it is what libwebp makes of them.",
    usage: """
      conformance [<paths> ...] [--table <file>] [--quiet]
      conformance <subcommand>
      """,
    discussion: """
      Without files: every vector, as it is, cut at every byte, damaged, with options, frame by frame, against what is \
      recorded of libwebp. Each line is a file and what is made of it. The exit code is 1 where anything differs, or \
      there was no file, or none that the table has.
      """,
    subcommands: [
      CheckCommand.self, LibwebpCommand.self, GeneratedCommand.self, SamplesCommand.self, EnduranceCommand.self,
      LoadCommand.self,
    ],
    defaultSubcommand: CheckCommand.self)
}
