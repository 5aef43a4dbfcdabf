#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// An open file.
package struct FileDescriptor {
  package let number: Int32

  package static let standardInput = Self(number: STDIN_FILENO)
  package static let standardOutput = Self(number: STDOUT_FILENO)
  package static let standardError = Self(number: STDERR_FILENO)

  package static func reading(_ path: String) throws(SystemError) -> Self { try opening(path, O_RDONLY) }

  /// Leaves what is there.
  static func writing(_ path: String) throws(SystemError) -> Self { try opening(path, O_WRONLY) }

  /// Makes a file that must not be there yet.
  static func creating(_ path: String, permissions: UInt16) throws(SystemError) -> Self {
    try opening(path, O_WRONLY | O_CREAT | O_EXCL, mode_t(permissions))
  }

  /// The same open file: what is written through either goes on where the other one ended.
  static func duplicating(_ number: Int32) throws(SystemError) -> Self {
    let duplicate = dup(number)
    guard duplicate >= 0 else { throw .last }
    return Self(number: duplicate)
  }

  /// To be called first. A file that is opened where a standard stream is closed would have its number, and get what is
  /// said to be for the stream: the numbers are taken, for what answers reads and writes as a closed stream does.
  package static func keepClosedStreamsClosed() {
    for stream in [standardInput, .standardOutput, .standardError] where fcntl(stream.number, F_GETFD) < 0 {
      _ = unsafe open("/dev/null", stream.number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  private static func opening(
    _ path: String, _ flags: Int32, _ permissions: mode_t = 0
  ) throws(SystemError) -> Self {
    let number = unsafe open(path.cString, flags | O_CLOEXEC, permissions)
    guard number >= 0 else { throw .last }
    return Self(number: number)
  }

  /// Whether a person reads what is written there.
  package var isTerminal: Bool { isatty(number) == 1 }

  /// Gives the file, which has nothing in it yet, the owner and the permissions of another, so that it can take its place.
  /// False: that cannot be, since the system forbids it, or since the other has more names, an access list or other
  /// attributes that this one has not; then nobody but the owner may open it.
  func becomeTwin(of path: String, at ownPath: String) -> Bool {
    var status = stat()
    guard unsafe stat(path.cString, &status) == 0, status.st_nlink == 1,
      fchown(number, status.st_uid, status.st_gid) == 0, fchmod(number, status.st_mode & 0o777) == 0
    else { return false }
    if fileAttributes(ownPath) == fileAttributes(path) { return true }
    fchmod(number, 0o600)
    return false
  }

  /// All bytes from here to the end; nil if they are more than `limit`.
  package func readAll(limit: Int) throws(SystemError) -> [UInt8]? {
    var status = stat()
    let isSized = unsafe fstat(number, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    guard !isSized || status.st_size <= limit else { return nil }
    // One byte more than the file has: the read that finds the end then fits as well.
    var bytes = [UInt8](repeating: 0, count: isSized ? Int(status.st_size) + 1 : 1 << 16)
    var filled = 0
    while filled <= limit {
      if filled == bytes.count { bytes.append(contentsOf: repeatElement(0, count: bytes.count)) }
      let count = try fill(&bytes, from: filled)
      guard count > 0 else { break }
      filled += count
    }
    bytes.removeLast(bytes.count - filled)
    return filled <= limit ? bytes : nil
  }

  /// Reads what comes next into the bytes from `start` on.
  ///
  /// - Returns: how many it were; 0 at the end.
  private func fill(_ bytes: inout [UInt8], from start: Int) throws(SystemError) -> Int {
    while true {
      let count = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe read(number, buffer.baseAddress! + start, buffer.count - start)
      }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw .last }
      return count
    }
  }

  /// How many bytes a file has.
  var size: Int {
    get throws(SystemError) {
      var status = stat()
      guard unsafe fstat(number, &status) == 0 else { throw .last }
      return Int(status.st_size)
    }
  }

  /// Ends a file after so many bytes.
  func truncate(to size: Int) throws(SystemError) {
    guard ftruncate(number, off_t(size)) == 0 else { throw .last }
  }

  /// Returns when what was written is where it stays.
  func synchronize() throws(SystemError) {
    guard fsync(number) == 0 else { throw .last }
  }

  /// Writes all bytes from `start` to the end to the same place in another file.
  func copy(from start: Int, to target: FileDescriptor) throws(SystemError) {
    for file in [self, target] where lseek(file.number, off_t(start), SEEK_SET) < 0 { throw .last }
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = try fill(&piece, from: 0), count > 0 { try target.write(ContiguousArray(piece[..<count])) }
  }

  package func write(_ bytes: ContiguousArray<UInt8>) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe writeBytes(number, buffer.baseAddress! + written, buffer.count - written)
      }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw .last }
      written += count
    }
  }

  package func close() throws(SystemError) {
    guard closeNumber(number) == 0 else { throw .last }
  }
}

// Within the type, its methods hide C's functions.

private func writeBytes(_ number: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
  unsafe write(number, bytes, count)
}

private func closeNumber(_ number: Int32) -> Int32 { close(number) }
