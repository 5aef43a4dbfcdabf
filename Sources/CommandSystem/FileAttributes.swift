import CAttributes

/// What a file has under names of its own ("extended attributes"), on Linux its access list among it. What the system does
/// not tell is empty.
///
/// Many systems give some to each file, such as a security label: that there are any says nothing.
func fileAttributes(_ path: String) -> [[CChar]: [CChar]] {
  // More is not taken by Linux.
  var buffer = [CChar](repeating: 0, count: 1 << 16)
  let path = path.cString
  #if canImport(Darwin)
    let count = unsafe listxattr(path, &buffer, buffer.count, 0)
  #else
    let count = unsafe listxattr(path, &buffer, buffer.count)
  #endif
  var attributes: [[CChar]: [CChar]] = [:]
  for name in buffer.prefix(max(0, count)).split(separator: 0).map({ $0 + [0] }) {
    #if canImport(Darwin)
      let count = unsafe getxattr(path, Array(name), &buffer, buffer.count, 0, 0)
    #else
      let count = unsafe getxattr(path, Array(name), &buffer, buffer.count)
    #endif
    attributes[Array(name)] = Array(buffer.prefix(max(0, count)))
  }
  return attributes
}
