import ArgumentParser
import CommandSystem
import PureWebP

struct ExtractCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    subcommand: "extract",
    abstract: "Writes the ICC profile, Exif, XMP, or a frame as a separate WebP file.",
    discussion: """
      The bytes are copied from the file without decoding.

      EXAMPLES
        webp extract icc image.webp -o profile.icc
        webp extract exif image.webp | exiftool -
        webp extract frame animation.webp --frame 3 -o 3.webp
      """)

  enum Part: String, ExpressibleByArgument, CaseIterable {
    case icc, exif, xmp, frame
  }

  @Argument(help: ArgumentHelp("What to extract.", valueName: "part"))
  var part: Part

  @Argument(help: ArgumentHelp("The file; - is standard input.", valueName: "in"), completion: .webPFile)
  var input: String

  @Option(
    name: [.customLong("frame"), .customLong("number")],
    help: ArgumentHelp(
      "The frame, counted from 0 as by webp frames and in errors. (webpmux counts from 1.)", valueName: "n"))
  var number = 0

  @Option(
    name: [.customShort("o", allowingJoined: true), .customLong("output")],
    help: ArgumentHelp("The file to write; - is standard output, the default.", valueName: "out"), completion: .file())
  var output = "-"

  func validate() throws {
    if number < 0 { throw ValidationError("--frame must be at least 0") }
  }

  func run() throws {
    try forEach([input]) { (_, input) throws(Failure) in
      let bytes = try readWebP(input)
      let extracted: [UInt8]
      do throws(WebP.DecodeError) { extracted = try extract(from: bytes) } catch { throw Failure(input, error) }
      guard !extracted.isEmpty else { throw Failure(input, absence(in: bytes)) }
      if output == "-" { try refuseTerminal(for: "\(part.rawValue) data", of: input) }
      try writeOutput(output, ContiguousArray(extracted))
    }
  }

  private func absence(in bytes: [UInt8]) -> String {
    if part == .frame, let count = try? WebP.Animation(bytes).frameCount {
      return noFrame(number, of: count)
    }
    return "the file has no \(part.rawValue)"
  }

  private func extract(from bytes: [UInt8]) throws(WebP.DecodeError) -> [UInt8] {
    _ = try WebP.info(bytes)
    let metadata = WebP.metadata(bytes, limits: .none)
    switch part {
    case .icc: return metadata.icc ?? []
    case .exif: return metadata.exif ?? []
    case .xmp: return metadata.xmp ?? []
    case .frame:
      let animation = try WebP.Animation(bytes)
      guard animation.frames.indices.contains(number) else { return [] }
      return try animation.encodedFrame(at: number)
    }
  }
}
