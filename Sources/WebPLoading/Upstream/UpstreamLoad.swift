import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Receives what an ``UpstreamSession`` loads. All methods except `bodyLimit(for:)` are called on `queue`.
protocol UpstreamLoad: AnyObject, Sendable {
  var queue: DispatchQueue { get }
  /// The lowest transfer rate that the load accepts, averaged over the session's `timeoutIntervalForRequest`. 0 accepts
  /// any rate.
  var minimumBytesPerSecond: Int { get }
  /// The bound on the body of `response`. Called before any byte of the body arrives, on any thread.
  func bodyLimit(for response: URLResponse) -> BodyLimit
  func didReceive(_ response: URLResponse)
  func didReceive(_ data: Data)
  /// - Parameter error: nil at the end of the body.
  func didComplete(_ error: (any Error)?)
}

/// The bound that a load sets on the body of a response.
enum BodyLimit: Equatable {
  /// No bound. The body is passed on unread.
  case unlimited
  /// At most `maximumBytes`, whatever the body contains.
  case bytes(Int)
  /// At most `maximumBytes`. A WebP also ends at the position that its RIFF header specifies.
  case image(maximumBytes: Int)
  /// As `image` if the body is a WebP, otherwise as `unlimited`.
  case imageIfWebP(maximumBytes: Int)
}
