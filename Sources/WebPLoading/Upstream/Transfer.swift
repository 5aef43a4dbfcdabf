import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A response that a load receives, and its body. In the order in which it happens:
///
///     1. ``Upstream`` adds the configuration's headers and cookies to the request.
///     2. An ``Exchange`` sends it through the transport, and receives the head. A redirect begins again at 1.
///     3. The exchange pulls the body into a bounded buffer, and ends where the file ends.
///     4. The load takes what waits in the buffer by `next`, until it returns nil.
///
/// When the transfer is released, the exchange ends.
package final class Transfer: Sendable {
  package let response: HTTPURLResponse
  /// Indicates whether the response is meant for one user, according to the requests and responses that led to it.
  package let isPrivate: Bool
  private let exchange: Exchange

  init(_ response: HTTPURLResponse, isPrivate: Bool, _ exchange: Exchange) {
    self.response = response
    self.isPrivate = isPrivate
    self.exchange = exchange
  }

  deinit { exchange.cancel() }

  /// Returns the next bytes of the file, or nil at its end. If the server sends more bytes, they are not part of it.
  ///
  /// - Parameter minimum: the number of bytes to wait for. The result may have fewer if the file ends, if the buffer is
  ///   full, or, then none, after a call of `wake`.
  /// - Throws: `URLError` if the body is truncated, too long or too slow, or `CancellationError`.
  package nonisolated(nonsending) func next(atLeast minimum: Int = 1) async throws -> Data? {
    try await exchange.next(atLeast: minimum)
  }

  /// Indicates whether the result of `next` had the last bytes of the file. If false, it may be known later.
  var isTaken: Bool { exchange.isTaken }

  /// Lets `next` return, although no bytes wait.
  func wake() { exchange.wake() }
}
