import Foundation

/// The generation of the entries in a cache's folder: sixteen hexadecimal digits, which the file
/// `webpcache-generation` stores, and which are part of the name of each entry.
///
/// To remove all entries is to store another generation, and then to remove the files. Therefore no process uses a file
/// that remains, and an entry that another process is writing at that time does not count.
struct FolderGeneration: Hashable, Sendable {
  static let file = "webpcache-generation"

  let digits: String

  /// Creates a generation that no entry has.
  init() { digits = UInt64.random(in: 0 ... .max).sixteenDigits }

  /// Reads the generation of a folder.
  ///
  /// - Returns: nil if the folder has none, or an invalid one, so that its entries do not count.
  /// - Throws: `POSIXError` if the folder may have one that cannot be read now.
  init?(of folder: URL) throws(POSIXError) {
    var bytes = Data()
    do throws(POSIXError) {
      try RegularFile(folder.appendingPathComponent(Self.file)).read(17, into: &bytes)
    } catch {
      // EISDIR and EINVAL: another kind of file.
      if [.ENOENT, .ENOTDIR, .EISDIR, .EINVAL].contains(error.code) { return nil }
      throw error
    }
    let text = String(decoding: bytes, as: UTF8.self)
    guard bytes.count == 16, let number = UInt64(text, radix: 16), number.sixteenDigits == text else { return nil }
    digits = text
  }

  /// Stores the generation, so that entries of all others do not count.
  func store(in folder: OpenFolder) throws(POSIXError) {
    let part = DiskStore.part(of: Self.file)
    try folder.create(part, [Data(digits.utf8)])
    do throws(POSIXError) {
      try folder.rename(part, to: Self.file)
    } catch {
      try? folder.remove(part)
      throw error
    }
  }
}

extension UInt64 {
  /// The number in sixteen hexadecimal digits.
  var sixteenDigits: String { String(format: "%016llx", self) }
}
