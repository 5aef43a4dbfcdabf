import ConformanceGenerator
import TestSupport
import Testing

@testable import PureWebP

/// Proves that the orientation can be read and written in Exif and XMP without changing other data.
/// Expected values: Exif blocks that the tests assemble as TIFF 6.0, section 2, specifies, and XMP texts.
@Suite struct MetadataOrientationTests {
  /// A TIFF structure with these entries in its first directory and a second, empty directory after it.
  private static func exif(_ entries: [(tag: Int, type: Int, value: Int)], isLittleEndian: Bool = true) -> [UInt8] {
    func number(_ value: Int, _ bytes: Int) -> [UInt8] {
      let number = FileWriter.littleEndian(value, bytes: bytes)
      return isLittleEndian ? number : number.reversed()
    }
    let next = 8 + 2 + 12 * entries.count + 4
    var block = Array((isLittleEndian ? "II" : "MM").utf8) + number(42, 2) + number(8, 4) + number(entries.count, 2)
    for entry in entries {
      block += number(entry.tag, 2) + number(entry.type, 2) + number(1, 4)
      let size = entry.type == 1 || entry.type == 6 ? 1 : entry.type == 3 || entry.type == 8 ? 2 : 4
      block += number(entry.value, size) + repeatElement(0, count: 4 - size)
    }
    return block + number(next, 4) + number(0, 2)
  }

  private static let width = (tag: 0x0100, type: 3, value: 4000)
  private static let ifd = (tag: 0x8769, type: 4, value: 70_000)
  private static func orientation(_ value: Int) -> (tag: Int, type: Int, value: Int) { (0x0112, 3, value) }

  @Test(arguments: [true, false], ["", "Exif\0\0", "Exif\0\0Exif\0\0", "Exif\0\0Exif\0\0Exif\0\0"])
  func onlyTheOrientationChanges(isLittleEndian: Bool, prefix: String) {
    let block = { (value: Int) in
      Array(prefix.utf8)
        + Self.exif([Self.width, Self.orientation(value), Self.ifd], isLittleEndian: isLittleEndian)
    }
    for old in 1...8 {
      for new in WebP.Orientation.allCases {
        var metadata = WebP.Metadata(icc: [1], exif: block(old), unknown: [.init(fourCC: .anim, payload: [2])])
        #expect(metadata.orientation?.rawValue == old)
        metadata.orientation = new
        #expect(metadata.exif == block(new.rawValue) && metadata.orientation == new)
        #expect(metadata.icc == [1] && metadata.unknown.count == 1)
      }
      #expect(WebP.Metadata(exif: block(old)).upright().exif == block(1))
    }
  }

  /// BYTE, SHORT, LONG, SBYTE, SSHORT and SLONG.
  @Test(arguments: [1, 3, 4, 6, 8, 9], [true, false])
  func integersOfAllTypesAreRead(type: Int, isLittleEndian: Bool) {
    let block = Self.exif([Self.width, (0x0112, type, 6), Self.ifd], isLittleEndian: isLittleEndian)
    var metadata = WebP.Metadata(exif: block)
    #expect(metadata.orientation == .right)
    metadata.orientation = .down
    #expect(metadata.orientation == .down)
    #expect(metadata.exif?[24] == (isLittleEndian ? 3 : 0))  // The type becomes SHORT, as Exif requires.
  }

  /// The invalid values have an ASCII type, are out of range, or exceed 16 bits.
  @Test(arguments: [(0x0112, 2, 6), (0x0112, 3, 0), (0x0112, 3, 9), (0x0112, 4, 6 << 16)])
  func invalidOrientationIsReplaced(entry: (Int, Int, Int)) {
    var metadata = WebP.Metadata(exif: Self.exif([Self.width, entry, Self.ifd]))
    let expected = Self.exif([Self.width, Self.orientation(1), Self.ifd])
    #expect(metadata.orientation == nil)
    #expect(metadata.upright() == metadata, "an invalid orientation rotates nothing")
    metadata.orientation = .up
    #expect(metadata.exif == expected)
  }

  @Test(arguments: [true, false]) func missingOrientationIsAddedInOrder(isLittleEndian: Bool) throws {
    let old = Self.exif([Self.width, Self.ifd], isLittleEndian: isLittleEndian)
    var metadata = WebP.Metadata(exif: old)
    #expect(metadata.orientation == nil && metadata.upright() == metadata)
    metadata.orientation = .left
    #expect(metadata.orientation == .left)
    // The longer directory is at the end of the block, and the header refers to it.
    let new = try #require(metadata.exif)
    let whole = Self.exif([Self.width, Self.orientation(8), Self.ifd], isLittleEndian: isLittleEndian)
    let (entries, next) = (whole[8..<8 + 2 + 36], old[8 + 2 + 24..<8 + 2 + 28])
    #expect(new[8..<old.count] == old[8...] && Array(new[old.count...]) == Array(entries) + next)
    let offset = FileWriter.littleEndian(old.count, bytes: 4)
    #expect(Array(new[4..<8]) == (isLittleEndian ? offset : offset.reversed()))
  }

  @Test func orientationCanBeRemoved() {
    var metadata = WebP.Metadata(exif: Self.exif([Self.width, Self.orientation(6), Self.ifd]))
    metadata.orientation = nil
    #expect(metadata.orientation == nil)
    // The next directory stays at its offset.
    let next = Self.exif([Self.width, Self.width, Self.width]).suffix(6).prefix(4)
    let expected = Self.exif([Self.width, Self.ifd]).dropLast(6) + next
    #expect(metadata.exif.map { Array($0.prefix(expected.count)) } == Array(expected))

    metadata = WebP.Metadata(
      exif: Self.exif([Self.orientation(6), Self.width, Self.orientation(3), Self.ifd, Self.orientation(0)]))
    metadata.orientation = nil
    #expect(metadata.exif.map { Array($0[8..<34]) } == Array(Self.exif([Self.width, Self.ifd])[8..<34]))
    #expect(metadata.exif?[34..<38] == Self.exif(Array(repeating: Self.width, count: 5))[70..<74])

    metadata = WebP.Metadata(exif: Exif.turnedRight)
    metadata.orientation = nil
    #expect(metadata.exif == nil)
    metadata.orientation = nil
    #expect(metadata.isEmpty)
  }

  @Test func missingExifIsCreated() {
    for exif in [nil, []] as [[UInt8]?] {
      var metadata = WebP.Metadata(exif: exif)
      #expect(metadata.upright().exif == exif)
      metadata.orientation = .right
      #expect(metadata.exif == Exif.turnedRight)
    }
  }

  /// A missing part of the header and of the directory counts as 0. Incomplete entries are not read, and are omitted.
  /// All bytes of the block stay, except for the offset of the directory.
  @Test(arguments: [true, false]) func fieldsOfTruncatedDirectoriesStay(isLittleEndian: Bool) throws {
    let entries = [Self.width, (tag: 0x0101, type: 3, value: 9), Self.ifd]
    let complete = Self.exif(entries, isLittleEndian: isLittleEndian)
    func number(_ bytes: ArraySlice<UInt8>) -> Int {
      (isLittleEndian ? bytes.reversed() : Array(bytes)).reduce(0) { $0 << 8 | Int($1) }
    }
    for length in 4...complete.count {
      let block = Array(complete.prefix(length))
      var metadata = WebP.Metadata(exif: block)
      #expect(metadata.orientation == nil && metadata.upright().exif == block)
      try metadata.setOrientation(.right)
      let new = try #require(metadata.exif)
      #expect(metadata.orientation == .right && new.starts(with: block.prefix(4)))
      if length > 8 { #expect(new[8..<length] == block[8..<length]) }
      let start = number(new[4..<8])
      let count = number(new[start..<start + 2])
      // Each entry has 12 bytes after the directory's count. Its value begins at the ninth byte.
      #expect(start % 2 == 0 && count == max(0, min(3, (length - 10 + 3) / 12)) + 1, "\(length) bytes")
      let directory = new[(start + 2)...]
      let tags = (0..<count).map { number(directory.dropFirst(12 * $0).prefix(2)) }
      #expect(tags == tags.sorted() && directory.count == 12 * count + 4)
      for (index, entry) in entries.prefix(max(0, (length - 10) / 12)).enumerated() {
        let position = try #require(tags.firstIndex(of: entry.tag))
        #expect(directory.dropFirst(12 * position).prefix(12) == complete[10 + 12 * index..<22 + 12 * index])
      }
    }
  }

  /// The orientation is complete before the last eight bytes.
  @Test func orientationsOfTruncatedDirectoriesAreRead() {
    let block = Self.exif([Self.width, Self.orientation(6)])
    for length in 0...block.count {
      let orientation = WebP.Metadata(exif: Array(block.prefix(length))).orientation
      #expect(orientation == (length < block.count - 8 ? nil : .right), "\(length) bytes")
    }
  }

  /// A directory's number of entries has 16 bits, and other structures than TIFF have no entries. Nothing changes, and
  /// the reason is reported.
  @Test func exifThatCannotChangeStays() {
    let full = Self.exif(Array(repeating: Self.width, count: 65_535))
    for exif in [full, [1, 2, 3], Array("II".utf8), Array("Exif\0\0".utf8)] {
      let xmp = Array("<r:D tiff:Orientation=\"6\" xmlns:tiff=\"\(Self.uri)\"/>".utf8)
      let source = WebP.Metadata(exif: exif, xmp: xmp)
      var metadata = source
      metadata.orientation = .right
      #expect(metadata == source && metadata.orientation == nil && metadata.upright() == source)
      let error = #expect(throws: WebP.DecodeError.self) { try metadata.setOrientation(.down) }
      #expect(error?.kind == .unsupported && error?.detail == "orientation cannot be stored in Exif")
      #expect(metadata == source)
    }
  }

  /// Directories that are not in the block, or overlap its header, have no entries.
  @Test(arguments: [0, 4, 7, 1000, 0x7FFF_FFFF, 0xFFFF_FFFF])
  func directoriesOutsideTheBlockAreEmpty(offset: Int) throws {
    let header: [UInt8] = Array("II*\0".utf8)
    var metadata = WebP.Metadata(exif: header + FileWriter.littleEndian(offset, bytes: 4) + [5, 0, 7])
    #expect(metadata.orientation == nil)
    try metadata.setOrientation(.right)
    let appended: [UInt8] = [12, 0, 0, 0, 5, 0, 7, 0]
    #expect(metadata.exif == header + appended + Exif.turnedRight[8...])
  }

  /// Readers differ in which of several orientations counts.
  @Test func allOrientationsAreReplaced() {
    let entries = [Self.orientation(6), Self.width, Self.orientation(3)]
    var metadata = WebP.Metadata(exif: Self.exif(entries))
    let expected = Self.exif([Self.orientation(1), Self.width, Self.orientation(1)])
    #expect(metadata.upright().exif == expected)
    metadata.orientation = .up
    #expect(metadata.exif == expected)
  }

  @Test func orientationOfCorruptExifCanBeSet() throws {
    let good = Self.exif([Self.width, Self.orientation(6), Self.ifd])
    var random = SplitMix64(seed: 15)
    for round in 0..<4000 {
      var corrupt = Array(good.prefix(round % 3 == 0 ? Int.random(in: 0...good.count, using: &random) : good.count))
      for _ in 0..<2 {
        guard let index = corrupt.indices.randomElement(using: &random) else { break }
        corrupt[index] = UInt8.random(in: 0...255, using: &random)
      }
      var metadata = WebP.Metadata(exif: corrupt)
      let before = metadata
      _ = metadata.upright()
      metadata.orientation = .down
      try #require(metadata.orientation == .down || metadata == before, "\(corrupt)")
      metadata.orientation = nil
      try #require(metadata.orientation == nil, "\(corrupt)")
    }
  }

  // MARK: XMP

  private static let head = "<?xpacket begin=\"\u{FEFF}\"?><x:xmpmeta xmlns:x=\"adobe:ns:meta/\">"
  private static let uri = "http://ns.adobe.com/tiff/1.0/"

  @Test(arguments: [
    ("<r:D tiff:Orientation=\"6\" xmlns:tiff=\"\(uri)\"/>", "<r:D tiff:Orientation=\"1\" xmlns:tiff=\"\(uri)\"/>"),
    (
      "<r:D xmlns:tiff='\(uri)'\n tiff:Orientation = '8' a='b'>",
      "<r:D xmlns:tiff='\(uri)'\n tiff:Orientation = '1' a='b'>"
    ),
    (
      "<r:D xmlns:tiff=\"\(uri)\"><tiff:Make>A</tiff:Make><tiff:Orientation>3</tiff:Orientation></r:D>",
      "<r:D xmlns:tiff=\"\(uri)\"><tiff:Make>A</tiff:Make><tiff:Orientation>1</tiff:Orientation></r:D>"
    ),
    // Another prefix for the namespace, and the usual prefix for another namespace.
    ("<r:D xmlns:t=\"\(uri)\" t:Orientation=\"6\"/>", "<r:D xmlns:t=\"\(uri)\" t:Orientation=\"1\"/>"),
    ("<r:D xmlns:tiff=\"urn:x\" tiff:Orientation=\"6\"/>", "<r:D xmlns:tiff=\"urn:x\" tiff:Orientation=\"6\"/>"),
    // Text and comments that look like the property.
    (
      "<r:D xmlns:tiff=\"\(uri)\"><!-- <a tiff:Orientation=\"6\"> --><d:c> tiff:Orientation=\"6\"</d:c></r:D>",
      "<r:D xmlns:tiff=\"\(uri)\"><!-- <a tiff:Orientation=\"6\"> --><d:c> tiff:Orientation=\"6\"</d:c></r:D>"
    ),
    (
      "<r:D xmlns:tiff=\"\(uri)\" a=\"> tiff:Orientation='6'\"><![CDATA[<a tiff:Orientation=\"6\"/>]]></r:D>",
      "<r:D xmlns:tiff=\"\(uri)\" a=\"> tiff:Orientation='6'\"><![CDATA[<a tiff:Orientation=\"6\"/>]]></r:D>"
    ),
    ("<r:D xmlns:tiff=\"\(uri)\" tiff:OrientationX=\"6\"/>", "<r:D xmlns:tiff=\"\(uri)\" tiff:OrientationX=\"6\"/>"),
  ])
  func orientationOfXMPIsReplaced(before: String, after: String) {
    let packet = { (text: String) in Array((Self.head + text + "</x:xmpmeta><?xpacket end=\"w\"?>").utf8) }
    var metadata = WebP.Metadata(xmp: packet(before))
    #expect(metadata.upright() == metadata, "XMP's orientation rotates nothing")
    metadata.exif = Exif.turnedRight
    let upright = metadata.upright()
    #expect(
      upright.xmp.map { String(decoding: $0, as: UTF8.self) } == String(decoding: packet(after), as: UTF8.self))
    metadata.orientation = .up
    #expect(metadata == upright && metadata.orientation == .up)
  }

  @Test func orientationOfXMPIsRemoved() {
    let xmlns = "xmlns:tiff=\"\(Self.uri)\""
    for (before, after) in [
      ("<r:D \(xmlns) tiff:Orientation=\"6\" a=\"b\"/>", "<r:D \(xmlns) a=\"b\"/>"),
      ("<r:D \(xmlns)><tiff:Orientation>6</tiff:Orientation ></r:D>", "<r:D \(xmlns)></r:D>"),
      // The attribute is within the element.
      ("<r:D \(xmlns)><tiff:Orientation tiff:Orientation='8'>6</tiff:Orientation>", "<r:D \(xmlns)>"),
      ("<r:D \(xmlns) tiff:Orientation='8' tiff:Orientation='6' a=''/>", "<r:D \(xmlns) a=''/>"),
    ] {
      var metadata = WebP.Metadata(xmp: Array(before.utf8))
      metadata.orientation = nil
      #expect(metadata.xmp == Array(after.utf8) && metadata.exif == nil)
    }
  }

  @Test func corruptXMPDoesNotTrap() {
    let good = Array(
      "\(Self.head)<r:D tiff:Orientation=\"6\" xmlns:tiff='\(Self.uri)'>x</r:D><!-- y --></x:xmpmeta>".utf8)
    for count in 0...good.count { _ = WebP.Metadata(exif: Exif.turnedRight, xmp: Array(good.prefix(count))).upright() }
    var random = SplitMix64(seed: 16)
    let characters = Array("<>/='\"!?-[ :".utf8)
    for _ in 0..<4000 {
      var corrupt = good
      for _ in 0..<3 {
        corrupt[Int.random(in: 0..<good.count, using: &random)] = characters.randomElement(using: &random)!
      }
      var metadata = WebP.Metadata(exif: Exif.turnedRight, xmp: corrupt).upright()
      metadata.orientation = nil
    }
  }

  // MARK: Images

  /// The first transformation is remembered, because the metadata of the file no longer applies after it.
  @Test func theAppliedOrientationIsRemembered() throws {
    let image = try #require(WebP.Image(width: 1, height: 1, format: .rgb, pixels: [1, 2, 3]))
    #expect(image.appliedOrientation == nil && image.oriented(.up).appliedOrientation == .up)
    #expect(image.oriented(.up).oriented(.down).appliedOrientation == .down)
    for next in WebP.Orientation.allCases {
      #expect(image.oriented(.right).oriented(next).appliedOrientation == .right)
    }
    #expect(image.oriented(.up) == image && Set([image, image.oriented(.up)]).count == 1)
  }
}
