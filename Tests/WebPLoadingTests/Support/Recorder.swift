import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A delegate that records its calls, and lets tests wait for them.
final class Recorder: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  struct Record {
    var response: HTTPURLResponse?
    var body = Data()
    var pieces = 0
    var isComplete = false
    var error: URLError?
  }

  private let lock = NSLock()
  private var record = Record()
  private var waiting: [(condition: (Record) -> Bool, resume: (Record) -> Void)] = []

  /// Waits until the record meets a condition.
  func wait(until condition: @escaping (Record) -> Bool = { $0.isComplete }) async -> Record {
    await withCheckedContinuation { continuation in
      lock.withLock { waiting.append((condition, { continuation.resume(returning: $0) })) }
      change { _ in }
    }
  }

  private func change(_ body: (inout Record) -> Void) {
    let (ready, record): ([(Record) -> Void], Record) = lock.withLock {
      body(&self.record)
      let ready = waiting.filter { $0.condition(self.record) }.map(\.resume)
      waiting = waiting.filter { !$0.condition(self.record) }
      return (ready, self.record)
    }
    for resume in ready { resume(record) }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    change { $0.response = response as? HTTPURLResponse }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    change {
      $0.body += data
      $0.pieces += 1
    }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    change {
      $0.isComplete = true
      $0.error = error as? URLError
    }
  }

  /// A session with this recorder as its delegate.
  func session(_ configuration: URLSessionConfiguration = .patient.withWebP()) -> URLSession {
    URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
  }
}

extension URLSession {
  /// Loads with a delegate, and waits for the end.
  static func record(
    _ request: URLRequest, _ configuration: URLSessionConfiguration = .patient.withWebP()
  ) async -> Recorder.Record {
    let recorder = Recorder()
    let session = recorder.session(configuration)
    session.dataTask(with: request).resume()
    let record = await recorder.wait()
    session.finishTasksAndInvalidate()
    return record
  }
}
