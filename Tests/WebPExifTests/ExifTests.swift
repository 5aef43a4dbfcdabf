import ConformanceGenerator
import PureWebP
import TestSupport
import Testing

@testable import WebPExif

/// Proves that the tags of Exif metadata, and the properties that several tags specify, are read.
/// Expected values: Pillow's values of two files, and blocks that the tests assemble from TIFF and Exif.
@Suite struct ExifTests {
  /// Pillow's location is 49° 12′ 30.45″ north and 16° 36′ west.
  @Test func aPhotoIsDescribed() throws {
    let metadata = WebP.metadata(try TestFile.bytes("exif-gps.webp"))
    let exif = try #require(metadata.exifTags)
    #expect(exif.make == "Canon" && exif.model == "EOS" && exif.lensModel == "RF 50")
    #expect(exif.text(of: 0x010E) == "Grüße" && exif.text(of: 0x0131) == "GIMP 3.0.4")
    #expect(exif.orientation == .right && exif.orientation == metadata.orientation)
    #expect(exif.dateTaken?.description == "2025-09-21T15:29:27+02:00" && exif.dateTaken?.minutesFromUTC == 120)
    #expect(exif.dateChanged?.description == "2025-09-21T15:30:30")
    #expect(exif.userComment == "Created with GIMP")
    #expect(exif.resolution == .init(horizontal: 300, vertical: 300, isPerInch: true))
    let location = try #require(exif.location)
    #expect(abs(location.latitude - 49.2084583333) < 1e-9 && abs(location.longitude + 16.6) < 1e-9)
    #expect(location.altitude == 231)
    #expect(exif.value(of: 0x829A, in: .exif) == .fractions([.init(numerator: 1, denominator: 250)]))
    #expect(exif.value(of: 0x829D, in: .exif) == .fractions([.init(numerator: 28, denominator: 10)]))
    #expect(exif.value(of: 0x8827, in: .exif)?.integer == 400)
    #expect(exif.value(of: 0x927C, in: .exif) == .bytes((0..<768).map { UInt8($0 % 256) }))
    #expect(exif.value(of: 0x829A) == nil, "the tag belongs to another directory")
  }

  @Test func prefixesAreSkipped() throws {
    let exif = try #require(WebP.metadata(try TestFile.bytes("exif-prefix-twice.webp")).exifTags)
    #expect(exif.orientation == .right && exif.make == nil && exif.location == nil && exif.dateTaken == nil)
    #expect(WebP.Exif([]) == nil && WebP.Exif(Array("II*".utf8)) == nil && WebP.Exif(Array("II\0*".utf8)) == nil)
    #expect(WebP.Metadata().exifTags == nil)
  }

  // MARK: Blocks written by the tests

  /// A value of a type of TIFF 6.0, section 2, as little-endian bytes.
  private struct Entry {
    let tag: Int
    let type: Int
    let count: Int
    let bytes: [UInt8]

    init(_ tag: Int, _ type: Int, _ values: [[UInt8]]) {
      (self.tag, self.type, count, bytes) = (tag, type, values.count, values.flatMap { $0 })
    }

    init(_ tag: Int, _ text: String) { self.init(tag, 2, text.utf8.map { [$0] } + [[0]]) }

    init(_ tag: Int, fractions: [(Int, Int)]) {
      self.init(tag, 5, fractions.map { word($0.0) + word($0.1) })
    }
  }

  private static func directory(_ entries: [Entry], at start: Int) -> [UInt8] {
    var values: [UInt8] = []
    let valuesStart = start + 2 + 12 * entries.count + 4
    var bytes = word(entries.count, 2)
    for entry in entries {
      bytes += word(entry.tag, 2) + word(entry.type, 2) + word(entry.count)
      if entry.bytes.count <= 4 {
        bytes += entry.bytes + [UInt8](repeating: 0, count: 4 - entry.bytes.count)
      } else {
        bytes += word(valuesStart + values.count)
        values += entry.bytes
      }
    }
    return bytes + word(0) + values
  }

  /// A block with its first directory, the directory of Exif, and the directory of GPS.
  private static func block(_ image: [Entry] = [], exif: [Entry] = [], gps: [Entry] = []) -> [UInt8] {
    var pointers = [0, 0]
    while true {
      let first = image + [Entry(0x8769, 4, [word(pointers[0])]), Entry(0x8825, 4, [word(pointers[1])])]
      var bytes = Array("II*\0".utf8) + word(8) + directory(first, at: 8)
      let starts = [bytes.count, bytes.count + directory(exif, at: 0).count]
      bytes += directory(exif, at: starts[0]) + directory(gps, at: starts[1])
      if starts == pointers { return bytes }
      pointers = starts
    }
  }

  private static func exif(_ image: [Entry] = [], exif: [Entry] = [], gps: [Entry] = []) -> WebP.Exif {
    WebP.Exif(block(image, exif: exif, gps: gps))!
  }

  @Test func everyTypeIsRead() {
    let exif = Self.exif([
      Entry(1, 1, [[200], [1]]), Entry(2, "a  "), Entry(3, 3, [word(65_535, 2), word(7, 2), word(8, 2)]),
      Entry(4, 4, [word(0xFFFF_FFFF)]), Entry(5, fractions: [(0xFFFF_FFFF, 3), (1, 0)]), Entry(6, 6, [[0xFF]]),
      Entry(7, 7, [[1], [2], [3], [4], [5]]), Entry(8, 8, [word(0xFFFE, 2)]), Entry(9, 9, [word(0x8000_0000)]),
      Entry(10, 10, [word(0xFFFF_FFFF) + word(2)]), Entry(11, 11, [word(0x3FC0_0000)]),
      Entry(12, 12, [word(0) + word(0x4005_8000)]), Entry(13, 13, [word(1)]), Entry(14, 129, [[0xC3], [0xBC]]),
      Entry(15, 3, []), Entry(16, "\0"), Entry(17, 2, [[0xFF]]),
    ])
    let values: [WebP.Exif.Value?] = [
      .bytes([200, 1]), .text("a"), .integers([65_535, 7, 8]), .integers([0xFFFF_FFFF]),
      .fractions([.init(numerator: 0xFFFF_FFFF, denominator: 3), .init(numerator: 1, denominator: 0)]),
      .integers([-1]), .bytes([1, 2, 3, 4, 5]), .integers([-2]), .integers([-0x8000_0000]),
      .fractions([.init(numerator: -1, denominator: 2)]), .reals([1.5]), .reals([2.6875]), nil, .text("ü"), nil, nil,
      .text("\u{FFFD}"),
    ]
    for (index, value) in values.enumerated() { #expect(exif.value(of: index + 1) == value, "tag \(index + 1)") }
    #expect(exif.value(of: 5)?.integer == 1_431_655_765 && exif.value(of: 10)?.integer == -1)
    #expect(exif.value(of: 99) == nil)
  }

  @Test(
    arguments: [
      ("2025:09:21 15:29:27", nil, "+02:00", "2025-09-21T15:29:27+02:00"),
      ("2025:09:21 15:29:27", "07", "-03:30", "2025-09-21T15:29:27.07-03:30"),
      ("2025:09:21 15:29:60", "123456789123", nil, "2025-09-21T15:29:60.123456789"),
      ("0001:01:01 00:00:00", "  ", "     ", "0001-01-01T00:00:00"), ("2025:13:21 15:29:27", nil, nil, nil),
      ("2025:09:21 24:29:27", nil, nil, nil), ("    :  :     :  :  ", nil, nil, nil),
      ("2025-09-21 15:29:27", nil, "+01:00", "2025-09-21T15:29:27+01:00"),
      ("2025:09:21T15:29:27", nil, nil, "2025-09-21T15:29:27"),
      ("2025-09-21T15:29:27.5+02:00", "7", "+01:00", "2025-09-21T15:29:27.5+02:00"),
      ("2025:09:21 15:29:27Z", nil, nil, "2025-09-21T15:29:27+00:00"),
      ("2025:09:21 15:29:27-03:30", "25", nil, "2025-09-21T15:29:27.25-03:30"),
      ("2025:09:21 15:29:27 PM", nil, nil, nil), ("2025/09/21 15:29:27", nil, nil, nil),
      ("2025:09:21", nil, nil, nil), ("2025:09:21 15:29:27", nil, "02:00", "2025-09-21T15:29:27"),
    ] as [(String, String?, String?, String?)])
  func datesHaveTimeZones(_ text: String, _ fraction: String?, _ zone: String?, _ expected: String?) {
    let entries = [Entry(0x9003, text)] + (zone.map { [Entry(0x9011, $0)] } ?? [])
    let exif = Self.exif(exif: entries + (fraction.map { [Entry(0x9291, $0)] } ?? []))
    #expect(exif.dateTaken?.description == expected)
  }

  @Test func locationsAreSigned() {
    func location(_ latitude: String, _ longitude: String, _ degrees: [(Int, Int)], below: UInt8?) -> WebP.Exif
      .Location?
    {
      let altitude = below.map { [Entry(5, 1, [[$0]]), Entry(6, fractions: [(85, 10)])] } ?? []
      return Self.exif(
        gps: [Entry(1, latitude), Entry(2, fractions: degrees), Entry(3, longitude), Entry(4, fractions: degrees)]
          + altitude
      ).location
    }
    let degrees = [(10, 1), (30, 1), (36, 1)]
    #expect(location("S", "E", degrees, below: 1) == .init(latitude: -10.51, longitude: 10.51, altitude: -8.5))
    #expect(location("N", "W", degrees, below: 0) == .init(latitude: 10.51, longitude: -10.51, altitude: 8.5))
    #expect(location("N", "E", [(105, 10)], below: nil) == .init(latitude: 10.5, longitude: 10.5, altitude: nil))
    #expect(location("N", "E", [(10, 1), (30, 1), (0, 0)], below: nil)?.latitude == 10.5, "seconds are not known")
    #expect(location("N", "E", [(91, 1)], below: nil) == nil)
    // Values of exiftool: other directions than south and west are positive.
    for (direction, sign) in [("North", 1), ("n", 1), ("", 1), ("x", 1), ("s", -1), ("South", -1), ("S", -1)] {
      let expected = WebP.Exif.Location(latitude: Double(10 * sign), longitude: -10, altitude: nil)
      #expect(location(direction, "West", [(10, 1)], below: nil) == expected, "\(direction)")
    }
    let angles = [Entry(2, fractions: [(10, 1)]), Entry(4, fractions: [(20, 1)])]
    #expect(Self.exif(gps: angles).location == .init(latitude: 10, longitude: 20, altitude: nil))
    #expect(location("N", "E", [(10, 0)], below: nil) == nil)
  }

  @Test func resolutionsArePerInch() {
    func resolution(_ unit: Int?, _ x: (Int, Int), _ y: (Int, Int)) -> WebP.Exif.Resolution? {
      let units = unit.map { [Entry(0x0128, 3, [word($0, 2)])] } ?? []
      return Self.exif([Entry(0x011A, fractions: [x]), Entry(0x011B, fractions: [y])] + units).resolution
    }
    #expect(resolution(2, (300, 1), (1505, 10)) == .init(horizontal: 300, vertical: 150.5, isPerInch: true))
    // The default is the inch.
    #expect(resolution(nil, (72, 1), (72, 1)) == .init(horizontal: 72, vertical: 72, isPerInch: true))
    #expect(resolution(3, (100, 1), (100, 1)) == .init(horizontal: 254, vertical: 254, isPerInch: true))
    #expect(resolution(1, (4, 1), (3, 1)) == .init(horizontal: 4, vertical: 3, isPerInch: false), "an aspect ratio")
    #expect(resolution(4, (1, 1), (1, 1)) == nil)
    #expect(resolution(2, (300, 0), (300, 1)) == nil && resolution(2, (0, 1), (300, 1)) == nil)
  }

  /// Values of exiftool, except for texts after an unknown code.
  @Test(
    arguments: [
      ("ASCII\0\0\0hello \0 ", "hello"), ("\0\0\0\0\0\0\0\0hello", "hello"), ("UNICODE\0h\0\u{69}\0", "hi"),
      ("UNICODE h\0i\0", "hi"), ("ASCII   Steps: 20", "Steps: 20"), ("ASCII\0xyhello", "hello"),
      ("        hello", "hello"), ("\0garbageHello", "Hello"), ("ASCII art by Jo", "ASCII art by Jo"),
      ("plain text", "plain text"), ("Grüße", "Grüße"), ("ASCII", "ASCII"), ("hi\0\0\0\0\0\0", "hi"),
      ("JIS\0\0\0\0\0hello", nil), ("ASCII\0\0\0", nil), ("UNICODE\0", nil), ("", nil),
      // The text alone.
      ("Unicode\0some text", "some text"), ("UTF-8\0\0\0Grüße", "Grüße"),
    ] as [(String, String?)], [2, 7])
  func commentsAreDecoded(_ bytes: (String, String?), type: Int) {
    #expect(Self.exif(exif: [Entry(0x9286, type, bytes.0.utf8.map { [$0] })]).userComment == bytes.1)
  }

  /// Values of exiftool for a little-endian block, which guesses the order of the comment. It is wrong for short texts
  /// with characters whose lower byte is 0.
  @Test(arguments: [
    ("Hello", "Hello", "Hello"), ("一二三", "一二三", "一二三"), ("漢字かな", "漢字かな", "漢字かな"), ("é", "é", "é"),
    ("日本語　テスト", "日本語　テスト", "日本語　テスト"), ("𝄞 clef", "𝄞 clef", "𝄞 clef"), ("猫", "猫", "⭳"),
    ("一", "N", "N"), ("　", "0", "0"), ("中文　一", "ⵎ蝥0N", "ⵎ蝥0N"), ("名前：一郎", "ൔ䵒\u{1AFF}N캐", "ൔ䵒\u{1AFF}N캐"),
  ])
  func theByteOrderOfCommentsIsGuessed(_ text: String, _ little: String, _ big: String) {
    for (isLittleEndian, expected) in [(true, little), (false, big)] {
      let bytes = text.utf16.flatMap { isLittleEndian ? word(Int($0), 2) : word(Int($0), 2).reversed() }
      let comment = Array("UNICODE\0".utf8) + bytes
      #expect(Self.exif(exif: [Entry(0x9286, 7, comment.map { [$0] })]).userComment == expected)
    }
  }

  /// Values of exiftool. It separates the parts with a line feed.
  @Test(
    arguments: [
      ("A\0B\0", "A", "B"), ("A\0", "A", nil), ("A", "A", nil), (" \0B\0", nil, "B"),
      ("A  \0B  \0junk\0", "A", "B"), (" \0", nil, nil),
    ] as [(String, String?, String?)])
  func copyrightsHaveTwoParts(_ bytes: String, _ photographer: String?, _ editor: String?) {
    let copyright = Self.exif([Entry(0x8298, 2, bytes.utf8.map { [$0] })]).copyright
    #expect(copyright?.photographer == photographer && copyright?.editor == editor)
    #expect((copyright == nil) == (photographer == nil && editor == nil))
  }

  /// Values of exiftool.
  @Test func fieldsOfWritersThatDepartFromExifAreRead() throws {
    func exif(_ name: String) throws -> WebP.Exif {
      try #require(WebP.metadata(try TestFile.bytes("exif-\(name).webp")).exifTags)
    }
    #expect(try exif("comment-order").userComment == "masterpiece, café — 猫, Steps: 20")
    let location = try #require(try exif("gps-word").location)
    #expect(abs(location.latitude - 49.2083333333333) < 1e-9 && abs(location.longitude - 16.6) < 1e-9)
    #expect(try exif("date-zone").dateTaken?.description == "2025-09-21T15:29:27+02:00")
    let windows = try exif("windows-fields")
    #expect(windows.windowsTitle == "Grüße 猫" && windows.windowsKeywords == "a;b" && windows.windowsAuthors == "Jo")
    #expect(windows.rating == 4 && windows.windowsComment == nil && windows.windowsSubject == nil)
    #expect(windows.copyright == .init(photographer: "(c) Ann", editor: "(ed) Bob"))
    let cut = try exif("cut-directory")
    #expect(cut.make == "abc" && cut.model == "xyz")
  }

  /// A byte order mark overrides the order of the block.
  @Test func byteOrderMarksAreFollowed() {
    let bytes = Array("UNICODE\0".utf8) + [0xFE, 0xFF, 0x20, 0xAC]
    #expect(Self.exif(exif: [Entry(0x9286, 7, bytes.map { [$0] })]).userComment == "€")
  }

  /// Every truncated or changed block is read without a trap.
  @Test func corruptBlocksAreRead() throws {
    func readAll(_ block: [UInt8]) {
      guard let exif = WebP.Exif(block) else { return }
      _ = (exif.make, exif.dateTaken, exif.location, exif.resolution, exif.userComment, exif.orientation)
      _ = (exif.windowsTitle, exif.copyright, exif.rating)
      for directory in [WebP.Exif.Directory.image, .exif, .gps] {
        for tag in [1, 2, 5, 6, 0x9003] { _ = exif.value(of: tag, in: directory) }
      }
    }
    let block = Self.block(
      [Entry(0x010F, "maker"), Entry(0x0112, 3, [word(6, 2)])],
      exif: [Entry(0x9003, "2025:09:21 15:29:27"), Entry(0x9286, 7, "ASCII\0\0\0hello".utf8.map { [$0] })],
      gps: [Entry(1, "N"), Entry(2, fractions: [(10, 1), (1, 1), (1, 1)]), Entry(6, fractions: [(1, 2)])])
    for length in block.indices { readAll(Array(block.prefix(length))) }
    for offset in block.indices {
      for value in [0, 0x7F, 0xFF] as [UInt8] {
        var changed = block
        changed[offset] = value
        readAll(changed)
      }
    }
  }
}

private func word(_ number: Int, _ bytes: Int = 4) -> [UInt8] { FileWriter.littleEndian(number, bytes: bytes) }
