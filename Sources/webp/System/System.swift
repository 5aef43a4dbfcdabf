// The operating system's files, terminal and clock, without Foundation: it would take longer to load than an icon takes
// to decode. All calls into C that this target makes are in this folder.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the operating system answered, such as `No such file or directory`.
struct SystemError: Error, CustomStringConvertible {
  let code: Int32

  static var last: Self { Self(code: errno) }

  var description: String {
    guard let text = unsafe strerror(code) else { return "error \(code)" }
    return unsafe String(cString: text)
  }
}

/// An open file.
struct FileDescriptor {
  let number: Int32

  static let standardInput = Self(number: STDIN_FILENO)
  static let standardOutput = Self(number: STDOUT_FILENO)
  static let standardError = Self(number: STDERR_FILENO)

  static func reading(_ path: String) throws(SystemError) -> Self { try opening(path, O_RDONLY) }

  /// Makes a file, or empties it.
  static func writing(_ path: String) throws(SystemError) -> Self { try opening(path, O_WRONLY | O_CREAT | O_TRUNC) }

  /// Makes a file that must not be there yet.
  static func creating(_ path: String) throws(SystemError) -> Self { try opening(path, O_WRONLY | O_CREAT | O_EXCL) }

  private static func opening(_ path: String, _ flags: Int32) throws(SystemError) -> Self {
    let number = unsafe open(path, flags | O_CLOEXEC, 0o666)
    guard number >= 0 else { throw .last }
    return Self(number: number)
  }

  /// Whether a person reads what is written there.
  var isTerminal: Bool { isatty(number) == 1 }

  /// All bytes from here to the end; nil if they are more than `limit`.
  func readAll(limit: Int) throws(SystemError) -> [UInt8]? {
    var status = stat()
    let isSized = unsafe fstat(number, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    guard !isSized || status.st_size <= limit else { return nil }
    // One byte more than the file has: the read that finds the end then fits as well.
    var bytes = [UInt8](repeating: 0, count: isSized ? Int(status.st_size) + 1 : 1 << 16)
    var filled = 0
    while filled <= limit {
      if filled == bytes.count { bytes.append(contentsOf: repeatElement(0, count: bytes.count)) }
      let count = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe read(number, buffer.baseAddress! + filled, buffer.count - filled)
      }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw .last }
      guard count > 0 else { break }
      filled += count
    }
    bytes.removeLast(bytes.count - filled)
    return filled <= limit ? bytes : nil
  }

  func write(_ bytes: ContiguousArray<UInt8>) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        #if canImport(Glibc)
          unsafe Glibc.write(number, buffer.baseAddress! + written, buffer.count - written)
        #elseif canImport(Musl)
          unsafe Musl.write(number, buffer.baseAddress! + written, buffer.count - written)
        #elseif canImport(Darwin)
          unsafe Darwin.write(number, buffer.baseAddress! + written, buffer.count - written)
        #endif
      }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw .last }
      written += count
    }
  }

  func close() throws(SystemError) {
    #if canImport(Glibc)
      let status = Glibc.close(number)
    #elseif canImport(Musl)
      let status = Musl.close(number)
    #elseif canImport(Darwin)
      let status = Darwin.close(number)
    #endif
    guard status == 0 else { throw .last }
  }
}

/// What a path leads to.
enum FileKind {
  case nothing, file, folder
  /// A device, a pipe: something that cannot be replaced by a file.
  case other

  init(_ path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      self = .nothing
      return
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: self = .file
    case S_IFDIR: self = .folder
    default: self = .other
    }
  }
}

/// The path that symbolic links lead to.
func resolvingLinks(_ path: String) -> String {
  guard let resolved = unsafe realpath(path, nil) else { return path }
  defer { unsafe free(resolved) }
  return unsafe String(cString: resolved)
}

func isWritable(_ path: String) -> Bool { unsafe access(path, W_OK) == 0 }

func makeFolder(_ path: String) throws(SystemError) {
  guard unsafe mkdir(path, 0o777) == 0 || errno == EEXIST else { throw .last }
}

func moveFile(_ from: String, to: String) throws(SystemError) {
  guard unsafe rename(from, to) == 0 else { throw .last }
}

/// Gives a file the permissions that another one has.
func copyPermissions(from: String, to: String) {
  var status = stat()
  if unsafe stat(from, &status) == 0 { _ = unsafe chmod(to, status.st_mode & 0o7777) }
}

var processIdentifier: Int32 { getpid() }

/// Seconds since some moment, which never go back.
var secondsNow: Double {
  var time = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

func printError(_ text: String) {
  // There is nobody to tell that standard error is closed.
  try? FileDescriptor.standardError.write(.init(text.utf8))
}

extension SystemError {
  static var exists: Self { Self(code: EEXIST) }
  static var isFolder: Self { Self(code: EISDIR) }
  static var noPermission: Self { Self(code: EACCES) }
}

func exitProcess(_ status: Int32) -> Never { exit(status) }
