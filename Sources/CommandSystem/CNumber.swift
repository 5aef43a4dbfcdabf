#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The number that `text` begins with, as C's strtoul parses it with base 0, truncated to a 32-bit int: 12, 014 and
/// 0xc are the same. The text after the number is ignored. Nil if `text` does not begin with a number.
package func cNumber(_ text: String) -> Int32? {
  unsafe text.cString.withUnsafeBufferPointer { word in
    var end: UnsafeMutablePointer<CChar>?
    let number = unsafe strtoul(word.baseAddress!, &end, 0)
    return unsafe UnsafePointer(end) == word.baseAddress ? nil : Int32(truncatingIfNeeded: number)
  }
}
