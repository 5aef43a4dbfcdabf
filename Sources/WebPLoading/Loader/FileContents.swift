import Foundation

extension Data {
  /// What a file holds. Hardly more of it is read than there may be, whatever its size says.
  ///
  /// - Throws: `URLError.dataLengthExceedsMaximum` where there are more than `maximumBytes`; what Foundation throws;
  ///   `POSIXError` where the file can be opened, but not be read.
  init(file: URL, maximumBytes: Int) throws {
    self.init()
    let handle = try FileHandle(forReadingFrom: file)
    defer { try? handle.close() }
    // The handle's own methods are newer than iOS 13, or raise Objective-C's exceptions.
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let length = unsafe read(handle.fileDescriptor, &piece, piece.count)
      if length == 0 { return }
      guard length > 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
      append(contentsOf: piece[..<length])
      if count > maximumBytes { throw URLError.longerThan(maximumBytes) }
    }
  }
}
