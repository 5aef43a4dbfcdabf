/// An ICC profile without a meaning, for tests of its header and tag table (ICC.1:2022, sections 7.2 and 7.3).
public struct ICCProfile: Sendable {
  public var space = "RGB "
  /// The number of bytes. At least 132.
  public var count = 132
  /// The size that the header specifies. Nil: `count`.
  public var sizeField: Int?
  public var version: UInt8 = 4
  public var deviceClass = "mntr"
  public var connectionSpace = "XYZ "
  public var signature = "acsp"
  public var intent = 0
  /// The number of tags that the table specifies. Nil: the number of `tags`.
  public var tagCount: Int?
  public var tags: [(offset: Int, size: Int)] = []

  public init(_ change: (inout Self) -> Void = { _ in }) { change(&self) }

  public static func bytes(_ space: String, count: Int = 132) -> [UInt8] {
    Self {
      $0.space = space
      $0.count = count
      // Only the sizes of version 4 are multiples of 4.
      $0.version = 2
    }.bytes
  }

  public var bytes: [UInt8] {
    var profile = [UInt8](repeating: 0, count: count)
    func put(_ bytes: some Collection<UInt8>, at offset: Int) {
      profile.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }
    func number(_ number: Int) -> [UInt8] { FileWriter.littleEndian(number, bytes: 4).reversed() }
    put(number(sizeField ?? count), at: 0)
    put([version], at: 8)
    put(deviceClass.utf8, at: 12)
    put(space.utf8, at: 16)
    put(connectionSpace.utf8, at: 20)
    put(signature.utf8, at: 36)
    put(number(intent), at: 64)
    put(number(tagCount ?? tags.count), at: 128)
    for (index, tag) in tags.enumerated() {
      put("desc".utf8 + number(tag.offset) + number(tag.size), at: 132 + 12 * index)
    }
    return profile
  }
}
