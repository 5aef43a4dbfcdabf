import Foundation
import PureWebP
import TestSupport
import Testing

@testable import webp

/// Proves that `webp info` reports the properties of files, as text and as JSON.
/// Expected values: Conformance/references, which libwebp wrote, and headers that the tests write.
@Suite struct InfoCommandTests {
  let command = try! Command(with: "encoder-cwebp-q75.webp")

  @Test func eachFileHasALine() throws {
    try command.bringWithMetadata(as: "a.webp")
    try command.bring("animation-lossy.webp", as: "b.webp")
    try command.bring("riff-text.webp", as: "c.webp")
    let result = try command.webp("info", "a.webp", "c.webp", "b.webp")
    #expect(result.status == 1)
    #expect(result.errors.hasPrefix("webp: c.webp: not a WebP file"))
    let lines = result.text.split(separator: "\n")
    try #require(lines.count == 2)
    for word in ["a.webp: 67 × 45", "ICC profile (132 bytes)", "Exif (4 bytes)", "XMP (4 bytes)"] {
      #expect(lines[0].contains(word))
    }
    #expect(lines[1].hasPrefix("b.webp: ") && lines[1].contains("animated"))
  }

  /// Each file is closed after it is read.
  @Test func inputsMayOutnumberTheDescriptors() throws {
    let names = repeatElement("a.webp", count: 30).joined(separator: " ")
    let result = try command.shell("ulimit -n 20; ./webp info \(names)")
    #expect(result.status == 0 && result.text.split(separator: "\n").count == 30, "\(result.errors)")
  }

  @Test func numbersAgreeWithTheirNouns() throws {
    try command.bring("animation-anim-missing.webp", as: "once.webp")
    try command.bring("animation-anim-twice.webp", as: "often.webp")
    try command.bring("animation-frame-empty.webp", as: "single.webp")
    let lines = try command.webp("info", "once.webp", "often.webp", "single.webp").text.split(separator: "\n")
    try #require(lines.count == 3)
    #expect(lines[0].contains("animated: 0 frames, once,"))
    #expect(lines[1].contains("animated: 2 frames, 0.080s, 5 times,"))
    #expect(lines[2].contains("animated: 1 frame, 0.100s, endless,"))
    #expect(try command.shell("./webp info - < a.webp").text.hasPrefix("standard input: 67 × 45, "))
  }

  @Test func metadataIsReported() throws {
    try command.bringWithMetadata(as: "a.webp", exif: Data(Exif.turnedRight))
    try command.bring("encoder-cwebp-lossless-z0.webp", as: "b.webp")
    try command.bring("encoder-img2webp-animation.webp", as: "c.webp")
    let objects = try command.webp("info", "--json", "a.webp", "b.webp", "c.webp").objects()
    #expect(objects.map { $0["compression"] as? String }.prefix(2) == ["lossy", "lossless"])
    #expect(objects.map { $0["animated"] as? Bool } == [false, false, true])
    #expect(objects[0]["orientation"] as? Int == 6)
    #expect(["iccBytes", "exifBytes", "xmpBytes"].map { objects[0][$0] as? Int } == [132, Exif.turnedRight.count, 4])
    let text = try command.webp("info", "a.webp").text
    #expect(text.contains("lossy") && text.contains("132 bytes") && text.contains("\(Exif.turnedRight.count) bytes"))
  }

  /// The table has libwebp's results.
  @Test func jsonAgreesWithTheReference() throws {
    let table = TestFile.vectors.deletingLastPathComponent().appendingPathComponent("references/vectors.tsv")
    let rows = try String(contentsOf: table, encoding: .utf8).split(separator: "\n").dropFirst().map {
      $0.split(separator: "\t").map(String.init)
    }
    let decodable = rows.filter { $0[1] == "ok" }.prefix(100)
    for row in decodable { try command.bring(row[0]) }
    let line = decodable.map { "'\($0[0])'" }.joined(separator: " ")
    let result = try command.shell("./webp info --json \(line)")
    #expect(result.status == 0)
    let objects = try result.objects()
    #expect(objects.count == decodable.count && objects.count > 50)
    for (object, row) in zip(objects, decodable) {
      #expect(object["file"] as? String == row[0])
      #expect(object["width"] as? Int == Int(row[2]) && object["height"] as? Int == Int(row[3]), "\(row[0])")
      #expect(object["alpha"] as? Bool == (row[4] == "1"), "\(row[0])")
      #expect(object["bytes"] as? Int == (try command.read(row[0]).count))
    }
  }

  @Test func animationsAgreeWithTheReference() throws {
    let table = TestFile.vectors.deletingLastPathComponent().appendingPathComponent("references/animations.tsv")
    let rows = try String(contentsOf: table, encoding: .utf8).split(separator: "\n").dropFirst().map {
      $0.split(separator: "\t").map(String.init)
    }
    let decodable = rows.filter { $0[1] == "RGBA" && $0[0].hasPrefix("animation-key") }
    for row in decodable { try command.bring(row[0]) }
    let line = decodable.map { "'\($0[0])'" }.joined(separator: " ")
    let objects = try command.shell("./webp info --json \(line)").objects()
    #expect(objects.count == decodable.count && objects.count > 10)
    for (object, row) in zip(objects, decodable) {
      #expect(object["frames"] as? Int == Int(row[6]) && object["loops"] as? Int == Int(row[4]), "\(row[0])")
      #expect(
        object["milliseconds"] as? Int
          == row.last?.split(separator: ":").first.flatMap { Int($0) }, "\(row[0])")
    }
  }

  /// Two frames with the fields of RFC 9649, section 2.7.1.1: offsets in units of 2, sizes minus 1, then the duration.
  /// Bit 1 of the flags disables blending, bit 0 is the disposal method.
  @Test func framesAreListed() throws {
    let pixel = FileWriter.chunk("VP8L", [47, 0, 0, 0, 16, 7, 16, 17, 17, 136, 136, 254, 7])
    let headers: [[UInt8]] = [
      [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 40, 0, 0, 0], [1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 70, 1, 0, 3],
    ]
    let file = FileWriter.riff(
      FileWriter.vp8X(flags: 2, width: 8, height: 9), FileWriter.chunk("ANIM", [0, 0, 0, 0, 0, 0]),
      headers.flatMap { FileWriter.chunk("ANMF", $0 + pixel) })
    try Data(file).write(to: command.folder.appendingPathComponent("a.webp"))
    try command.bring("encoder-cwebp-q75.webp", as: "b.webp")

    let result = try command.webp("info", "--json", "a.webp", "b.webp")
    let objects = try result.objects()
    let frames = try #require(objects[0]["frameList"] as? [[String: Any]])
    let expected: [NSDictionary] = [
      ["width": 1, "height": 1, "x": 0, "y": 0, "milliseconds": 40, "blend": true, "dispose": "none"],
      ["width": 1, "height": 1, "x": 2, "y": 4, "milliseconds": 326, "blend": false, "dispose": "background"],
    ]
    #expect(frames.count == 2 && objects[1]["frameList"] is NSNull)
    for (frame, fields) in zip(frames, expected) {
      #expect(NSDictionary(dictionary: frame.filter { fields[$0.key] != nil }) == fields)
      #expect(frame["compression"] as? String == "lossless" && frame["bytes"] as? Int == 22)
    }

    let lines = try command.webp("info", "--frames", "a.webp", "b.webp").text.split(separator: "\n")
    let words = lines.map { $0.split(separator: " ").map(String.init) }
    try #require(lines.count == 5 && lines[4].hasPrefix("b.webp: "))
    #expect(
      words[1] == [
        "frame", "width", "height", "x", "y", "ms", "blend", "dispose", "alpha", "key", "compression", "bytes",
      ])
    #expect(words[2].prefix(8) == ["0", "1", "1", "0", "0", "40", "yes", "none"])
    #expect(words[3].prefix(8) == ["1", "1", "1", "2", "4", "326", "no", "background"])
    #expect(Set(lines[1...3].map(\.count)).count == 1, "columns are aligned")
    #expect(try command.webp("info", "--frames", "--json", "a.webp", "b.webp").output == result.output)
  }

  /// Metadata beyond the limit is omitted from the PNG with a message.
  @Test func largeMetadataIsReported() throws {
    let size = WebP.Limits().maximumMetadataBytes + 2
    try command.bringWithMetadata(as: "a.webp", xmp: Data(repeating: UInt8(ascii: " "), count: size))
    #expect(try command.webp("info", "a.webp").text.contains("XMP (\(size) bytes)"))
    let objects = try command.webp("info", "--json", "a.webp").objects()
    #expect(objects.first?["xmpBytes"] as? Int == size)
    let message = "webp: a.webp: limit exceeded: left out XMP (\(size) bytes); --max-metadata allows more\n"
    for (options, errors) in [
      ("", message), ("-q --force", ""), ("--no-metadata --force", ""), ("--max-metadata 100000000 --force", ""),
      ("-f bmp", "webp: a.webp: left out ICC profile, Exif\n"),
    ] {
      let result = try command.shell("./webp decode a.webp \(options)")
      #expect(result.status == 0 && result.errors == errors, "\(options)")
    }
  }

  #if os(Linux)
    @Test(arguments: ["", "--json", "--chunks"])
    func aFullDiskIsReported(_ option: String) throws {
      for (output, code, reason) in [
        (">/dev/full", 75, "No space left on device"), (">&-", 1, "Bad file descriptor"),
      ] as [(String, Int32, String)] {
        let result = try command.shell("./webp info \(option) a.webp \(output)")
        #expect(result.status == code)
        #expect(result.errors == "webp: standard output: \(reason)\n")
      }
    }
  #endif

  @Test func unreadableFilesHaveAnObjectWithTheError() throws {
    try command.bring("riff-text.webp", as: "b.webp")
    for subcommand in ["info", "check"] {
      let result = try command.webp(subcommand, "--json", "missing.webp", "a.webp", "b.webp")
      #expect(result.status == 1 && result.errors.hasPrefix("webp: missing.webp: No such file or directory\n"))
      let objects = try result.objects()
      #expect(objects.map { $0["file"] as? String } == ["missing.webp", "a.webp", "b.webp"])
      #expect(objects[0]["error"] as? String == "No such file or directory" && objects[1]["error"] == nil)
      #expect((objects[2]["error"] as? String)?.hasPrefix("not a WebP file") == true)
    }
  }

  /// The properties of a truncated file are shown, and the exit code is 1. libwebp's webpinfo has its own rules.
  @Test func truncatedFilesAreReported() throws {
    let file = try TestFile.vector("encoder-cwebp-lossless-z6.webp")
    try file.dropLast(100).write(to: command.folder.appendingPathComponent("a.webp"))
    let message = "truncated: \(file.count - 100) of \(file.count) bytes"
    let result = try command.webp("info", "a.webp")
    #expect(result.status == 1 && result.text.hasPrefix("a.webp: ") && result.text.contains("lossless"))
    #expect(result.errors == "webp: a.webp: \(message)\n")
    let json = try command.webp("info", "--json", "a.webp")
    let objects = try json.objects()
    #expect(json.status == 1 && objects[0]["error"] as? String == message && objects[0]["width"] is Int)
  }

  @Test func foldersAreListedRecursively() throws {
    try command.shell("mkdir -p d/e").expectSuccess()
    for name in ["d/a.webp", "d/e/b.WEBP"] { try command.bring("encoder-cwebp-q75.webp", as: name) }
    try command.write("", to: "d/c.txt")
    let result = try command.webp("info", "-r", "d")
    result.expectSuccess()
    #expect(result.text.split(separator: "\n").map { $0.prefix { $0 != ":" } } == ["d/a.webp", "d/e/b.WEBP"])
    #expect(try command.webp("info", "d").errors == "webp: d: a folder; -r lists the WebP files in it\n")
    try command.shell("./webp check -qr d").expectSuccess()
  }

  /// Standard output and standard error have the order of the files, although standard output is buffered.
  @Test func errorsFollowTheOutputOfEarlierFiles() throws {
    let lines = try command.shell("./webp info a.webp x.webp a.webp y.webp 2>&1").text.split(separator: "\n")
    #expect(lines.map { $0.contains("67 × 45") } == [true, false, true, false])
  }

  @Test func animationsStateTheirCompression() throws {
    for (vector, name) in [
      ("animation-random-7", "mixed"), ("animation-corners-lossy", "lossy"), ("encoder-pillow-animation", "lossless"),
    ] {
      try command.bring("\(vector).webp", as: "a.webp")
      let frames = try command.webp("info", "--frames", "a.webp").text
      #expect(frames.contains(", \(name), animated"), "\(frames)")
      #expect(try command.webp("info", "--json", "a.webp").text.contains(#""compression": "\#(name)""#))
    }
  }

  /// The tags are written by hand: IFD0 has the model (ASCII), the orientation (SHORT) and a pointer to the Exif IFD,
  /// which has the exposure time (RATIONAL).
  @Test func exifTagsAndTheProfileAreDescribed() throws {
    func word(_ number: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: Int) -> [UInt8] {
      word(tag, 2) + word(type, 2) + word(count, 4) + word(value, 4)
    }
    var exif = Array("II*\0".utf8) + word(8, 4)
    exif += word(3, 2) + entry(0x0110, 2, 6, 60) + entry(0x0112, 3, 1, 6) + entry(0x8769, 4, 1, 66) + word(0, 4)
    exif += [UInt8](repeating: 0, count: 60 - exif.count) + Array("CAM-1\0".utf8)
    exif += word(1, 2) + entry(0x829A, 5, 1, 90) + word(0, 4)
    exif += [UInt8](repeating: 0, count: 90 - exif.count) + word(1, 4) + word(250, 4)
    // Some writers store the prefix of JPEG's Exif segment, once or repeatedly.
    for prefix in ["Exif\0\0Exif\0\0", "Exif\0\0", ""] {
      try command.bringWithMetadata(as: "a.webp", exif: Data(prefix.utf8) + Data(exif))
      let text = try command.webp("info", "--exif", "a.webp").text
      #expect(text.hasSuffix("\n  Model:        CAM-1\n  ExposureTime: 1/250\n  Orientation:  6\n"), "\(text)")
    }
    let objects = try command.webp("info", "--json", "a.webp").objects()
    #expect(
      objects[0]["exif"] as? [String: String] == ["Model": "CAM-1", "ExposureTime": "1/250", "Orientation": "6"])
  }

  /// The directory has one entry, Copyright, whose text follows it.
  @Test func textsOfExifAreCutAtAThousandCharacters() throws {
    var exif = Data([0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x98, 0x82, 2, 0, 0xB1, 4, 0, 0, 26, 0, 0, 0, 0, 0, 0, 0])
    let text = String(repeating: "a", count: 0x4B0)
    exif += Data((text + "\0").utf8)
    try command.bringWithMetadata(as: "a.webp", exif: exif)
    let line = try command.webp("info", "--exif", "a.webp").text.split(separator: "\n").last
    #expect(line == "  Copyright: \(text.prefix(1000))")
  }

  /// Pillow's values of the file.
  @Test func locationsZonesAndCommentsAreListed() throws {
    try Data(TestFile.bytes("exif-gps.webp")).write(to: command.folder.appendingPathComponent("a.webp"))
    let lines = try command.webp("info", "--exif", "a.webp").text.split(separator: "\n").dropFirst()
    let expected = [
      "ImageDescription": "Grüße", "Make": "Canon", "Model": "EOS", "LensModel": "RF 50", "ExposureTime": "1/250",
      "FNumber": "28/10", "ISOSpeedRatings": "400", "DateTimeOriginal": "2025:09:21 15:29:27",
      "OffsetTimeOriginal": "+02:00", "DateTime": "2025:09:21 15:30:30", "Orientation": "6", "XResolution": "300",
      "YResolution": "300", "ResolutionUnit": "2", "Software": "GIMP 3.0.4", "UserComment": "Created with GIMP",
      "GPSLatitude": "49.2084583", "GPSLongitude": "-16.6", "GPSAltitude": "231",
    ]
    let pairs = lines.map { line in
      let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      return (parts[0], parts[1])
    }
    #expect(Dictionary(pairs) { first, _ in first } == expected)
    let objects = try command.webp("info", "--json", "a.webp").objects()
    #expect(objects[0]["exif"] as? [String: String] == expected)
  }

  /// A flag either excludes JSON, or changes the objects only. The names are from the command's description of itself.
  @Test(arguments: ["info", "check"]) func flagsDoNotPrintIntoJSON(subcommand: String) throws {
    struct Description: Decodable {
      struct Name: Decodable { let name: String }
      struct Argument: Decodable {
        let kind: String
        let preferredName: Name?
      }
      struct Subcommand: Decodable {
        let commandName: String
        let arguments: [Argument]?
        let subcommands: [Subcommand]?
      }
      let command: Subcommand
    }
    let text = try command.webp("--experimental-dump-help").output
    let all = try JSONDecoder().decode(Description.self, from: text).command.subcommands
    let flags = try #require(all?.first { $0.commandName == subcommand }?.arguments).filter { $0.kind == "flag" }
    let names = flags.compactMap(\.preferredName?.name).filter { !["help", "version"].contains($0) }
    #expect(names.contains("json"))
    for name in names {
      let result = try command.webp(subcommand, "--json", "--\(name)", "a.webp")
      guard result.status == 0 else { continue }
      let isValid = name == "json-lines" || (try? JSONSerialization.jsonObject(with: result.output)) is [Any]
      #expect(isValid, "\(subcommand) --json --\(name) prints \(result.text)")
    }
  }

  @Test func namesAreEscaped() throws {
    let name = "a \"b\"\\\n.webp"
    try command.bring("encoder-cwebp-q75.webp", as: name)
    let objects = try command.webp("info", "--json", name).objects()
    #expect(objects.first?["file"] as? String == name)
  }
}
