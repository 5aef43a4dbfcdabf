import Foundation
import PureWebP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The rules for the end of a body, which a load knows before it sends the request. A WebP ends at the position that
/// its RIFF header specifies.
package struct BodyRules: Sendable {
  let maximumBytes: Int
  /// Indicates whether responses that have no WebP may have any length.
  let limitsWebPOnly: Bool
  /// The beginning of the file, which a response with status 206 continues.
  let beginning: Data?

  package init(maximumBytes: Int, limitsWebPOnly: Bool = false, continuing beginning: Data? = nil) {
    self.maximumBytes = maximumBytes
    self.limitsWebPOnly = limitsWebPOnly
    self.beginning = beginning
  }
}

/// Counts the bytes of a file, and finds its end.
struct BodyLength {
  private let maximumBytes: Int
  private let limitsWebPOnly: Bool
  /// Indicates whether the body can be a WebP with these rules.
  private let mayBeWebP: Bool
  /// The first bytes of the file, at most twelve.
  private var beginning = Data()
  /// The length of the file according to its RIFF header.
  private var end = Int.max
  /// The number of bytes of the file so far.
  private var count = 0
  /// The number of bytes of the file at the end of this body.
  private var expectedCount: Int?
  /// Indicates whether no bytes follow.
  private(set) var isComplete = false

  init(_ rules: BodyRules, _ head: HTTPURLResponse, _ request: URLRequest) {
    (maximumBytes, limitsWebPOnly) = (rules.maximumBytes, rules.limitsWebPOnly)
    mayBeWebP = head.hasFile || !rules.limitsWebPOnly
    // A response to HEAD has a length, but no body.
    expectedCount = request.method == "HEAD" || [204, 304].contains(head.statusCode) ? nil : head.bodyLength
    if let beginning = rules.beginning, head.statusCode == 206 {
      count = beginning.count
      expectedCount = expectedCount.map { $0 + count }
      readHeader(beginning)
    }
  }

  /// Returns the part of the next bytes that belongs to the file.
  ///
  /// - Throws: `URLError` if the file is too long.
  mutating func accept(_ piece: Data) throws(URLError) -> Data {
    if beginning.count < Data.webPSignatureLength { readHeader(piece) }
    let accepted = piece.prefix(end - count)
    count += accepted.count
    if count > maximumBytes, !limitsWebPOnly || mayBeWebP && WebP.isWebP(prefix: beginning) {
      throw URLError.longerThan(maximumBytes)
    }
    isComplete = count == end || count == expectedCount
    return accepted
  }

  /// - Throws: `URLError` if the body ends too early.
  func checkEnd() throws(URLError) {
    if let expectedCount, count < expectedCount { throw URLError.truncated(count, of: expectedCount) }
  }

  private mutating func readHeader(_ data: Data) {
    beginning += data.prefix(Data.webPSignatureLength - beginning.count)
    if mayBeWebP { end = max(beginning.riffEnd ?? .max, count) }
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
