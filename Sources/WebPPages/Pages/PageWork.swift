import Foundation

/// The work that may still be done for a page. All work counts, also if its result is not used: without a limit, a
/// small page can import a style sheet any number of times that never fits.
///
/// Thread-safe.
final class PageWork: @unchecked Sendable {
  /// Reading a byte of text, or resolving a byte of a URL, takes several times as long as writing one.
  private static let unitsPerByteOfText = 4
  /// Resolving a short reference takes as long as reading this many bytes of text.
  private static let bytesPerReference = 128

  /// Protects the variables. Not held while another object is called.
  private let lock = NSLock()
  private var units: Int
  private var stopped: (any Error)?

  /// - Parameter units: the number of bytes that may be loaded and written. The default is unlimited.
  init(units: Int = .max) { self.units = units }

  /// Creates the work for a page. It suffices to read each byte of the page twice and to write each inlined byte twice.
  convenience init(pageBytes: Int, inlinedBytes: Int) {
    self.init(units: (16 << 20) + 16 * pageBytes + 2 * min(inlinedBytes, .max / 8))
  }

  /// The reason why no more work is done, or nil.
  var failure: (any Error)? { lock.withLock { stopped } }

  /// Ends the work with `CancellationError`.
  func cancel() { lock.withLock { stopped = stopped ?? CancellationError() } }

  /// Counts bytes that are loaded or written.
  ///
  /// - Throws: `failure`.
  func take(_ bytes: Int) throws {
    try lock.withLock {
      if stopped == nil, bytes > units { stopped = URLError.tooMuchWork }
      if let stopped { throw stopped }
      units -= bytes
    }
  }

  /// Counts bytes of text that are read. Returns false if the work has ended.
  func takeText(_ bytes: Int) -> Bool {
    (try? take(Self.unitsPerByteOfText * bytes)) != nil
  }

  /// Counts a reference that is resolved. Returns false if the work has ended.
  ///
  /// - Parameter bytes: the length of the reference and of its base.
  func takeReference(_ bytes: Int) -> Bool { takeText(Self.bytesPerReference + bytes) }
}
