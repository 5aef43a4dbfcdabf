#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Parses the number at the beginning of `text` like C's `strtoul`, and truncates it to 32 bits. For
/// example, with base 0, 12, 014 and 0xc are the same number. Text after the number is ignored. Returns nil if `text`
/// does not begin with a number.
package func cNumber(_ text: String, base: Int32 = 0) -> Int32? {
  unsafe text.cString.withUnsafeBufferPointer { word in
    var end: UnsafeMutablePointer<CChar>?
    let number = unsafe strtoul(word.baseAddress!, &end, base)
    return unsafe UnsafePointer(end) == word.baseAddress ? nil : Int32(truncatingIfNeeded: number)
  }
}
