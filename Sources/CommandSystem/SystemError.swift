#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the operating system answered, such as `No such file or directory`.
package struct SystemError: Error, CustomStringConvertible {
  package let code: Int32

  package static var last: Self { Self(code: errno) }

  package var description: String {
    guard let text = unsafe strerror(code) else { return "error \(code)" }
    return unsafe String(cString: text)
  }

  static var exists: Self { Self(code: EEXIST) }
  static var isFolder: Self { Self(code: EISDIR) }
  static var endlessLinks: Self { Self(code: ELOOP) }
  package static var missing: Self { Self(code: ENOENT) }
}
