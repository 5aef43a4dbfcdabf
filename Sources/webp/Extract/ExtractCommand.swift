import ArgumentParser
import PureWebP

struct ExtractCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "extract",
    abstract: "Writes the ICC profile, Exif, XMP, or a frame as a WebP of its own.",
    discussion: """
      Nothing is decoded: the bytes are those of the file.

      EXAMPLES
        webp extract icc picture.webp -o profile.icc
        webp extract exif picture.webp | exiftool -
        webp extract frame animation.webp --number 3 -o third.webp
      """)

  enum Part: String, ExpressibleByArgument, CaseIterable {
    case icc, exif, xmp, frame
  }

  @Argument(help: ArgumentHelp("What to extract.", valueName: "part"))
  var part: Part

  @Argument(help: ArgumentHelp("The file; - is standard input.", valueName: "in"), completion: .file())
  var input: String

  @Option(help: "Which frame, counted from 1; 0 is the last one.")
  var number = 1

  @Option(
    name: [.short, .customLong("output")],
    help: ArgumentHelp("Where to write; - is standard output, as is nothing.", valueName: "out"), completion: .file())
  var output = "-"

  func run() throws {
    try forEach([input]) { (_, input) throws(Failure) in
      let bytes = try readInput(input)
      let extracted: ContiguousArray<UInt8>
      do throws(WebP.DecodeError) { extracted = try extract(from: bytes) } catch { throw Failure(input, error) }
      guard !extracted.isEmpty else { throw Failure(input, "there is no \(part.rawValue) in it") }
      guard output != "-" || !FileDescriptor.standardOutput.isTerminal else {
        throw Failure(input, "a terminal shows no \(part.rawValue); name a file with -o")
      }
      do {
        let file = try OutputFile(output)
        try file.write(extracted)
        try file.finish()
      } catch {
        throw Failure(output == "-" ? "standard output" : output, "\(error)")
      }
    }
  }

  private func extract(from bytes: [UInt8]) throws(WebP.DecodeError) -> ContiguousArray<UInt8> {
    _ = try WebP.info(bytes)
    let metadata = WebP.metadata(bytes)
    switch part {
    case .icc: return ContiguousArray(metadata.icc ?? [])
    case .exif: return ContiguousArray(metadata.exif ?? [])
    case .xmp: return ContiguousArray(metadata.xmp ?? [])
    case .frame:
      let animation = try WebP.Animation(bytes)
      let index = number == 0 ? animation.frameCount - 1 : number - 1
      guard animation.frames.indices.contains(index) else { return [] }
      return FrameFile.make(animation.frames[index], of: bytes)
    }
  }
}
