import SystemPackage

/// Reads a file, or standard input if the path is `-`.
///
/// - Parameters:
///   - path: the path of the file.
///   - limit: the maximum length of the file, in bytes. A longer file is an error.
///   - limitName: the option that sets the limit, which the error names. Nil if there is none.
///   - protecting: whether the file is added to ``ProtectedFiles``, so that no output replaces it.
///   - inspect: called with the first bytes, up to ``inspectedBytes``, before further bytes are read. Throws an error
///     to reject the file. Returns the number of bytes to read from a pipe, or nil to read the pipe to its end.
package func readInput(
  _ path: String, limit: Int, limitName: String? = nil, protecting: Bool = true,
  inspect: (_ start: [UInt8]) throws(Failure) -> Int? = { _ throws(Failure) in nil }
) throws(Failure) -> [UInt8] {
  do {
    var input = try InputFile(path)
    if protecting && path != "-" { ProtectedFiles.add(input.identity) }
    let end = try inspect(input.readStart())
    if let bytes = try input.readAll(limit: limit, end: end) { return bytes }
  } catch {
    throw error as? Failure ?? Failure(path, error)
  }
  throw Failure(path, "file exceeds \(limitName ?? "the maximum length") (\(limit))", kind: "limitExceeded")
}

/// The number of bytes that are inspected before further bytes are read.
package let inspectedBytes = 64

/// A file, or standard input, that is read from its start.
package struct InputFile: ~Copyable {
  private let file: FileDescriptor
  /// The size of a regular file, in bytes. Nil for a pipe, whose size is not known in advance.
  private let size: Int?
  let identity: FileIdentity
  private var bytes: [UInt8] = []
  private var isAtEnd = false

  /// Opens a file.
  ///
  /// - Parameter path: the path of the file, or `-` for standard input.
  package init(_ path: String) throws {
    let file: FileDescriptor
    if path == "-" {
      file = .standardInput
    } else {
      // If another process replaces a file by a FIFO now, opening the FIFO must not wait for its writer.
      let isRegular = (try? Stat(FilePath(argument: path)))?.type == .regular
      file = try .open(
        FilePath(argument: path), .readOnly, options: isRegular ? [.closeOnExec, .nonBlocking] : .closeOnExec)
    }
    let status = try Stat(file)
    self.file = file
    size = status.type == .regular ? Int(clamping: status.size) : nil
    identity = FileIdentity(status)
  }

  deinit {
    if file != .standardInput { try? file.close() }
  }

  /// Returns the first bytes: `count`, or all if there are fewer.
  mutating func readStart(_ count: Int) throws -> [UInt8] {
    try read(to: count)
    return bytes
  }

  /// Reads the first bytes: at least ``inspectedBytes``, or to the end. A small file is read completely.
  package mutating func readStart() throws -> [UInt8] {
    if let size, size < 1 << 16 {
      try read(to: max(size + 1, inspectedBytes))
    } else {
      try read(to: inspectedBytes)
    }
    return bytes
  }

  /// Reads all bytes of a file, or the first `end` bytes of a pipe.
  ///
  /// - Returns: the bytes, or nil if there are more than `limit`.
  package mutating func readAll(limit: Int, end: Int? = nil) throws -> [UInt8]? {
    if let size, size > limit { return nil }
    // One byte above the limit is read to detect that the file is too long.
    let target = min(size == nil ? end ?? .max : .max, limit == .max ? .max : limit + 1)
    while bytes.count < target && !isAtEnd {
      let before = bytes.count
      // A regular file is read in one call, into memory of its size. For a pipe, the memory is doubled repeatedly.
      let next = size.map { max($0 + 1, before + inspectedBytes) } ?? max(1 << 16, 2 * before)
      try read(to: min(target, next))
    }
    return bytes.count <= limit ? bytes : nil
  }

  /// Reads until there are `count` bytes, or to the end.
  private mutating func read(to count: Int) throws {
    if count > 1 << 20, let memory = availableMemory, memory < count + 1 << 20 { throw Errno.noMemory }
    var filled = bytes.count
    var larger = [UInt8](repeating: 0, count: count)
    unsafe larger.withUnsafeMutableBytes { unsafe $0.copyBytes(from: bytes) }
    bytes = larger
    while filled < count {
      let read = try file.read(into: &bytes, from: filled)
      filled += read
      // For a regular file, one byte more than its size was requested.
      if read == 0 || (size == filled && filled > 0 && filled < count) {
        isAtEnd = true
        break
      }
    }
    bytes.removeLast(count - filled)
  }
}
