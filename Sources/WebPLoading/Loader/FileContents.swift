import Foundation

extension Data {
  /// What a file holds. No more of it is read than there may be, whatever its size says.
  ///
  /// - Throws: `URLError.dataLengthExceedsMaximum` where there are more than `maximumBytes`; what Foundation throws.
  init(file: URL, maximumBytes: Int) throws {
    let handle = try FileHandle(forReadingFrom: file)
    defer { try? handle.close() }
    let data = try handle.read(upToCount: Swift.min(maximumBytes, .max - 1) + 1) ?? Data()
    guard data.count <= maximumBytes else { throw URLError.longerThan(maximumBytes) }
    self = data
  }
}
