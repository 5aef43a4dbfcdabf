import Testing

@testable import PureWebP

/// Proves that the number of processors follows the affinity and the quotas of control groups.
/// Expected values: quotas divided by hand, in files as the kernel documents them and as containers have them.
@Suite struct ProcessorTests {
  private static func processors(_ files: [String: String]) -> Int? {
    ProcessorQuota { path in files[String(decoding: path, as: UTF8.self)].map { Array($0.utf8) } }.processors
  }

  @Test(arguments: [
    ("max 100000\n", nil), ("200000 100000\n", 2), ("150000 100000\n", 2), ("100001 100000\n", 2), ("1000 100000\n", 1),
    ("0 100000\n", 1), ("50000 0\n", nil), ("", nil), ("x 100000\n", nil), ("100000\n", nil), ("-1 100000\n", nil),
    ("99999999999999999999 100000\n", nil), ("6400000 100000", 64), ("250000 50000\n", 5),
  ])
  func quotaOfVersion2(text: String, expected: Int?) {
    #expect(
      Self.processors(["/proc/self/cgroup": "0::/app\n", "/sys/fs/cgroup/app/cpu.max": text]) == expected, "\(text)")
  }

  @Test(
    arguments: [
      ("-1\n", "100000\n", nil), ("200000\n", "100000\n", 2), ("50000\n", "100000\n", 1), ("250000\n", "100000\n", 3),
      ("\n", "100000\n", nil), ("100000\n", "0\n", nil), ("100000\n", nil, nil), (nil, "100000\n", nil),
    ] as [(String?, String?, Int?)])
  func quotaOfVersion1(quota: String?, period: String?, expected: Int?) {
    var files = ["/proc/self/cgroup": "3:cpuset:/other\n2:cpu,cpuacct:/app\n1:memory:/other\n"]
    files["/sys/fs/cgroup/cpu/app/cpu.cfs_quota_us"] = quota
    files["/sys/fs/cgroup/cpu/app/cpu.cfs_period_us"] = period
    #expect(Self.processors(files) == expected)
  }

  @Test func theSmallestQuotaOfTheGroupAndItsParentsApplies() {
    let own = "0::/a/b/c\n"
    var files = ["/proc/self/cgroup": own, "/sys/fs/cgroup/a/b/c/cpu.max": "700000 100000"]
    #expect(Self.processors(files) == 7)
    files["/sys/fs/cgroup/a/cpu.max"] = "300000 100000"
    #expect(Self.processors(files) == 3)
    files["/sys/fs/cgroup/a/b/cpu.max"] = "max 100000"
    #expect(Self.processors(files) == 3)
    files["/sys/fs/cgroup/cpu.max"] = "200000 100000"
    #expect(Self.processors(files) == 2)
    files["/sys/fs/cgroup/other/cpu.max"] = "100000 100000"
    #expect(Self.processors(files) == 2)
  }

  /// Containers see the host's path, or a path above their root, but their own group is mounted at the root.
  @Test(arguments: ["/docker/0123", "/../../kubepods", "/", ""]) func containersReadTheRoot(path: String) {
    let quota = ["cfs_quota_us": "150000", "cfs_period_us": "100000"]
    for folder in ["/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"] {
      var files = ["/proc/self/cgroup": "4:cpu,cpuacct:\(path)\n0::/\n"]
      for (name, text) in quota { files["\(folder)/cpu.\(name)"] = text }
      #expect(Self.processors(files) == 2)
    }
    #expect(Self.processors(["/proc/self/cgroup": "0::\(path)", "/sys/fs/cgroup/cpu.max": "300000 100000"]) == 3)
  }

  @Test func bothVersionsCanApply() {
    let files = [
      "/proc/self/cgroup": "1:cpu:/one\n0::/two\n", "/sys/fs/cgroup/unified/two/cpu.max": "400000 100000",
      "/sys/fs/cgroup/cpu/one/cpu.cfs_quota_us": "300000", "/sys/fs/cgroup/cpu/one/cpu.cfs_period_us": "100000",
    ]
    #expect(Self.processors(files) == 3)
    #expect(Self.processors([:]) == nil)
    #expect(Self.processors(["/proc/self/cgroup": "0\n:\n::\n0::\u{FFFD}:/x\nx:cpu\n"]) == nil)
  }

  /// A kernel for 8192 processors refuses masks with fewer bits.
  @Test func maskGrowsToTheProcessorsOfTheKernel() throws {
    let processors = try #require(
      ProcessorSet { mask in
        guard mask.count * UInt.bitWidth >= 8192 else { return -1 }
        (mask[0], mask[127]) = (7, 1 << 63)
        return 1024
      })
    #expect(processors.count == 4)
    #expect(ProcessorSet { _ in -1 } == nil)
  }

  @Test func availableProcessorsAreInTheAffinity() throws {
    let affinity = try #require(ProcessorSet(thread: 0))
    #expect((1...affinity.count).contains(Processors.available))
  }
}
