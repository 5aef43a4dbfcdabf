import Foundation

/// The peak resident memory of this process, in KiB.
func peakMemoryKiB() -> Int {
  #if os(Linux)
    // getrusage is not used, because its value starts with the peak of the parent process.
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
    return line.split(separator: " ").compactMap { Int($0) }.first ?? 0
  #else
    var usage = rusage()
    unsafe getrusage(RUSAGE_SELF, &usage)
    return usage.ru_maxrss / 1024
  #endif
}

/// Resets the peak of `peakMemoryKiB` to the memory that the process holds now. Has no effect on systems other than
/// Linux.
func forgetPeakMemory() {
  _ = peakMemoryKiB()  // Its first call allocates memory.
  #if os(Linux)
    try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
  #endif
}

/// The peak resident memory of the child processes that have ended, in KiB. The value is at least the memory that this
/// process held when it started the child.
func peakMemoryOfChildrenKiB() -> Int {
  var usage = rusage()
  unsafe getrusage(waitedFor, &usage)
  #if os(Linux)
    return usage.ru_maxrss
  #else
    return usage.ru_maxrss / 1024
  #endif
}

/// Makes malloc request each large block from the system and return it when it is freed. By default, glibc retains such
/// blocks after the first one is freed. Has no effect on systems other than Linux.
func alwaysTakeNewPages() {
  #if os(Linux)
    let threshold: CInt = -3  // M_MMAP_THRESHOLD of malloc.h, which Swift's Glibc module does not export.
    guard let symbol = unsafe dlsym(nil, "mallopt") else { return }
    let mallopt = unsafe unsafeBitCast(symbol, to: (@convention(c) (CInt, CInt) -> CInt).self)
    _ = mallopt(threshold, 128 << 10)
  #endif
}
