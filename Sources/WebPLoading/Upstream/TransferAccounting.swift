import Foundation
import PureWebP

/// Collects the bytes of a response's body until its load takes them, and determines the end of the body.
struct TransferAccounting {
  /// The number of waiting bytes above which reading from the server is suspended.
  static let maximumWaitingBytes = 1 << 20

  private let limit: BodyLimit
  /// The first bytes of the body, at most twelve.
  private var beginning = Data()
  /// The length of the body according to its RIFF header.
  private var end = Int.max
  private var receivedBytes = 0
  /// The bytes that have arrived and that the load has not taken yet.
  private var waiting = Data()
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
    /// More than the given maximum number of bytes wait for the load.
    case tooManyWaiting(Int)
  }

  /// Stores bytes that have arrived.
  ///
  /// - Returns: the body's ending if it is reached, and whether the caller must schedule a call of `take`.
  mutating func receive(_ data: Data) -> (ending: Ending?, isFirst: Bool) {
    readHeader(data)
    let accepted = min(data.count, end - receivedBytes)
    receivedBytes += accepted
    recentBytes += accepted
    let (total, queued) = maximums
    if receivedBytes > total { return (.tooLong(total), false) }
    if waiting.count + accepted > queued { return (.tooManyWaiting(queued), false) }
    let isFirst = waiting.isEmpty && accepted > 0
    waiting.append(data.prefix(accepted))
    return (receivedBytes == end ? .complete : nil, isFirst)
  }

  /// Returns the waiting bytes, and whether the caller must resume reading now.
  mutating func take() -> (Data, resumes: Bool) {
    defer {
      waiting = Data()
      isSuspended = false
    }
    return (waiting, isSuspended)
  }

  /// The maximum length of the body, and the maximum number of bytes that may wait for the load.
  private var maximums: (total: Int, waiting: Int) {
    switch limit {
    case .waiting(let waiting): (.max, waiting)
    case .bytes(let maximum), .image(let maximum): (maximum, .max)
    case .imageIfWebP(let maximum, let waiting):
      WebP.isWebP(prefix: beginning) ? (maximum, .max) : (.max, waiting)
    }
  }

  private mutating func readHeader(_ data: Data) {
    guard beginning.count < Data.webPSignatureLength else { return }
    beginning += data.prefix(Data.webPSignatureLength - beginning.count)
    switch limit {
    case .image, .imageIfWebP: end = beginning.riffEnd ?? .max
    case .waiting, .bytes: break
    }
  }

  /// Returns whether the caller must suspend reading now.
  mutating func suspendIfNeeded() -> Bool {
    guard !isSuspended, waiting.count > Self.maximumWaitingBytes else { return false }
    isSuspended = true
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
  var riffEnd: Int? {
    guard WebP.isWebP(prefix: self) else { return nil }
    let size = littleEndianNumber(at: 4, byteCount: 4)
    return size < UInt64(Self.webPSignatureLength) ? nil : Int(exactly: size + 8)
  }
}
