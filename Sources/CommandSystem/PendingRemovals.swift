// Incomplete files are removed when the process ends, even if a signal ends it. A signal handler may call only a few
// functions, and must not allocate memory. Therefore the paths are stored as C strings in memory that is never freed.

import Dispatch
import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The files and folders to remove when the process ends.
enum PendingRemovals {
  @unsafe struct Entry {
    /// The path, as a C string. It changes only while the removal is not pending.
    let path: UnsafeMutablePointer<CChar>
    /// The size of the memory at `path`, in bytes. For a file, it suffices for every path that the system allows.
    let capacity: Int
    let isFolder: Bool
    var isPending: Bool
    let next: UnsafeMutablePointer<Entry>?
  }

  private static let lock = DispatchQueue(label: "pending removals")
  // Changed with the lock held. The signal handler reads the list without the lock. This is safe, because an entry is
  // complete before it is added at the head, and entries are never removed.
  nonisolated(unsafe) private static var first: UnsafeMutablePointer<Entry>?
  nonisolated(unsafe) private static var lastNumber = -1

  /// Returns the next number for the name of a temporary file, from 0.
  static func nextNumber() -> Int {
    lock.sync {
      unsafe lastNumber += 1
      return unsafe lastNumber
    }
  }

  /// Adds a removal. Reuses the entry of a file that is not pending anymore.
  static func add(_ path: FilePath, isFolder: Bool) -> UnsafeMutablePointer<Entry> {
    unsafe lock.sync {
      if unsafe first == nil { removeAtEnd() }
      var unused = unsafe isFolder ? nil : first
      while let entry = unsafe unused, unsafe entry.pointee.isFolder || entry.pointee.isPending {
        unsafe unused = entry.pointee.next
      }
      let size = path.length + 1
      let entry = unsafe unused ?? newEntry(capacity: isFolder ? size : max(size, Int(PATH_MAX)), isFolder: isFolder)
      // A longer path exceeds the system's maximum, so the file cannot be created.
      if unsafe size <= entry.pointee.capacity {
        unsafe path.withPlatformString { unsafe entry.pointee.path.update(from: $0, count: size) }
        unsafe entry.pointee.isPending = true
      }
      return unsafe entry
    }
  }

  private static func newEntry(capacity: Int, isFolder: Bool) -> UnsafeMutablePointer<Entry> {
    let path = UnsafeMutablePointer<CChar>.allocate(capacity: capacity)
    unsafe path.initialize(repeating: 0, count: capacity)
    let entry = UnsafeMutablePointer<Entry>.allocate(capacity: 1)
    unsafe entry.initialize(
      to: Entry(path: path, capacity: capacity, isFolder: isFolder, isPending: false, next: first))
    unsafe first = entry
    return unsafe entry
  }

  private static func removeAtEnd() {
    atexit { PendingRemovals.removeAll() }
    beforeTermination { number in
      PendingRemovals.removeAll()
      terminate(by: number)
    }
  }

  /// Removes all pending files and folders, the newest first, so that files are removed before their folder. A folder
  /// that contains other files is kept.
  private static func removeAll() {
    var entry = unsafe first
    while let current = unsafe entry {
      if unsafe current.pointee.isPending {
        _ = unsafe current.pointee.isFolder ? rmdir(current.pointee.path) : unlink(current.pointee.path)
      }
      unsafe entry = current.pointee.next
    }
  }
}
