import ArgumentParser
import Foundation

@main
struct DecodeBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode-bench",
    abstract: "Races this decoder against libwebp, file by file.",
    usage: "decode-bench --libwebp PATH [OPTION …] FILE …",
    discussion: """
      Both decoders run in this process, by turns, so that a machine that slows down slows both. For each file it prints \
      the size, the times of both (the shortest of many runs, and the median), the ratio libwebp ÷ ours of the shortest \
      ones (above 1: this decoder is faster), and by how many MiB each decoder raises the peak memory of a process of its \
      own, pixels included. Outputs are compared byte for byte; a file that differs counts nowhere, and makes the command \
      fail.

      On one thread, times are the processor's for the whole process, so that other programs on the machine do not count, \
      and a helper thread does. On more threads they are the wall clock's.

      libwebp is loaded when the command runs: Debian's (package libwebp7, --libwebp libwebp.so.7), or the newer one of \
      PyPI's pillow, in the folder pillow.libs beside PIL:

        pip install pillow
        echo $(python3 -c 'import PIL; print(*PIL.__path__)')/../pillow.libs/libwebp-*

      At the end it prints the geometric mean and the lowest of the ratios for each class of image sizes.

      Make files to race on with Benchmarks/make-files.
      """)

  @OptionGroup var setup: Setup

  @Option(help: ArgumentHelp("Seconds to spend on each file.", valueName: "seconds"))
  var seconds = 3.0

  @Flag(help: "Time the first decode of a process, each run in a new one: what is built once counts.")
  var first = false

  @Flag(help: "Print an array of objects for programs, not a table.")
  var json = false

  @Option(help: ArgumentHelp("Also draw the ratios into a file, as a bar chart.", valueName: "file"))
  var svg: String?

  @Option(
    help: "Decode each file once, by one decoder alone, and print nanoseconds and KiB of memory. For profilers.")
  var once: Side?

  @Option(help: ArgumentHelp("Also draw times by megapixels into a file.", valueName: "file"))
  var plot: String?

  @Argument(help: ArgumentHelp("WebP files.", valueName: "file"))
  var files: [String]

  func validate() throws {
    if once != .ours, setup.libwebp == nil, setup.kind != .png {
      throw ValidationError("Where is libwebp? Say so with --libwebp PATH; --help tells how to come by one.")
    }
    guard seconds > 0 else { throw ValidationError("--seconds takes a number above 0.") }
  }

  func run() throws {
    if setup.memory == .fresh { alwaysTakeNewPages() }
    if let once {
      for file in files { print(try SingleDecode.measure(file, by: once, setup)) }
      return
    }
    let libwebp = setup.kind == .png ? nil : try setup.loadLibWebP()
    let opponent = try libwebp.map { "libwebp \($0.version)" } ?? Command.version(ofDWebP: setup)
    let table = ResultTable(files: files, opponent: opponent)
    var results: [RaceResult] = []
    var hasFailed = false
    if !json { print(table.header) }
    for file in files {
      do {
        let result = try Race(file, setup, libwebp, seconds: seconds, inNewProcesses: first).run()
        results.append(result)
        hasFailed = hasFailed || !result.same
        if !json { print(table.line(result)) }
      } catch {
        hasFailed = true
        FileHandle.standardError.write(Data("\(file): \(error)\n".utf8))
      }
    }
    print(json ? try RaceResult.json(results) : "\n\(SizeClassTable(results))")
    if let plot {
      try SizePlot(results, opponent: opponent).svg.write(toFile: plot, atomically: true, encoding: .utf8)
    }
    if let svg {
      try RatioChart(results, opponent: opponent).svg.write(toFile: svg, atomically: true, encoding: .utf8)
    }
    if hasFailed { throw ExitCode.failure }
  }
}
