// What the session is told, and hands on.

import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension InnerSession: URLSessionDataDelegate {
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    if let load = load(of: dataTask) { load.queue.async { load.didReceive(response) } }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    if let load = load(of: dataTask) { load.queue.async { load.didReceive(data) } }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let load = load(of: task)
    end(task)
    if let load { load.queue.async { load.didComplete(error) } }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    // The request has the headers of the one before. What was known of one URL is not of another (RFC 9110, 15.4).
    var request = request
    for field in ["If-None-Match", "If-Modified-Since"] { request.setValue(nil, forHTTPHeaderField: field) }
    #if canImport(FoundationNetworking)
      if let url = response.redirection { request.url = url }
      // What was meant for one server is not for another.
      if !request.isMeantForOrigin(of: response.url) {
        request.setValue(nil, forHTTPHeaderField: "Authorization")
        request.setValue(nil, forHTTPHeaderField: "Cookie")
      }
      if configuration.httpShouldSetCookies, let url = request.url,
        let cookies = configuration.httpCookieStorage?.cookies(for: url), !cookies.isEmpty
      {
        request.setValue(HTTPCookie.requestHeaderFields(with: cookies)["Cookie"], forHTTPHeaderField: "Cookie")
      }
    #endif
    completionHandler(request)
  }

  #if canImport(FoundationNetworking)
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      if challenge.previousFailureCount == 0, challenge.proposedCredential != nil {
        completionHandler(.performDefaultHandling, nil)
        return
      }
      // Without a credential, performDefaultHandling would never come to an end. The 401 and its body are there already.
      if let load = load(of: task) { load.queue.async { load.didComplete(nil) } }
      completionHandler(.cancelAuthenticationChallenge, nil)
    }
  #endif
}

extension HTTPURLResponse {
  /// Where the response redirects to, if that is by http or https. FoundationNetworking resolves relative references by
  /// rules of its own.
  fileprivate var redirection: URL? {
    let target = value(forHTTPHeaderField: "Location").flatMap { URL(string: $0, relativeTo: url) }?.absoluteURL
    return target?.isHTTP == true ? target : nil
  }
}
