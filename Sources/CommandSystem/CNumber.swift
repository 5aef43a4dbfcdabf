#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Parses the number at the beginning of `text` like C's `strtoul` with base 0, and truncates it to 32 bits. For
/// example, 12, 014 and 0xc are the same number. Text after the number is ignored. Returns nil if `text` does not begin
/// with a number.
package func cNumber(_ text: String) -> Int32? {
  unsafe text.cString.withUnsafeBufferPointer { word in
    var end: UnsafeMutablePointer<CChar>?
    let number = unsafe strtoul(word.baseAddress!, &end, 0)
    return unsafe UnsafePointer(end) == word.baseAddress ? nil : Int32(truncatingIfNeeded: number)
  }
}
