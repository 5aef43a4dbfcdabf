import Foundation
import PureWebP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The bound that a load sets on a body.
package enum BodyLimit: Equatable {
  /// At most the given number of bytes.
  case bytes(Int)
  /// At most the given number of bytes. A WebP also ends at the position that its RIFF header specifies.
  case image(maximumBytes: Int)
  /// The same as `image` if the body is a WebP. Otherwise any length.
  case imageIfWebP(maximumBytes: Int)
}

/// A response and its body, which the load pulls. When the last copy is released, the transfer ends.
package struct Transfer {
  package let response: HTTPURLResponse
  /// Indicates whether the response is meant for one user, according to the requests and responses that led to it.
  package let isPrivate: Bool
  package var limit = BodyLimit.bytes(0)
  private let body: any WebP.TransportBody
  private let watch: TransferWatch
  /// The first bytes of the file, at most twelve.
  private var beginning = Data()
  /// The length of the file according to its RIFF header.
  private var end = Int.max
  /// The number of bytes of the file so far.
  private var count = 0
  /// The number of bytes of the file at the end of this body.
  private var expectedCount: Int?
  /// Indicates whether no bytes follow.
  private var isComplete = false

  /// - Parameter method: the method of the request. A response to HEAD has a length, but no body.
  init(
    _ response: HTTPURLResponse, to method: String, isPrivate: Bool, _ body: any WebP.TransportBody,
    _ watch: TransferWatch
  ) {
    self.response = response
    self.isPrivate = isPrivate
    self.body = body
    self.watch = watch
    expectedCount = method == "HEAD" || [204, 304].contains(response.statusCode) ? nil : response.bodyLength
  }

  /// Continues a file with this body.
  mutating func continueFile(after bytes: Data) {
    count = bytes.count
    expectedCount = expectedCount.map { $0 + count }
    readHeader(bytes)
  }

  /// Returns the next bytes of the file, or nil at its end. If the server sends more bytes, they are not part of it.
  ///
  /// - Throws: `URLError` if the body is truncated, too long or too slow, or `CancellationError`.
  package mutating func next() async throws -> Data? {
    if isComplete { return nil }
    guard let piece = try await pull() else {
      if let expectedCount, count < expectedCount { throw URLError.truncated(count, of: expectedCount) }
      isComplete = true
      return nil
    }
    watch.received(piece.count)
    if beginning.count < Data.webPSignatureLength { readHeader(piece) }
    let accepted = piece.prefix(end - count)
    count += accepted.count
    if count > maximum { throw URLError.longerThan(maximum) }
    // The end of the body is not awaited, because a transport may deliver it late or never.
    isComplete = count == end || count == expectedCount
    return accepted
  }

  private func pull() async throws -> Data? {
    let pulling = (body as? SessionTransfer.Body)?.pulling ?? Work { [body] in try await body.next() }
    return try await watch.wait(pulling)
  }

  private mutating func readHeader(_ data: Data) {
    beginning += data.prefix(Data.webPSignatureLength - beginning.count)
    if case .bytes = limit { return }
    end = max(beginning.riffEnd ?? .max, count)
  }

  /// The maximum length of the file.
  private var maximum: Int {
    switch limit {
    case .bytes(let maximum), .image(let maximum): maximum
    case .imageIfWebP(let maximum): WebP.isWebP(prefix: beginning) ? maximum : .max
    }
  }
}

extension URLError {
  static func truncated(_ count: Int, of length: Int) -> URLError {
    URLError(.networkConnectionLost, "the body ends after \(count) of \(length) bytes")
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
    let size = StatedNumber(littleEndianNumber(at: 4, byteCount: 4)).value
    return size < Self.webPSignatureLength ? nil : size + 8
  }
}
