import Foundation
import PureWebP

/// Entries as files of a folder, which several processes may share. Thread-safe.
///
/// A file is written under another name, and gets its own when it is complete; what is read is checked against its
/// checksum. So whatever moment a process or the machine dies at, an entry is there as it was written, or not at all.
/// Errors of the file system are not told: a cache that cannot write is an empty one.
///
///     0123456789abcdef.webpcache                an entry, by the hash of its key
///     0123456789abcdef.UUID.webpcache-part      one that is being written
///
/// Whatever else is in the folder is somebody else's, and stays.
final class DiskStore: @unchecked Sendable {
  private static let fileExtension = "webpcache"
  private static let partExtension = "webpcache-part"
  /// Files of writers that died. A writer that is alive needs less time by far.
  private static let abandonedSeconds: TimeInterval = 3600

  private let folder: URL
  private let maximumBytes: Int
  private let lock = NSLock()
  /// The size of all files; nil: not counted yet. Other processes may have changed it since.
  private var total: Int?

  init(folder: URL, maximumBytes: Int) {
    self.folder = folder
    self.maximumBytes = maximumBytes
  }

  func entry(_ key: String) -> WebP.ImageCache.Entry? {
    let file = file(of: key)
    guard let handle = try? FileHandle(forReadingFrom: file) else { return nil }
    defer { try? handle.close() }
    guard let entry = read(handle), entry.header.key == key else {
      remove(key)
      return nil
    }
    // `trim` sorts by the time of the last use.
    try? FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: file.path)
    return entry
  }

  /// Reads an entry. A file that is longer than the store permits, or than its header says, is not read.
  private func read(_ file: FileHandle) -> WebP.ImageCache.Entry? {
    var status = stat()
    guard unsafe fstat(file.fileDescriptor, &status) == 0, status.st_size <= maximumBytes else { return nil }
    let length = Int(status.st_size)
    var data = Data()
    guard (try? file.read(WebP.ImageCache.Entry.prefixLength, into: &data)) != nil,
      WebP.ImageCache.Entry.fileLength(prefix: data) == length,
      (try? file.read(length, into: &data)) != nil
    else { return nil }
    return WebP.ImageCache.Entry(file: data)
  }

  /// Stores an entry. A previous entry is removed even if the new one cannot be written.
  func store(_ entry: WebP.ImageCache.Entry) {
    let data = try? entry.file
    let file = file(of: entry.header.key)
    lock.withLock {
      // Somebody may have removed the folder since it was made.
      guard let data, data.count <= maximumBytes, put(data, at: file) || put(data, at: file) else {
        remove(file)
        return
      }
      if total! > maximumBytes { total = trim() }
    }
  }

  func remove(_ key: String) { lock.withLock { remove(file(of: key)) } }

  func removeAll() {
    lock.withLock {
      for file in files(Self.fileExtension) + files(Self.partExtension) {
        try? FileManager.default.removeItem(at: file.url)
      }
      total = nil
    }
  }

  /// Counted anew.
  var bytes: Int {
    lock.withLock {
      let bytes = open()
      total = bytes
      return bytes
    }
  }

  // MARK: With the lock held

  /// Makes the folder and clears it of what writers left that died.
  ///
  /// - Returns: the size of all files.
  private func open() -> Int {
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for part in files(Self.partExtension) where part.lastUse < Date() - Self.abandonedSeconds {
      try? FileManager.default.removeItem(at: part.url)
    }
    return files(Self.fileExtension).reduce(0) { $0 + $1.size }
  }

  private func remove(_ file: URL) {
    total = total.map { $0 - size(of: file) }
    try? FileManager.default.removeItem(at: file)
  }

  /// Writes a file and counts it. Where that fails, the folder is opened anew the next time.
  private func put(_ data: Data, at file: URL) -> Bool {
    let before = total ?? open()
    let replaced = size(of: file)
    let isWritten = write(data, to: file)
    total = isWritten ? before - replaced + data.count : nil
    return isWritten
  }

  /// Puts a whole file in the place of the one that there is, if there is one.
  private func write(_ data: Data, to file: URL) -> Bool {
    let part = file.deletingPathExtension().appendingPathExtension(UUID().uuidString)
      .appendingPathExtension(Self.partExtension)
    // What was loaded is for nobody else to read. The file has its mode before it has a byte.
    guard FileManager.default.createFile(atPath: part.path, contents: nil, attributes: [.posixPermissions: 0o600]),
      (try? data.write(to: part)) != nil, unsafe rename(part.path, file.path) == 0
    else {
      try? FileManager.default.removeItem(at: part)
      return false
    }
    return true
  }

  /// Removes files, those that were not used for the longest time first, until a tenth of the room is free.
  ///
  /// - Returns: the size of those that stay.
  private func trim() -> Int {
    let all = files(Self.fileExtension)
    var total = all.reduce(0) { $0 + $1.size }
    for file in all.sorted(by: { $0.lastUse < $1.lastUse }) where total > maximumBytes / 10 * 9 {
      try? FileManager.default.removeItem(at: file.url)
      total -= file.size
    }
    return total
  }

  /// The store's own files, with that extension.
  private func files(_ pathExtension: String) -> [(url: URL, size: Int, lastUse: Date)] {
    let keys: Set<URLResourceKey> = [.isRegularFileKey, .fileSizeKey, .contentModificationDateKey]
    let all = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: Array(keys))
    // From a clock that was ahead. Another machine's, with the folder on its disk, may be so by seconds.
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

  private func file(of key: String) -> URL {
    folder.appendingPathComponent(key.fileName).appendingPathExtension(Self.fileExtension)
  }
}

extension String {
  /// Sixteen hexadecimal digits, from the 64-bit form of the hash FNV-1a. Entries know their key, so that two keys with
  /// one name only take each other's place.
  fileprivate var fileName: String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
