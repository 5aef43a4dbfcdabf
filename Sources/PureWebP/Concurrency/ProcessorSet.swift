// Unsafe code: The kernel receives an array with its size.

#if canImport(CThreads)
  internal import CThreads

  /// The processors that a thread may use, on Linux.
  struct ProcessorSet: Equatable {
    /// A bit for each processor.
    private var mask: ContiguousArray<UInt>

    init(mask: ContiguousArray<UInt>) { self.mask = mask }

    /// Reads the affinity of a thread. Nil if that is not possible.
    ///
    /// - Parameter thread: 0 for the calling thread, or the number of the process for its main thread.
    init?(thread: Int32) {
      self.init { mask in
        unsafe mask.withUnsafeMutableBytes { unsafe linux_get_affinity(thread, $0.baseAddress, UInt($0.count)) }
      }
    }

    /// - Parameter read: fills a mask, and returns the number of bytes. Returns -1 if the mask has no room for all
    ///   processors that the kernel supports. 1024 bits suffice nearly everywhere.
    init?(_ read: (inout ContiguousArray<UInt>) -> Int) {
      for words in [16, 256, 4096] {
        mask = .init(repeating: 0, count: words)
        if read(&mask) > 0 { return }
      }
      return nil
    }

    var count: Int { mask.reduce(0) { $0 + $1.nonzeroBitCount } }

    /// Restricts a thread to these processors.
    func assign(thread: Int32) {
      _ = unsafe mask.withUnsafeBytes { unsafe linux_set_affinity(thread, $0.baseAddress, UInt($0.count)) }
    }
  }
#endif
