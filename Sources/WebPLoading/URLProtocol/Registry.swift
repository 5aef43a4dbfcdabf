import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// URLSession takes classes and makes the objects itself: what a load should know has to hang on its class. So each
// registration gets a class of its own, by a generic parameter that counts in binary: the sixth is
// Registered<Zero<One<One<End>>>>. Classes are never freed, and so are no registrations.

extension WebPURLProtocol {
  /// Lets `URLSession.shared` load WebP. On Apple's systems it is the only session that asks registered protocols:
  /// others need `URLSessionConfiguration.withWebP`. Each call wants a call of ``unregister(_:)``, with the same options;
  /// in between, further calls do nothing but count.
  ///
  /// What is claimed is loaded with the default configuration, and delegates are asked neither for authentication
  /// challenges nor for redirects, as `URLSessionConfiguration.withWebP` says: pinning of certificates that hangs on a
  /// delegate does not hold for it.
  ///
  /// On Linux `URLSession.shared` and `Data(contentsOf:)` take notice of protocols for schemes that they do not know
  /// alone: `stwebp-http` and `stwebp-https`. For `http` and `https`, see `URLSessionConfiguration.withWebP`.
  public static func register(_ options: Options = Options()) {
    Registry.shared.register(options)
  }

  /// Takes back one call of ``register(_:)``. Loads that have begun go on.
  public static func unregister(_ options: Options = Options()) {
    Registry.shared.unregister(options)
  }
}

extension URLSessionConfiguration {
  /// The same configuration, for sessions that load WebP. Not for background configurations: what another process loads
  /// asks no protocols.
  ///
  /// What the configuration says of cookies, credentials, proxies, timeouts and headers is kept for these loads. On Linux
  /// an `Authorization` among its `httpAdditionalHeaders` goes to every server, those of another origin included that a
  /// redirect leads to: there it is safe with the requests alone.
  ///
  /// The session's delegate, however, is asked neither for authentication challenges, those about the server's
  /// certificate among them, nor for redirects. So an app whose delegate pins certificates has no pinning for the URLs
  /// that are claimed: where it needs that, pins belong into `NSPinnedDomains` in the app's Info.plist, which needs no
  /// delegate (from iOS 14 and macOS 11 on), or these URLs into a session without WebP.
  ///
  /// Call it once, and keep the result or its session: each call takes some memory that is not given back, as
  /// `URLSession` knows protocols by their classes.
  ///
  /// On Linux the result has no `urlCache`: with one, a task that is cancelled just after it was resumed may trap within
  /// FoundationNetworking. ``WebPURLProtocol/Options/cache`` has no such trap.
  public func withWebP(_ options: WebPURLProtocol.Options = .init()) -> URLSessionConfiguration {
    let configuration = copy() as! URLSessionConfiguration
    let classes = configuration.protocolClasses ?? []
    let added: AnyClass = Registry.shared.add(options, configuration)
    configuration.avoidTrapOfCancelling()
    configuration.protocolClasses = [added] + classes.filter { !($0 is WebPURLProtocol.Type) }
    return configuration
  }
}

/// Which options and which inner session belong to which class.
final class Registry: @unchecked Sendable {
  static let shared = Registry()

  private let lock = NSLock()
  private var registrations: [ObjectIdentifier: Registration] = [:]
  /// The classes known to all sessions, by their options, and how often they are wanted.
  private var global: [WebPURLProtocol.Options: (class: WebPURLProtocol.Type, uses: Int)] = [:]
  /// The classes that there are.
  private var classCount = 0

  private init() {
    registrations[ObjectIdentifier(WebPURLProtocol.self)] = Registration(.init(), .default)
  }

  /// - Parameter type: ``WebPURLProtocol`` or a class of this registry's.
  func registration(of type: WebPURLProtocol.Type) -> Registration {
    lock.withLock { registrations[ObjectIdentifier(type)] ?? registrations[ObjectIdentifier(WebPURLProtocol.self)]! }
  }

  func add(_ options: WebPURLProtocol.Options, _ configuration: URLSessionConfiguration) -> WebPURLProtocol.Type {
    lock.withLock { makeClass(Registration(options, configuration)) }
  }

  func register(_ options: WebPURLProtocol.Options) {
    lock.withLock {
      var entry = global[options] ?? (makeClass(Registration(options, .default)), 0)
      if entry.uses == 0 { _ = URLProtocol.registerClass(entry.class) }
      entry.uses += 1
      global[options] = entry
    }
  }

  func unregister(_ options: WebPURLProtocol.Options) {
    lock.withLock {
      guard var entry = global[options], entry.uses > 0 else { return }
      entry.uses -= 1
      global[options] = entry
      if entry.uses == 0 { URLProtocol.unregisterClass(entry.class) }
    }
  }

  private func makeClass(_ registration: Registration) -> WebPURLProtocol.Type {
    func zero<P: Place>(_ rest: P.Type) -> any Place.Type { Zero<P>.self }
    func one<P: Place>(_ rest: P.Type) -> any Place.Type { One<P>.self }
    func registered<P: Place>(at place: P.Type) -> WebPURLProtocol.Type { Registered<P>.self }
    classCount += 1
    var place: any Place.Type = End.self
    for bit in (0..<Int.bitWidth - classCount.leadingZeroBitCount).reversed() {
      place = classCount >> bit & 1 == 0 ? zero(place) : one(place)
    }
    let type = registered(at: place)
    registrations[ObjectIdentifier(type)] = registration
    return type
  }
}

/// One call of `register` or `withWebP`.
final class Registration: Sendable {
  let options: WebPURLProtocol.Options
  let session: InnerSession

  init(_ options: WebPURLProtocol.Options, _ configuration: URLSessionConfiguration) {
    self.options = options
    session = InnerSession(configuration, keepsURLCache: options.cache == nil)
  }
}

private protocol Place {}
private enum End: Place {}
private enum Zero<P: Place>: Place {}
private enum One<P: Place>: Place {}
private final class Registered<P: Place>: WebPURLProtocol {}
