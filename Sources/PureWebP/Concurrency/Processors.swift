// Unsafe code: The kernel receives arrays with their sizes, and a path that ends with 0.

#if canImport(CThreads)
  internal import CThreads
#elseif canImport(Darwin)
  import Darwin
#endif

/// The processors of the machine that the process may use.
package enum Processors {
  #if canImport(CThreads) && hasFeature(Embedded)
    /// The number of processors that the affinity of the calling thread permits, which helpers inherit. Determined each
    /// time, because the C library has no global variables.
    static var available: Int { ProcessorSet(thread: 0)?.count ?? 1 }
  #elseif canImport(CThreads)
    /// The number of processors that the affinity of the main thread permits, or fewer if control groups permit less
    /// time. Determined once.
    package static let available: Int = {
      let affinity = ProcessorSet(thread: getpid()) ?? ProcessorSet(thread: 0)
      return max(1, min(affinity?.count ?? 1, ProcessorQuota(read: contents).processors ?? .max))
    }()

    /// The first bytes of a file, or nil if it cannot be read.
    private static func contents(_ path: [UInt8]) -> [UInt8]? {
      let file = unsafe (path + [0]).withUnsafeBytes { path in
        unsafe linux_open(path.baseAddress!.assumingMemoryBound(to: CChar.self))
      }
      guard file >= 0 else { return nil }
      defer { close(file) }
      var bytes = [UInt8](repeating: 0, count: 1 << 13)
      let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
      return count > 0 ? Array(bytes.prefix(count)) : nil
    }
  #elseif canImport(Darwin)
    package static let available = max(1, sysconf(_SC_NPROCESSORS_ONLN))
  #else
    /// Not known. Dispatch uses no more threads than there are processors.
    package static let available = 64
  #endif
}
