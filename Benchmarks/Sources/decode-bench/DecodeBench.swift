import ArgumentParser
import Foundation

@main
struct DecodeBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode-bench",
    abstract: "Compares the speed and memory of this decoder and libwebp.",
    usage: "decode-bench --libwebp PATH [OPTION …] FILE …",
    discussion: """
      Both decoders run alternately in this process, so that a change of the machine's speed affects both. In each \
      round, one decoder decodes all files, and then the other one does, because a processor learns the branches of a \
      small file that is decoded again and again. So compare small files together, not one at a time. For each file \
      the command prints the size, the shortest and the median time of each decoder, and the ratio of the shortest \
      times, libwebp's divided by ours. Above 1, this decoder is faster. It also prints the peak memory in MiB that \
      each decoder adds in a new process, pixels included. Outputs are compared byte for byte. If a file differs, it \
      is left out of the means, and the command fails.

      On one thread, the clock is the processor time of the process: other programs do not change it, and a helper \
      thread adds to it. On more threads it is the wall clock.

      libwebp is loaded at run time. It can be Debian's (package libwebp7, --libwebp libwebp.so.7), or the newer one \
      of PyPI's pillow, in the folder pillow.libs next to PIL:

        pip install pillow
        echo $(python3 -c 'import PIL; print(*PIL.__path__)')/../pillow.libs/libwebp-*

      At the end it prints the geometric mean and the lowest of the ratios for each class of image sizes.

      Benchmarks/make-files makes files for the comparison.
      """)

  @OptionGroup var setup: Setup

  @Option(help: ArgumentHelp("Seconds for each file, on average.", valueName: "seconds"))
  var seconds = 3.0

  @Flag(help: "Measure the first decode of a process, each run in a new process.")
  var first = false

  @Flag(help: "Print a JSON array instead of a table.")
  var json = false

  @Option(help: ArgumentHelp("Also draw the ratios into a file, as a bar chart.", valueName: "file"))
  var svg: String?

  @Option(
    help: "Decode each file once with one decoder, and print nanoseconds and KiB of memory. For profilers.")
  var once: Side?

  @Option(help: ArgumentHelp("Also draw times by megapixels into a file.", valueName: "file"))
  var plot: String?

  @Option(
    help: ArgumentHelp(
      "Compare this commit of the decoder with the one that is checked out in a folder, on one thread and on two.",
      valueName: "folder"))
  var against: String?

  @Flag(help: "Only check that the command measures correctly, by a race of contestants of known cost.")
  var check = false

  @Argument(help: ArgumentHelp("WebP files.", valueName: "file"))
  var files: [String] = []

  func validate() throws {
    if check { return }
    guard !files.isEmpty else { throw ValidationError("files are missing") }
    if once != .ours, against == nil, setup.libwebp == nil, setup.kind != .png {
      throw ValidationError("--libwebp PATH is missing; see --help for where to get the library")
    }
    guard seconds > 0 else { throw ValidationError("--seconds must be greater than 0") }
  }

  func run() throws {
    if check { return try HarnessCheck.run() }
    if let against {
      var race = try CommitRace(files, against: against)
      try race.run(seconds: seconds * Double(files.count))
      return print(race.table)
    }
    if setup.memory == .fresh { alwaysTakeNewPages() }
    if let once {
      for file in files { print(try SingleDecode.measure(file, by: once, setup)) }
      return
    }
    let libwebp = setup.kind == .png ? nil : try setup.loadLibWebP()
    let opponent = try libwebp.map { "libwebp \($0.version)" } ?? Command.version(ofDWebP: setup)
    var races: [Race] = []
    for file in files {
      do { races.append(try Race(file, setup, libwebp, inNewProcesses: first)) } catch {
        FileHandle.standardError.write(Data("\(file): \(error)\n".utf8))
      }
    }
    try Race.run(&races, seconds: seconds * Double(races.count))
    let results = try races.map { try $0.result() }
    if !json {
      let table = ResultTable(files: files, opponent: opponent)
      print(table.header)
      for result in results { print(table.line(result)) }
    }
    print(json ? try RaceResult.json(results) : "\n\(SizeClassTable(results))")
    if let plot {
      try SizePlot(results, opponent: opponent).svg.write(toFile: plot, atomically: true, encoding: .utf8)
    }
    if let svg {
      try RatioChart(results, opponent: opponent).svg.write(toFile: svg, atomically: true, encoding: .utf8)
    }
    if results.count < files.count || !results.allSatisfy(\.same) { throw ExitCode.failure }
  }
}
