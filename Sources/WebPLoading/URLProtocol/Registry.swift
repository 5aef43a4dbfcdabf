import Foundation
import PureWebP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// URLSession instantiates protocol classes itself, so a load can get its options only from its class. Therefore each
// registration needs a separate class. The classes are instances of a generic class, whose argument is the number of
// the registration in binary, lowest digit first: the sixth class is Registered<Zero<One<One<End>>>>. Neither classes
// nor registrations are ever freed.

extension WebPURLProtocol {
  /// Registers the protocol, so that `URLSession.shared` loads WebP. On Apple's systems, no other session uses
  /// registered protocols. For other sessions, use `URLSessionConfiguration.withWebP`. Each call must be balanced by a
  /// call of ``unregister(_:)`` with the same options.
  ///
  /// Claimed requests are loaded with the default configuration. As with `URLSessionConfiguration.withWebP`, delegates
  /// receive neither the authentication challenges nor the redirects of these requests. Certificate pinning in a
  /// delegate does not apply to them.
  ///
  /// On Linux, `URLSession.shared` and `Data(contentsOf:)` use registered protocols only for the schemes `stwebp-http`
  /// and `stwebp-https`. For `http` and `https`, use `URLSessionConfiguration.withWebP`.
  ///
  /// - Parameters:
  ///   - options: the options.
  ///   - transport: sends the requests. If nil, a `WebP.URLSessionTransport`. The first call with equal options
  ///     determines it.
  public static func register(_ options: Options = Options(), transport: (any WebP.Transport)? = nil) {
    Registry.shared.register(options, transport)
  }

  /// Balances one call of ``register(_:transport:)`` with the same options. When all calls are balanced, the protocol
  /// claims no more requests. Loads that have begun continue.
  public static func unregister(_ options: Options = Options()) {
    Registry.shared.unregister(options)
  }
}

extension URLSessionConfiguration {
  /// Returns a copy of the configuration whose sessions load WebP. Background configurations are not supported, because
  /// their requests are loaded by another process, which ignores the app's protocols.
  ///
  /// The configuration's cookies, credentials, proxies, timeouts and headers apply to these loads.
  ///
  /// The session's delegate receives neither authentication challenges, including those about server certificates, nor
  /// redirects. An app whose delegate pins certificates has no pinning for the claimed URLs. To pin certificates, use
  /// `NSPinnedDomains` in the app's Info.plist (iOS 14, macOS 11), or load these URLs in a session without WebP.
  ///
  /// Call this method once, and reuse the result or its session. Each call creates a class, which is never freed,
  /// because `URLSession` identifies protocols by their classes.
  ///
  /// On Linux, the result has no `urlCache`, because with one, FoundationNetworking may trap if a task is cancelled
  /// just after it was resumed. Use ``WebPURLProtocol/Options/cache`` instead.
  ///
  /// - Parameters:
  ///   - options: the options.
  ///   - transport: sends the requests. If nil, a `WebP.URLSessionTransport` with the configuration. To another
  ///     transport, only the configuration's additional headers, timeouts, cookies and cache policy apply.
  public func withWebP(
    _ options: WebPURLProtocol.Options = .init(), transport: (any WebP.Transport)? = nil
  ) -> URLSessionConfiguration {
    let configuration = copy() as! URLSessionConfiguration
    let classes = configuration.protocolClasses ?? []
    let added: AnyClass = Registry.shared.add(options, configuration, transport)
    configuration.avoidTrapOfCancelling()
    configuration.protocolClasses = [added] + classes.filter { !($0 is WebPURLProtocol.Type) }
    return configuration
  }
}

/// Maps protocol classes to their registrations. Thread-safe.
final class Registry: Sendable {
  static let shared = Registry()

  /// Orders the calls of `registerClass` and `unregisterClass`. Foundation holds a lock that they need while it calls
  /// `canInit`, which needs the lock of `state`.
  private let calls = DispatchQueue(label: "WebPLoading.Registry.calls")
  let state = Locked(State())

  struct State: Sendable {
    var registrations = [ObjectIdentifier(WebPURLProtocol.self): Registration(.init(), .default)]
    /// The classes for `URLProtocol.registerClass`, by their options, each with the number of unbalanced calls of
    /// `register`. Classes without such calls must not claim requests, although sessions may still use them after
    /// `unregisterClass`.
    var global: [WebPURLProtocol.Options: (class: WebPURLProtocol.Type, uses: Int)] = [:]
    var classCount = 0

    /// Creates the class for the next number.
    mutating func makeClass(_ registration: Registration) -> WebPURLProtocol.Type {
      func zero<D: Digits>(_ rest: D.Type) -> any Digits.Type { Zero<D>.self }
      func one<D: Digits>(_ rest: D.Type) -> any Digits.Type { One<D>.self }
      func registered<D: Digits>(for digits: D.Type) -> WebPURLProtocol.Type { Registered<D>.self }
      classCount += 1
      var digits: any Digits.Type = End.self
      for bit in (0..<Int.bitWidth - classCount.leadingZeroBitCount).reversed() {
        digits = classCount >> bit & 1 == 0 ? zero(digits) : one(digits)
      }
      let type = registered(for: digits)
      registrations[ObjectIdentifier(type)] = registration
      return type
    }
  }

  /// Returns the registration of a class: ``WebPURLProtocol`` or a class that this registry has created.
  func registration(of type: WebPURLProtocol.Type) -> Registration {
    state.withLock {
      $0.registrations[ObjectIdentifier(type)] ?? $0.registrations[ObjectIdentifier(WebPURLProtocol.self)]!
    }
  }

  /// Returns whether the class may claim requests.
  func isActive(_ type: WebPURLProtocol.Type) -> Bool {
    state.withLock { !$0.global.values.contains { $0.class == type && $0.uses == 0 } }
  }

  func add(
    _ options: WebPURLProtocol.Options, _ configuration: URLSessionConfiguration, _ transport: (any WebP.Transport)?
  ) -> WebPURLProtocol.Type {
    let registration = Registration(options, configuration, transport)
    return state.withLock { $0.makeClass(registration) }
  }

  func register(_ options: WebPURLProtocol.Options, _ transport: (any WebP.Transport)?) {
    calls.sync {
      let registration = Registration(options, .default, transport)
      let entry = state.withLock {
        var entry = $0.global[options] ?? ($0.makeClass(registration), 0)
        entry.uses += 1
        $0.global[options] = entry
        return entry
      }
      if entry.uses == 1 { _ = URLProtocol.registerClass(entry.class) }
    }
  }

  func unregister(_ options: WebPURLProtocol.Options) {
    calls.sync {
      let entry: (class: WebPURLProtocol.Type, uses: Int)? = state.withLock {
        guard let entry = $0.global[options], entry.uses > 0 else { return nil }
        $0.global[options]!.uses -= 1
        return entry
      }
      if let entry, entry.uses == 1 { URLProtocol.unregisterClass(entry.class) }
    }
  }
}

/// One call of `register` or `withWebP`.
final class Registration: Sendable {
  let options: WebPURLProtocol.Options
  let upstream: Upstream

  init(
    _ options: WebPURLProtocol.Options, _ configuration: URLSessionConfiguration,
    _ transport: (any WebP.Transport)? = nil
  ) {
    self.options = options
    upstream = Upstream(configuration, options, transport: transport)
  }
}

private protocol Digits {}
private enum End: Digits {}
private enum Zero<D: Digits>: Digits {}
private enum One<D: Digits>: Digits {}
private final class Registered<D: Digits>: WebPURLProtocol {}
