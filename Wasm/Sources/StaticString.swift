/// The address of bytes that end with a zero. It replaces the standard library's type, which has three words.
public struct StaticString: ExpressibleByStringLiteral {
  let address: UInt32

  public init(stringLiteral text: Swift.StaticString) {
    address = unsafe UInt32(UInt(bitPattern: text.utf8Start))
  }
}
