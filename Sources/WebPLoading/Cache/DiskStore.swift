import Foundation
import PureWebP

/// Stores entries as files in a folder, which several processes can share. Thread-safe.
///
/// A file is written under a temporary name and renamed when it is complete. Its checksum is verified when it is read.
/// Therefore an entry is either complete or absent, even if a process or the machine fails during the write. Errors of
/// the file system are not reported. If the store cannot write, it has no entries.
///
///     0123456789abcdef-0123456789abcdef.webpcache             an entry, named by the hashes of its key
///     0123456789abcdef-0123456789abcdef.UUID.webpcache-part   a temporary file that is being written
///     0123456789abcdef.webpcache                              an entry of an earlier version, which is removed
///
/// Other files in the folder are ignored.
final class DiskStore: @unchecked Sendable {
  private static let fileExtension = "webpcache"
  private static let partExtension = "webpcache-part"
  /// The age from which a temporary file is considered abandoned, in seconds. Writing a file takes far less time.
  private static let abandonedSeconds: TimeInterval = 3600

  private let folder: URL
  private let maximumBytes: Int
  private let lock = NSLock()
  /// The size of all files, in bytes, or nil if it must be measured. Changes by other processes are not counted.
  private var total: Int?

  init(folder: URL, maximumBytes: Int) {
    self.folder = folder
    self.maximumBytes = maximumBytes
  }

  func entry(_ key: WebP.ImageCache.Key) -> WebP.ImageCache.Entry? {
    let file = file(of: key)
    guard let open = try? RegularFile(file) else { return nil }
    guard let entry = read(open), entry.header.key == key else {
      remove(key)
      return nil
    }
    // The modification date is the time of the last use, by which `trim` sorts.
    try? FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: file.path)
    return entry
  }

  /// Reads an entry. Returns nil if the file is longer than `maximumBytes`, or if its length differs from the one that
  /// its header specifies.
  private func read(_ file: RegularFile) -> WebP.ImageCache.Entry? {
    var data = Data()
    let length = file.length
    guard length <= maximumBytes, (try? file.read(WebP.ImageCache.Entry.prefixLength, into: &data)) != nil,
      WebP.ImageCache.Entry.fileLength(prefix: data) == length,
      (try? file.read(length, into: &data)) != nil
    else { return nil }
    return WebP.ImageCache.Entry(file: data)
  }

  /// Stores an entry. If it cannot be written, a previous entry with the same key is removed.
  func store(_ entry: WebP.ImageCache.Entry) {
    let data = try? entry.file
    let file = file(of: entry.header.key)
    lock.withLock {
      // The second attempt creates the folder again, in case it was removed.
      guard let data, data.count <= maximumBytes, put(data, at: file) || put(data, at: file) else {
        remove(file)
        return
      }
      if total! > maximumBytes { total = trim() }
    }
  }

  func remove(_ key: WebP.ImageCache.Key) { lock.withLock { remove(file(of: key)) } }

  /// Removes the entries of a URL in all forms and partitions.
  func removeAll(of url: String) {
    lock.withLock {
      let prefix = url.hashText
      for file in files(Self.fileExtension) where file.url.lastPathComponent.hasPrefix(prefix) { remove(file.url) }
    }
  }

  func removeAll() {
    lock.withLock {
      for file in files(Self.fileExtension) + files(Self.partExtension) {
        try? FileManager.default.removeItem(at: file.url)
      }
      total = nil
    }
  }

  /// The size of all files, in bytes. Each access measures it.
  var bytes: Int {
    lock.withLock {
      let bytes = open()
      total = bytes
      return bytes
    }
  }

  // MARK: Called with the lock held

  /// Creates the folder, and removes abandoned temporary files and the entries of earlier versions.
  ///
  /// - Returns: the size of all files.
  private func open() -> Int {
    // Only the user may list the entries.
    try? FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    for part in files(Self.partExtension) where part.lastUse < Date() - Self.abandonedSeconds {
      try? FileManager.default.removeItem(at: part.url)
    }
    for old in files(Self.fileExtension) where !old.url.lastPathComponent.contains("-") {
      try? FileManager.default.removeItem(at: old.url)
    }
    return files(Self.fileExtension).reduce(0) { $0 + $1.size }
  }

  private func remove(_ file: URL) {
    total = total.map { $0 - size(of: file) }
    try? FileManager.default.removeItem(at: file)
  }

  /// Writes a file and updates `total`. If writing fails, the next call creates the folder again.
  private func put(_ data: Data, at file: URL) -> Bool {
    let before = total ?? open()
    let replaced = size(of: file)
    let isWritten = write(data, to: file)
    total = isWritten ? before - replaced + data.count : nil
    return isWritten
  }

  /// Writes a file, replacing any previous one.
  private func write(_ data: Data, to file: URL) -> Bool {
    let part = file.deletingPathExtension().appendingPathExtension(UUID().uuidString)
      .appendingPathExtension(Self.partExtension)
    // Only the user may read the file. Its mode is set before it has content.
    guard FileManager.default.createFile(atPath: part.path, contents: nil, attributes: [.posixPermissions: 0o600]),
      (try? data.write(to: part)) != nil, unsafe rename(part.path, file.path) == 0
    else {
      try? FileManager.default.removeItem(at: part)
      return false
    }
    return true
  }

  /// Removes the least recently used files until a tenth of the maximum size is free.
  ///
  /// - Returns: the size of the remaining files.
  private func trim() -> Int {
    let all = files(Self.fileExtension)
    var total = all.reduce(0) { $0 + $1.size }
    for file in all.sorted(by: { $0.lastUse < $1.lastUse }) where total > maximumBytes / 10 * 9 {
      try? FileManager.default.removeItem(at: file.url)
      total -= file.size
    }
    return total
  }

  /// The files in the folder that have the given extension.
  private func files(_ pathExtension: String) -> [(url: URL, size: Int, lastUse: Date)] {
    let keys: Set<URLResourceKey> = [.isRegularFileKey, .fileSizeKey, .contentModificationDateKey]
    let all = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: Array(keys))
    // A later date is the result of a wrong clock, and is ignored. The clock of a file server may differ by seconds.
    let future = Date() + 60
    return (all ?? []).filter { $0.pathExtension == pathExtension }.compactMap { url in
      guard let values = try? url.resourceValues(forKeys: keys), values.isRegularFile == true else { return nil }
      let lastUse = values.contentModificationDate.flatMap { $0 < future ? $0 : nil }
      return (url, values.fileSize ?? 0, lastUse ?? .distantPast)
    }
  }

  private func size(of file: URL) -> Int {
    (try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int) ?? 0
  }

  /// If the keys of several entries have the same hashes, only the entry that was stored last exists. An entry contains
  /// its key, so it is not returned for another key.
  private func file(of key: WebP.ImageCache.Key) -> URL {
    var part = key.form.rawValue
    if case .named(let name) = key.partition { part += " " + name }
    return folder.appendingPathComponent("\(key.url.hashText)-\(part.hashText)")
      .appendingPathExtension(Self.fileExtension)
  }
}

extension String {
  /// The 64-bit FNV-1a hash in sixteen hexadecimal digits.
  fileprivate var hashText: String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return String(format: "%016llx", hash)
  }
}
