import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension UpstreamSession: URLSessionDataDelegate {
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    transfer(of: dataTask)?.receive(response, rateSeconds: configuration.timeoutIntervalForRequest)
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    transfer(of: dataTask)?.receive(data)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let transfer = transfer(of: task)
    end(task)
    transfer?.complete(error)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    // The new request has the headers of the previous one. Its validators are removed, because they do not apply to
    // another URL (RFC 9110, section 15.4). Without `If-Range`, `Range` may select a part of another file.
    var request = request
    let isResumed = request.value(forHTTPHeaderField: "If-Range") != nil
    for field in ["If-None-Match", "If-Modified-Since", "If-Range"] + (isResumed ? ["Range"] : []) {
      request.setValue(nil, forHTTPHeaderField: field)
    }
    #if canImport(FoundationNetworking)
      if let url = response.redirection { request.url = url }
      // Credentials for one origin must not be sent to another one.
      if !request.hasOrigin(of: response.url) {
        request.setValue(nil, forHTTPHeaderField: "Authorization")
        request.setValue(nil, forHTTPHeaderField: "Cookie")
      }
      if configuration.httpShouldSetCookies, let url = request.url,
        let cookies = configuration.httpCookieStorage?.cookies(for: url), !cookies.isEmpty
      {
        request.setValue(HTTPCookie.requestHeaderFields(with: cookies)["Cookie"], forHTTPHeaderField: "Cookie")
      }
    #endif
    let redirected = request
    transfer(of: task)?.callHandler { completionHandler(redirected) }
  }

  #if canImport(FoundationNetworking)
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      let transfer = transfer(of: task)
      if challenge.previousFailureCount == 0, challenge.proposedCredential != nil {
        transfer?.callHandler { completionHandler(.performDefaultHandling, nil) }
        return
      }
      // Without a credential, `performDefaultHandling` would wait forever. The response with status 401 and its body
      // have already arrived, so the load is complete.
      transfer?.complete(nil)
      transfer?.callHandler { completionHandler(.cancelAuthenticationChallenge, nil) }
    }
  #else
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      if allowsInvalidCertificates, let trust = challenge.protectionSpace.serverTrust {
        completionHandler(.useCredential, URLCredential(trust: trust))
      } else {
        completionHandler(.performDefaultHandling, nil)
      }
    }
  #endif
}

extension HTTPURLResponse {
  /// The http or https URL that the response redirects to. Relative references are resolved as RFC 3986 specifies,
  /// which FoundationNetworking does not do.
  fileprivate var redirection: URL? {
    let target = value(forHTTPHeaderField: "Location").flatMap { URL(string: $0, relativeTo: url) }?.absoluteURL
    return target?.isHTTP == true ? target : nil
  }
}
