import Foundation
import TestSupport
import Testing

@Suite struct InfoCommandTests {
  let command = try! Command()

  @Test func aLineForEachFile() throws {
    try command.bringWithMetadata(as: "a.webp")
    try command.bring("animation-lossy.webp", as: "b.webp")
    try command.bring("riff-text.webp", as: "c.webp")
    let result = try command.webp("info", "a.webp", "c.webp", "b.webp")
    #expect(result.status == 1)
    #expect(result.errors.hasPrefix("webp: c.webp: not WebP: "))
    let lines = result.text.split(separator: "\n")
    #expect(lines.count == 2)
    for word in ["a.webp: 67 × 45", "ICC profile (20 bytes)", "Exif (4 bytes)", "XMP (4 bytes)"] {
      #expect(lines[0].contains(word))
    }
    #expect(lines[1].hasPrefix("b.webp: ") && lines[1].contains("animated"))
  }

  /// Each is closed when it has been read.
  @Test func thereMayBeMoreThanCanBeOpen() throws {
    try command.bring("encoder-cwebp-q75.webp", as: "a.webp")
    let names = repeatElement("a.webp", count: 30).joined(separator: " ")
    let result = try command.shell("ulimit -n 20; ./webp info \(names)")
    #expect(result.status == 0 && result.text.split(separator: "\n").count == 30, "\(result.errors)")
  }

  @Test func numbersAgreeWithTheirNouns() throws {
    try command.bring("animation-anim-missing.webp", as: "once.webp")
    try command.bring("animation-anim-twice.webp", as: "often.webp")
    try command.bring("animation-frame-empty.webp", as: "single.webp")
    let lines = try command.webp("info", "once.webp", "often.webp", "single.webp").text.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[0].contains("animated: 0 frames, once,"))
    #expect(lines[1].contains("animated: 2 frames, 0.080s, 5 times,"))
    #expect(lines[2].contains("animated: 1 frame, 0.100s, for ever,"))
    try command.bring("encoder-cwebp-q75.webp", as: "a.webp")
    #expect(try command.shell("./webp info - < a.webp").text.hasPrefix("standard input: 67 × 45, "))
  }

  @Test func whatIsBesideThePixelsIsTold() throws {
    try command.bringWithMetadata(as: "a.webp", exif: Data(Exif.turnedRight))
    try command.bring("encoder-cwebp-lossless-z0.webp", as: "b.webp")
    try command.bring("encoder-img2webp-animation.webp", as: "c.webp")
    let result = try command.webp("info", "--json", "a.webp", "b.webp", "c.webp")
    let objects = try #require(try JSONSerialization.jsonObject(with: result.output) as? [[String: Any]])
    #expect(objects.map { $0["compression"] as? String }.prefix(2) == ["lossy", "lossless"])
    #expect(objects.map { $0["animated"] as? Bool } == [false, false, true])
    #expect(objects[0]["orientation"] as? Int == 6)
    #expect(["iccBytes", "exifBytes", "xmpBytes"].map { objects[0][$0] as? Int } == [20, Exif.turnedRight.count, 4])
    let text = try command.webp("info", "a.webp").text
    #expect(text.contains("lossy") && text.contains("20 bytes") && text.contains("\(Exif.turnedRight.count) bytes"))
  }

  /// The sizes are those of the table that libwebp's answers are in.
  @Test func jsonAgreesWithTheReference() throws {
    let table = Command.vectors.deletingLastPathComponent().appendingPathComponent("references/vectors.tsv")
    let rows = try String(contentsOf: table, encoding: .utf8).split(separator: "\n").dropFirst().map {
      $0.split(separator: "\t").map(String.init)
    }
    let decodable = rows.filter { $0[1] == "ok" }.prefix(100)
    for row in decodable { try command.bring(row[0]) }
    let line = decodable.map { "'\($0[0])'" }.joined(separator: " ")
    let result = try command.shell("./webp info --json \(line)")
    #expect(result.status == 0)
    let objects = try #require(try JSONSerialization.jsonObject(with: result.output) as? [[String: Any]])
    #expect(objects.count == decodable.count && objects.count > 50)
    for (object, row) in zip(objects, decodable) {
      #expect(object["file"] as? String == row[0])
      #expect(object["width"] as? Int == Int(row[2]) && object["height"] as? Int == Int(row[3]), "\(row[0])")
      #expect(object["alpha"] as? Bool == (row[4] == "1"), "\(row[0])")
      #expect(object["bytes"] as? Int == (try command.read(row[0]).count))
    }
  }

  @Test func animationsAgreeWithTheReference() throws {
    let table = Command.vectors.deletingLastPathComponent().appendingPathComponent("references/animations.tsv")
    let rows = try String(contentsOf: table, encoding: .utf8).split(separator: "\n").dropFirst().map {
      $0.split(separator: "\t").map(String.init)
    }
    let decodable = rows.filter { $0[1] == "RGBA" && $0[0].hasPrefix("animation-key") }
    for row in decodable { try command.bring(row[0]) }
    let line = decodable.map { "'\($0[0])'" }.joined(separator: " ")
    let result = try command.shell("./webp info --json \(line)")
    let objects = try #require(try JSONSerialization.jsonObject(with: result.output) as? [[String: Any]])
    #expect(objects.count == decodable.count && objects.count > 10)
    for (object, row) in zip(objects, decodable) {
      #expect(object["frames"] as? Int == Int(row[6]) && object["loops"] as? Int == Int(row[4]), "\(row[0])")
      #expect(
        object["milliseconds"] as? Int
          == row.last?.split(separator: ":").first.flatMap { Int($0) }, "\(row[0])")
    }
  }

  #if os(Linux)
    @Test(arguments: ["", "--json", "--chunks"])
    func aFullDiskIsTold(_ option: String) throws {
      try command.bring("encoder-cwebp-q75.webp", as: "a.webp")
      for (output, reason) in [(">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")] {
        let result = try command.shell("./webp info \(option) a.webp \(output)")
        #expect(result.status == 1)
        #expect(result.errors == "webp: standard output: \(reason)\n")
      }
    }
  #endif

  @Test func ofFilesThatHaveNoneThereIsNoObject() throws {
    try command.bring("encoder-cwebp-q75.webp", as: "a.webp")
    let result = try command.webp("info", "--json", "missing.webp", "a.webp")
    #expect(result.status == 1 && result.errors == "webp: missing.webp: No such file or directory\n")
    #expect((try JSONSerialization.jsonObject(with: result.output) as? [Any])?.count == 1)
  }

  @Test func namesAreEscaped() throws {
    let name = "a \"b\"\\\n.webp"
    try command.bring("encoder-cwebp-q75.webp", as: name)
    let result = try command.webp("info", "--json", name)
    let objects = try JSONSerialization.jsonObject(with: result.output) as? [[String: Any]]
    #expect(objects?.first?["file"] as? String == name)
  }
}
