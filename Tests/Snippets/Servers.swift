import Foundation
import FoundationNetworking
import PureWebPCompact

// Apple's Foundation has it.
extension URLSession {
  func bytes(from url: URL) async throws -> (AsyncStream<UInt8>, URLResponse) { fatalError() }
}

// Swift-nio's type.
struct ByteBuffer {
  init(bytes: some Sequence<UInt8>) {}
  var readableBytesView: [UInt8] { [] }
}
let buffer = ByteBuffer(bytes: bytes)
let webP = AsyncStream<[UInt8]> { $0.finish() }

// Hummingbird's types.
struct Request {
  enum Field { case accept }
  let headers: [Field: String] = [:]
}
struct ResponseBody {
  init() {}
  init<Parts: AsyncSequence>(asyncSequence: Parts) where Parts.Element == ByteBuffer {}
}
let request = Request()
nonisolated(unsafe) var body = ResponseBody()
