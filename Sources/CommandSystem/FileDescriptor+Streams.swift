import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension FileDescriptor {
  /// Reserves the file descriptors of closed standard streams. Must be called before any file is opened.
  ///
  /// The next file that is opened would otherwise get the descriptor of the closed stream, and receive its output.
  /// Reading and writing a reserved descriptor fails, as it does for a closed stream.
  package static func reserveClosedStreams() {
    for stream in [standardInput, .standardOutput, .standardError] where fcntl(stream.rawValue, F_GETFD) < 0 {
      _ = try? open(FilePath("/dev/null"), stream == .standardInput ? .writeOnly : .readOnly)
    }
  }

  /// Indicates whether the stream is a terminal.
  package var isTerminal: Bool { isatty(rawValue) == 1 }

  /// Reads the next bytes into `bytes` from index `start` on.
  ///
  /// - Returns: the number of bytes that were read, or 0 at the end.
  func read(into bytes: inout [UInt8], from start: Int) throws -> Int {
    try unsafe bytes.withUnsafeMutableBytes { buffer in
      try unsafe read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[start...]))
    }
  }
}
