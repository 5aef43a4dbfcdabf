import Foundation
import PureWebP
import TestSupport
import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An endless body that is not a WebP, loaded for some seconds. Prints the received MiB, the peak memory in MiB and the
/// error. The sessions:
///
///     plain        a session with a delegate
///     delegate     the same with `withWebP`
///     completion   `withWebP` and a completion handler, with a `maximumWaitingBytes` of 32 MiB
final class Bodies: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  private let url: URL
  private let lock = NSLock()
  /// The length of the body so far. Protected by the lock.
  private var received = 0
  private let (ends, end) = AsyncStream<String>.makeStream()

  init(_ base: URL) {
    url = URL(string: "\(base.absoluteString)/a.webp?text=hello&endless=fast")!
  }

  func run(_ session: String, seconds: Double) async throws {
    var options = WebPURLProtocol.Options()
    if session == "completion" { options.maximumWaitingBytes = 32 << 20 }
    let configuration = session == "plain" ? .patient : URLSessionConfiguration.patient.withWebP(options)
    let delegate = session == "completion" ? nil : self
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let urlSession = URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
    let task =
      session == "completion"
      ? urlSession.dataTask(with: url) { [end] in end.yield($2?.localizedDescription ?? "complete") }
      : urlSession.dataTask(with: url)
    task.resume()
    DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [end] in end.yield("no error") }
    for await error in ends {
      let mebibytes = lock.withLock { received >> 20 }
      print("\(session)\t\(mebibytes)\t\(Self.peakMemory >> 10)\t\(error)")
      exit(0)
    }
  }

  /// The peak of the resident memory, in KiB.
  private static var peakMemory: Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    lock.withLock { received += data.count }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    end.yield(error?.localizedDescription ?? "complete")
  }
}
