#if canImport(CThreads)
  /// The limit that control groups of Linux set to the time of all processors together.
  ///
  /// A process is in one group of each hierarchy. `/proc/self/cgroup` has a line `number:controllers:path` for each.
  /// The limits of the group and of all its parents apply. A file that cannot be read sets no limit: in a container,
  /// the path can begin above the groups that are visible.
  struct ProcessorQuota {
    /// Returns the contents of a file, or nil if it cannot be read.
    let read: (_ path: [UInt8]) -> [UInt8]?

    /// The smallest number of processors that have the permitted time. Nil if there is no limit.
    @_optimize(size)  // called once in a process
    var processors: Int? {
      guard let groups = read(Self.bytes("/proc/self/cgroup")) else { return nil }
      var smallest: Int?
      for line in groups.split(separator: Self.newline) {
        let parts = line.split(separator: Self.colon, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { continue }
        if parts[0].elementsEqual("0".utf8), parts[1].isEmpty {
          // Version 2, also beside version 1.
          for root in ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"] {
            forEachGroup(Self.bytes(root), parts[2]) { smallest = least(smallest, limitOfVersion2($0)) }
          }
        } else if parts[1].split(separator: Self.comma).contains(where: { $0.elementsEqual("cpu".utf8) }) {
          for root in ["/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"] {
            forEachGroup(Self.bytes(root), parts[2]) { smallest = least(smallest, limitOfVersion1($0)) }
          }
        }
      }
      return smallest
    }

    /// Calls `body` with the folders of a group and of its parents.
    @inline(never) @_optimize(size)
    private func forEachGroup(_ root: [UInt8], _ path: ArraySlice<UInt8>, _ body: ([UInt8]) -> Void) {
      var names = path.split(separator: Self.slash)
      // Groups above the root are not visible.
      if names.contains(where: { $0.elementsEqual("..".utf8) }) { names = [] }
      var folder = root
      body(folder)
      for name in names {
        folder += [Self.slash] + name
        body(folder)
      }
    }

    /// `cpu.max` has the quota, or `max`, and the period.
    @inline(never) @_optimize(size)
    private func limitOfVersion2(_ folder: [UInt8]) -> Int? {
      guard let text = read(folder + "/cpu.max".utf8) else { return nil }
      let words = text.split { $0 == Self.space || $0 == Self.newline }
      return words.count == 2 ? limit(quota: words[0], period: words[1]) : nil
    }

    /// The quota is -1 if there is none.
    @inline(never) @_optimize(size)
    private func limitOfVersion1(_ folder: [UInt8]) -> Int? {
      guard let quota = read(folder + "/cpu.cfs_quota_us".utf8), let period = read(folder + "/cpu.cfs_period_us".utf8)
      else { return nil }
      return limit(quota: quota.prefix { $0 != Self.newline }, period: period.prefix { $0 != Self.newline })
    }

    /// The quota divided by the period, rounded up. Nil if one of them is not a number.
    private func limit(quota: ArraySlice<UInt8>, period: ArraySlice<UInt8>) -> Int? {
      guard let quota = Self.number(quota), let period = Self.number(period), period > 0 else { return nil }
      return max(1, quota / period + (quota % period > 0 ? 1 : 0))
    }

    private func least(_ one: Int?, _ other: Int?) -> Int? {
      guard let one, let other else { return one ?? other }
      return min(one, other)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
      guard (1...15).contains(digits.count) else { return nil }
      var number = 0
      for digit in digits {
        guard (0x30...0x39).contains(digit) else { return nil }
        number = 10 * number + Int(digit - 0x30)
      }
      return number
    }

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static let newline = UInt8(ascii: "\n")
    private static let space = UInt8(ascii: " ")
    private static let colon = UInt8(ascii: ":")
    private static let comma = UInt8(ascii: ",")
    private static let slash = UInt8(ascii: "/")
  }
#endif
