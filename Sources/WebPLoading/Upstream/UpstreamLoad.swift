import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Receives the response to a request that an ``UpstreamSession`` sends. All methods except `bodyLimit(for:)` are
/// called on `queue`.
protocol UpstreamLoad: AnyObject, Sendable {
  var queue: DispatchQueue { get }
  /// The lowest transfer rate that the load accepts, averaged over the session's `timeoutIntervalForRequest`. 0 accepts
  /// any rate.
  var minimumBytesPerSecond: Int { get }
  /// Returns the bound on the body of `response`. Called on any thread, before any byte of the body arrives.
  func bodyLimit(for response: URLResponse) -> BodyLimit
  /// Called with the final response. Interim responses, whose status is from 100 to 199, are not reported.
  func didReceive(_ response: URLResponse)
  /// Called with all bytes that have arrived since the previous call.
  func didReceive(_ data: Data)
  /// Called once, at the end of the body or after an error. Not called after `UpstreamTransfer.cancel`.
  ///
  /// - Parameter error: the error, or nil at the end of the body.
  func didComplete(_ error: (any Error)?)
}

/// The bound that a load sets on the body of a response.
enum BodyLimit: Equatable {
  /// Any length, but at most the given number of bytes may wait for the load.
  case waiting(Int)
  /// At most the given number of bytes.
  case bytes(Int)
  /// At most `maximumBytes`. A WebP also ends at the position that its RIFF header specifies.
  case image(maximumBytes: Int)
  /// The same as `image` if the body is a WebP, and the same as `waiting` otherwise.
  case imageIfWebP(maximumBytes: Int, waiting: Int)
}
