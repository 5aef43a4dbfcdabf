import Foundation
import PureWebP

/// Counts the bytes of a response's body, and determines its end. Queued bytes are bytes that have arrived and that the
/// load has not processed yet.
struct TransferAccounting {
  /// The number of queued bytes above which a task is suspended.
  static let maximumQueuedBytes = 1 << 20

  private let limit: BodyLimit
  /// The first bytes of the body, at most twelve.
  private var beginning = Data()
  /// The length of the body according to its RIFF header.
  private var end = Int.max
  private var receivedBytes = 0
  private var queuedBytes = 0
  /// The number of bytes that arrived since the last call of `isTooSlow`.
  private var recentBytes = 0
  private(set) var isSuspended = false

  init(_ limit: BodyLimit) {
    self.limit = limit
  }

  enum Ending: Equatable {
    /// The body is complete. If the server sends more bytes, they are not part of it.
    case complete
    /// The body exceeds the given maximum number of bytes.
    case tooLong(Int)
  }

  /// Counts bytes that have arrived.
  ///
  /// - Returns: the number of these bytes that belong to the body, and the body's ending if it is reached.
  mutating func receive(_ data: Data) -> (accepted: Int, ending: Ending?) {
    readHeader(data)
    let accepted = min(data.count, end - receivedBytes)
    receivedBytes += accepted
    recentBytes += accepted
    if let maximum = maximumBytes, receivedBytes > maximum { return (0, .tooLong(maximum)) }
    queuedBytes += accepted
    return (accepted, receivedBytes == end ? .complete : nil)
  }

  private var maximumBytes: Int? {
    switch limit {
    case .unlimited: nil
    case .bytes(let maximum), .image(let maximum): maximum
    case .imageIfWebP(let maximum): WebP.isWebP(prefix: beginning) ? maximum : nil
    }
  }

  private mutating func readHeader(_ data: Data) {
    guard beginning.count < Data.webPSignatureLength else { return }
    beginning += data.prefix(Data.webPSignatureLength - beginning.count)
    switch limit {
    case .image, .imageIfWebP: end = beginning.riffEnd ?? .max
    case .unlimited, .bytes: break
    }
  }

  /// Returns whether the caller must suspend the task now.
  mutating func suspendIfNeeded() -> Bool {
    guard !isSuspended, queuedBytes > Self.maximumQueuedBytes else { return false }
    isSuspended = true
    return true
  }

  /// Counts bytes that the load has processed.
  ///
  /// - Returns: whether the caller must resume the task now.
  mutating func didProcess(_ count: Int) -> Bool {
    queuedBytes -= count
    guard isSuspended, queuedBytes <= Self.maximumQueuedBytes / 2 else { return false }
    isSuspended = false
    return true
  }

  /// Returns whether fewer than `minimum` bytes arrived since the last call. A suspended transfer is never too slow,
  /// because it waits for its load and not for the server.
  mutating func isTooSlow(minimum: Double) -> Bool {
    defer { recentBytes = 0 }
    return !isSuspended && Double(recentBytes) < minimum
  }
}

extension Data {
  /// The length of “RIFF”, a size, and “WEBP”, in bytes.
  static let webPSignatureLength = 12

  /// Indicates whether the data is an incomplete WebP signature.
  var mayBecomeWebPSignature: Bool {
    count < Self.webPSignatureLength && "RIFF".utf8.starts(with: prefix(4))
      && "WEBP".utf8.starts(with: dropFirst(8))
  }

  /// The length of the file according to its RIFF header, in bytes. Nil if the data has no complete RIFF header of a
  /// WebP, or if its size is invalid.
  fileprivate var riffEnd: Int? {
    guard WebP.isWebP(prefix: self) else { return nil }
    let size = dropFirst(4).prefix(4).reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    return size < UInt64(Self.webPSignatureLength) ? nil : Int(exactly: size + 8)
  }
}
