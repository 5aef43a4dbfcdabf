import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The number of bytes that this process may still allocate, as its resource limits (`ulimit -v`, `ulimit -d`) specify.
/// Nil if there is no limit.
package var availableMemory: Int? {
  // The size of the address space and the size of the data, in pages (proc(5), statm).
  let pages = processStatus.split { $0 == UInt8(ascii: " ") }.map { Int(String(decoding: $0, as: UTF8.self)) ?? 0 }
  let used = pages.count > 5 ? [pages[0], pages[5]].map { $0 * sysconf(Int32(_SC_PAGESIZE)) } : [0, 0]
  let limits = [limit(RLIMIT_AS), limit(RLIMIT_DATA)]
  return zip(limits, used).compactMap { limit, used in limit.map { max(0, $0 - used) } }.min()
}

private var processStatus: [UInt8] {
  var bytes = [UInt8](repeating: 0, count: 256)
  guard let file = try? FileDescriptor.open(FilePath("/proc/self/statm"), .readOnly, options: .closeOnExec) else {
    return []
  }
  defer { try? file.close() }
  let count = (try? file.read(into: &bytes, from: 0)) ?? 0
  return Array(bytes.prefix(count))
}

#if canImport(Glibc)
  private typealias Resource = __rlimit_resource
#else
  private typealias Resource = Int32
#endif

private func limit(_ resource: Resource) -> Int? {
  var limits = rlimit()
  #if canImport(Glibc)
    let resource = Int32(resource.rawValue)
  #endif
  guard unsafe getrlimit(resource, &limits) == 0, limits.rlim_cur < rlim_t(Int.max) else { return nil }
  return Int(limits.rlim_cur)
}
