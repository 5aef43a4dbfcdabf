import Foundation

/// The most memory that this process ever held in RAM.
func peakMemoryKiB() -> Int {
  #if os(Linux)
    // Not getrusage: what it tells starts with the peak of the process that started this one.
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
    return line.split(separator: " ").compactMap { Int($0) }.first ?? 0
  #else
    var usage = rusage()
    unsafe getrusage(RUSAGE_SELF, &usage)
    return usage.ru_maxrss / 1024
  #endif
}

/// Has `peakMemoryKiB` tell from here on: of what the process held earlier, what it still holds. (Elsewhere than on Linux,
/// the peak stays.)
func forgetPeakMemory() {
  _ = peakMemoryKiB()  // whose own code takes memory the first time
  #if os(Linux)
    try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
  #endif
}

/// The most memory that a process held which this one has started and waited for. It is not told if it is less than this
/// process held when it started the other.
func peakMemoryOfChildrenKiB() -> Int {
  var usage = rusage()
  unsafe getrusage(waitedFor, &usage)
  #if os(Linux)
    return usage.ru_maxrss
  #else
    return usage.ru_maxrss / 1024
  #endif
}

/// Has large pieces of memory come from the system, and go back there, each time. glibc else begins to keep them once
/// the first was freed. (Elsewhere, this is up to the system.)
func alwaysTakeNewPages() {
  #if os(Linux)
    let threshold: CInt = -3  // M_MMAP_THRESHOLD of malloc.h, which Swift's Glibc module leaves out
    guard let symbol = unsafe dlsym(nil, "mallopt") else { return }
    let mallopt = unsafe unsafeBitCast(symbol, to: (@convention(c) (CInt, CInt) -> CInt).self)
    _ = mallopt(threshold, 128 << 10)
  #endif
}
