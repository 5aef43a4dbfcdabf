import Foundation

extension Data {
  /// Reads a file. Reads at most one byte more than `maximumBytes`, even if the file grows or is not a regular file.
  ///
  /// - Throws: `URLError.dataLengthExceedsMaximum` if the file has more than `maximumBytes`, an error of Foundation if
  ///   it cannot be opened, or `POSIXError` if it cannot be read.
  init(file: URL, maximumBytes: Int) throws {
    self.init()
    let handle = try FileHandle(forReadingFrom: file)
    defer { try? handle.close() }
    try handle.read(maximumBytes == .max ? .max : maximumBytes + 1, into: &self)
    if count > maximumBytes { throw URLError.longerThan(maximumBytes) }
  }
}

extension FileHandle {
  /// Appends bytes until `data` has `count` bytes or the file ends. The methods of `FileHandle` are not used, because
  /// they require iOS 13.4 or raise Objective-C exceptions.
  ///
  /// - Throws: `POSIXError`.
  func read(_ count: Int, into data: inout Data) throws {
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while data.count < count {
      let length = unsafe Foundation.read(fileDescriptor, &piece, min(piece.count, count - data.count))
      if length == 0 { return }
      guard length > 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
      data.append(contentsOf: piece[..<length])
    }
  }
}
