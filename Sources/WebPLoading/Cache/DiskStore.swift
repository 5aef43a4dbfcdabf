import Foundation
import PureWebP

/// Stores entries as files in a folder, which several processes can share. Thread-safe.
///
/// A file is written under a temporary name and renamed when it is complete. Its checksum is verified when it is read.
/// Therefore an entry is either complete or absent, even if a process or the machine fails during the write. Files are
/// written on a queue, so that the images need not wait for them. If the store cannot write, it has no entries.
///
///     0123456789abcdef-0123456789abcdef-0123456789abcdef.webpcache
///                               an entry, named by the hashes of its key and by the generation of the folder
///     0123456789abcdef-0123456789abcdef-0123456789abcdef.UUID.webpcache-part
///                               a temporary file that is being written
///     webpcache-generation      the generation: entries of other ones are not used, and removed
///     0123456789abcdef-0123456789abcdef.webpcache, 0123456789abcdef.webpcache
///                               entries of earlier versions, which are removed
///
/// Other files in the folder are ignored, and so are folders.
final class DiskStore: Sendable {
  private static let entryExtension = ".webpcache"
  private static let partExtension = ".webpcache-part"
  /// The age from which a temporary file is considered abandoned, in seconds. Writing a file takes far less time.
  private static let abandonedSeconds: TimeInterval = 3600
  /// The number of bytes from which `store` waits for the entries that are being written.
  private static let maximumWaitingBytes = 32 << 20

  /// An entry that is not in the folder yet.
  private struct Waiting: Sendable {
    let entry: WebP.ImageCache.Entry
    /// The generation when the entry was stored, or nil if there was none.
    let generation: FolderGeneration?
    let number: Int
  }

  private struct State: Sendable {
    /// The entries that are not in the folder yet, by their names.
    var waiting: [String: Waiting] = [:]
    var waitingBytes = 0
    var storedCount = 0
    /// The generation that this process uses because it could not be stored in the folder.
    var ownGeneration: FolderGeneration?
    /// The size of all entries, in bytes, or nil if it must be measured. It includes what other processes had written
    /// when it was measured.
    var total: Int?
    /// The number of bytes that were written since `total` was measured.
    var written = 0

    mutating func forget(_ name: String) {
      if let entry = waiting.removeValue(forKey: name)?.entry { waitingBytes -= entry.body.count }
    }
  }

  private let folder: URL
  private let maximumBytes: Int
  /// Writes the files, one after the other.
  private let writes = DispatchQueue(label: "WebPLoading.DiskStore", qos: .utility)
  /// Under its lock, files are renamed and removed, so that an entry that was removed while its file was written does
  /// not return.
  private let state = Locked(State())
  private let faults: OpenFolder.Faults

  /// - Parameter faults: lets tests make operations fail.
  init(folder: URL, maximumBytes: Int, faults: @escaping OpenFolder.Faults = { _, _ in nil }) {
    self.folder = folder
    self.maximumBytes = maximumBytes
    self.faults = faults
  }

  private func open() throws(POSIXError) -> OpenFolder { try OpenFolder(folder, faults) }

  /// The generation of the entries that may be used, or nil if there are none.
  ///
  /// - Throws: `POSIXError` if it cannot be read now.
  func generation() throws(POSIXError) -> FolderGeneration? {
    if let own = state.withLock({ $0.ownGeneration }) { return own }
    return try FolderGeneration(of: folder)
  }

  func entry(_ key: WebP.ImageCache.Key) -> WebP.ImageCache.Entry? {
    guard let generation = try? generation() else { return waitingEntry(key, nil) }
    if let entry = waitingEntry(key, generation) { return entry }
    let file = folder.appendingPathComponent(Self.file(key.name, generation))
    guard let content = try? RegularFile(file) else { return nil }
    guard let entry = read(content), entry.header.key == key else {
      try? open().remove(file.lastPathComponent)
      return nil
    }
    // The modification date is the time of the last use, by which `measure` sorts.
    unsafe utimes(file.path, nil)
    return entry
  }

  private func waitingEntry(_ key: WebP.ImageCache.Key, _ generation: FolderGeneration?) -> WebP.ImageCache.Entry? {
    guard let waiting = state.withLock({ $0.waiting[key.name] }), waiting.entry.header.key == key else { return nil }
    return waiting.generation == nil || waiting.generation == generation ? waiting.entry : nil
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

  /// Stores an entry, which `entry` returns from now on. Waits only if many bytes are being written. If the entry
  /// cannot be written, a previous entry with the same key is removed.
  func store(_ entry: WebP.ImageCache.Entry) {
    let name = entry.header.key.name
    if entry.body.count > maximumBytes {
      try? remove(entry.header.key)
      return
    }
    let generation = try? generation()
    let (number, isOverloaded) = state.withLock {
      $0.storedCount += 1
      $0.forget(name)
      $0.waiting[name] = Waiting(entry: entry, generation: generation, number: $0.storedCount)
      $0.waitingBytes += entry.body.count
      return ($0.storedCount, $0.waitingBytes > Self.maximumWaitingBytes)
    }
    writes.async { self.write(name, number) }
    if isOverloaded { finishWriting() }
  }

  /// Waits for the entries that are being written.
  func finishWriting() { writes.sync {} }

  /// The size of all entries, in bytes. Waits for the entries that are being written. Each access measures it.
  var bytes: Int {
    writes.sync {
      guard let open = try? open(), (try? measure(open, trims: false)) != nil else { return 0 }
      return state.withLock { $0.total ?? 0 }
    }
  }

  static func part(of name: String) -> String { "\(name).\(UUID().uuidString)\(partExtension)" }

  private static func file(_ name: String, _ generation: FolderGeneration) -> String {
    "\(name)-\(generation.digits)\(entryExtension)"
  }
}

// MARK: Removal

extension DiskStore {
  /// Removes an entry.
  ///
  /// - Throws: `RemovalError` if the file remains.
  func remove(_ key: WebP.ImageCache.Key) throws(WebP.ImageCache.RemovalError) {
    try remove {
      $0 == key.name
    } files: { _ in
      try self.file(of: key.name)
    }
  }

  /// Removes the entries of a URL in all forms and partitions.
  ///
  /// - Throws: `RemovalError` if files remain.
  func removeAll(of url: String) throws(WebP.ImageCache.RemovalError) {
    let prefix = url.hashText + "-"
    try remove {
      $0.hasPrefix(prefix)
    } files: { folder in
      try folder.files { $0.hasPrefix(prefix) && $0.hasSuffix(Self.entryExtension) }.map(\.name)
    }
  }

  /// Removes all entries.
  ///
  /// - Throws: `RemovalError` if files remain.
  func removeAll() throws(WebP.ImageCache.RemovalError) {
    try remove(renewing: true) { _ in
      true
    } files: { folder in
      // Another process may store entries of the new generation, or another generation.
      let files = try folder.files {
        ($0.hasSuffix(Self.entryExtension) || $0.hasSuffix(Self.partExtension)) && !$0.hasPrefix(FolderGeneration.file)
      }
      let current = try self.generation().map { "-\($0.digits)." }
      return files.map(\.name).filter { name in current.map { !name.contains($0) } ?? true }
    }
  }

  private func file(of name: String) throws -> [String] {
    try generation().map { [Self.file(name, $0)] } ?? []
  }

  /// Removes entries. If files remain, or `isRenewing` is true, no process uses any older file from now on.
  ///
  /// - Parameters:
  ///   - isForgotten: whether an entry that is not in the folder yet must not be written.
  ///   - files: returns the names of the files.
  private func remove(
    renewing isRenewing: Bool = false, _ isForgotten: (String) -> Bool, files: (OpenFolder) throws -> [String]
  ) throws(WebP.ImageCache.RemovalError) {
    state.withLock { for name in Array($0.waiting.keys) where isForgotten(name) { $0.forget(name) } }
    var (remaining, failure): ([String], POSIXError?) = ([], nil)
    var isRenewed = false
    do {
      let open = try open()
      isRenewed = isRenewing && renew()
      for name in try files(open) {
        do { try remove(name, in: open) } catch {
          remaining.append(name)
          failure = failure ?? error
        }
      }
    } catch {
      if isMissing(error) { return }
      failure = error as? POSIXError ?? POSIXError(.EIO)
    }
    // After files were removed, the disk may have space for the generation.
    if isRenewing || failure != nil, !isRenewed { isRenewed = renew() }
    guard let failure else { return }
    throw WebP.ImageCache.RemovalError(
      folder: folder, files: remaining.map(folder.appendingPathComponent), areUnused: isRenewed, cause: failure.code)
  }

  private func remove(_ name: String, in open: OpenFolder) throws(POSIXError) {
    try state.withLock { (state) throws(POSIXError) in
      let length = open.length(of: name)
      try open.remove(name)
      state.total = state.total.map { $0 - length }
    }
  }

  /// Indicates whether there is no folder. A link to a missing folder may lead to one later.
  private func isMissing(_ error: any Error) -> Bool {
    guard let code = (error as? POSIXError)?.code, [.ENOENT, .ENOTDIR].contains(code) else { return false }
    var status = stat()
    return unsafe lstat(folder.path, &status) != 0 || status.st_mode & S_IFMT != S_IFLNK
  }

  /// Stores another generation. If that fails, only this process uses no older files.
  private func renew() -> Bool {
    let new = FolderGeneration()
    state.withLock { ($0.ownGeneration, $0.total) = (new, nil) }
    guard let open = try? open() else { return false }
    return store(new, in: open)
  }

  private func store(_ new: FolderGeneration, in open: OpenFolder) -> Bool {
    guard (try? new.store(in: open)) != nil else { return false }
    state.withLock { if $0.ownGeneration == new { $0.ownGeneration = nil } }
    return true
  }
}

// MARK: Called on `writes`

extension DiskStore {
  private func write(_ name: String, _ number: Int) {
    guard let waiting = state.withLock({ $0.waiting[name] }), waiting.number == number else { return }
    do {
      let parts = try waiting.entry.file
      // The second attempt creates the folder again, in case it was removed.
      do { try put(parts, waiting, name) } catch { try put(parts, waiting, name) }
    } catch {
      state.withLock { $0.total = nil }
      // An older image must not return.
      try? remove { _ in
        false
      } files: { _ in
        try self.file(of: name)
      }
    }
    state.withLock { if $0.waiting[name]?.number == number { $0.forget(name) } }
  }

  /// Writes the parts of an entry, unless the entry or all entries were removed meanwhile.
  private func put(_ parts: [Data], _ waiting: Waiting, _ name: String) throws {
    let length = parts.reduce(0) { $0 + $1.count }
    guard length <= maximumBytes else { throw POSIXError(.EFBIG) }
    let (open, generation) = try openForWriting()
    if state.withLock({ $0.total == nil }) { try measure(open, trims: false) }
    if let own = waiting.generation, own != generation { return }
    let (file, part) = (Self.file(name, generation), Self.part(of: name))
    try open.create(part, parts)
    let isWritten = try state.withLock {
      guard $0.waiting[name]?.number == waiting.number else { return false }
      let replaced = open.length(of: file)
      do { try open.rename(part, to: file) } catch {
        try? open.remove(part)
        throw error
      }
      $0.total = $0.total.map { StatedNumber($0 - replaced + length).value }
      $0.written += length
      return true
    }
    if !isWritten { return try open.remove(part) }
    // Other processes write, too.
    let isDue = state.withLock { $0.total.map { $0 > maximumBytes } ?? true || $0.written > maximumBytes / 10 }
    if isDue, (try? measure(open, trims: true)) == nil { state.withLock { $0.total = nil } }
  }

  /// Opens the folder. Creates it and its generation if necessary.
  private func openForWriting() throws -> (OpenFolder, FolderGeneration) {
    // Only the user may list the entries.
    try? FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let open = try open()
    if let own = state.withLock({ $0.ownGeneration }), !store(own, in: open) { throw POSIXError(.EIO) }
    if let generation = try FolderGeneration(of: folder) { return (open, generation) }
    try FolderGeneration().store(in: open)
    // Another process may have stored one, too.
    guard let generation = try FolderGeneration(of: folder) else { throw POSIXError(.EIO) }
    return (open, generation)
  }

  /// Measures the size of all entries. Removes abandoned temporary files, and entries of other generations and earlier
  /// versions.
  ///
  /// - Parameter trims: whether to remove the least recently used entries if they exceed the maximum, until a tenth of
  ///   it is free.
  private func measure(_ open: OpenFolder, trims: Bool) throws {
    let files = try open.files { $0.hasSuffix(Self.entryExtension) || $0.hasSuffix(Self.partExtension) }
    // Read after the list, so that the list has no entries of a later one.
    let current = try generation().map { "-\($0.digits)\(Self.entryExtension)" }
    let now = Date().timeIntervalSince1970
    var entries: [OpenFolder.File] = []
    var size = 0
    for file in files where file.isRegular {
      if file.name.hasSuffix(Self.partExtension) {
        if file.modified < now - Self.abandonedSeconds { try? open.remove(file.name) }
      } else if let current, file.name.hasSuffix(current) {
        entries.append(file)
        size = StatedNumber(size + file.size.value).value
      } else {
        try? open.remove(file.name)
      }
    }
    if trims, size > maximumBytes {
      // A later date is the result of a wrong clock, and is ignored. The clock of a file server may differ by seconds.
      func lastUse(_ file: OpenFolder.File) -> TimeInterval { file.modified < now + 60 ? file.modified : -.infinity }
      for file in entries.sorted(by: { lastUse($0) < lastUse($1) }) where size > maximumBytes / 10 * 9 {
        if (try? open.remove(file.name)) != nil { size -= file.size.value }
      }
    }
    state.withLock { ($0.total, $0.written) = (size, 0) }
  }
}

// MARK: Names

extension WebP.ImageCache.Key {
  /// The name of the entry in all generations. If the keys of several entries have the same name, only the entry that
  /// was stored last exists. An entry contains its key, so it is not returned for another key.
  fileprivate var name: String {
    var part = form.rawValue
    switch partition {
    case .named(let name): part += " " + name
    case .pages: part += "\0pages"
    case .own, nil: break  // entries of `own` partitions are not stored
    }
    return "\(url.hashText)-\(part.hashText)"
  }
}

extension String {
  /// The 64-bit FNV-1a hash in sixteen hexadecimal digits.
  fileprivate var hashText: String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return hash.sixteenDigits
  }
}
