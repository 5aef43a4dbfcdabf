#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The number that `text` begins with, as C's strtoul reads it with base 0, cut off to a 32-bit int: 12, 014 and 0xc are
/// the same, and whatever follows is not looked at. Nil if it begins with none.
package func cNumber(_ text: String) -> Int32? {
  unsafe text.cString.withUnsafeBufferPointer { word in
    var end: UnsafeMutablePointer<CChar>?
    let number = unsafe strtoul(word.baseAddress!, &end, 0)
    return unsafe UnsafePointer(end) == word.baseAddress ? nil : Int32(truncatingIfNeeded: number)
  }
}
