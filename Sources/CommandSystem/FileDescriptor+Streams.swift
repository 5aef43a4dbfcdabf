import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension FileDescriptor {
  /// Reserves the numbers of closed standard streams. To be called before any file is opened.
  ///
  /// A file that is opened where a standard stream is closed would get its number, and receive the stream's output. The
  /// reserved numbers answer reads and writes with an error, as a closed stream does.
  package static func reserveClosedStreams() {
    for stream in [standardInput, .standardOutput, .standardError] where fcntl(stream.rawValue, F_GETFD) < 0 {
      _ = try? open(FilePath("/dev/null"), stream == .standardInput ? .writeOnly : .readOnly)
    }
  }

  /// A Boolean value that indicates whether the stream is a terminal.
  package var isTerminal: Bool { isatty(rawValue) == 1 }

  /// Reads the next bytes into `bytes` from index `start` on.
  ///
  /// - Returns: the number of bytes; 0 at the end.
  func read(into bytes: inout [UInt8], from start: Int) throws -> Int {
    try unsafe bytes.withUnsafeMutableBytes { buffer in
      try unsafe read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[start...]))
    }
  }
}
