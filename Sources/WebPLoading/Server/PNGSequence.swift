import Foundation
import PureWebP

extension WebP {
  /// The bytes of a PNG, made of a WebP's as they are asked for: for servers that stream bodies.
  ///
  /// ```swift
  /// if !WebP.acceptsWebP(request.headers[.accept]) {
  ///   body = .init(asyncSequence: WebP.PNGSequence(webP).map { ByteBuffer(bytes: $0) })
  /// }
  /// ```
  ///
  /// Nothing is read ahead: a client that is slow slows down the reading of the WebP.
  ///
  /// - Throws: what `base` throws, and ``ConversionError``.
  public struct PNGSequence<Base: AsyncSequence>: AsyncSequence where Base.Element: Collection<UInt8> {
    public typealias Element = Data

    private let base: Base
    private let options: ConversionOptions

    /// - Parameters:
    ///   - base: the bytes of a WebP, in pieces of any size.
    ///   - options: how it is converted, and what is refused.
    public init(_ base: Base, options: ConversionOptions = ConversionOptions()) {
      self.base = base
      self.options = options
    }

    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(base: base.makeAsyncIterator(), converter: PNGConverter(options: options))
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
      private var base: Base.AsyncIterator
      /// Nil after the end, or an error.
      private var converter: PNGConverter?

      fileprivate init(base: Base.AsyncIterator, converter: PNGConverter) {
        self.base = base
        self.converter = converter
      }

      public mutating func next() async throws -> Data? {
        while let converter {
          let png: Data
          do {
            try Task.checkCancellation()
            if let bytes = try await base.next() {
              png = try converter.append(bytes)
            } else {
              png = try converter.finish()
              self.converter = nil
            }
          } catch {
            self.converter = nil
            try Task.checkCancellation()
            throw error
          }
          if !png.isEmpty { return png }
        }
        return nil
      }
    }
  }
}

extension WebP.PNGSequence: Sendable where Base: Sendable {}

extension WebP {
  /// Whether a client shows WebP: whether its `Accept` names `image/webp`, other than to refuse it.
  ///
  /// `image/*` and `*/*` tell nothing: those who send no more than that are the ones that came before WebP. A response
  /// that depends on this has to say `Vary: Accept`.
  public static func acceptsWebP(_ accept: String?) -> Bool {
    for range in (accept ?? "").utf8.split(separator: .comma) {
      let parts = range.split(separator: .semicolon).map { String(name: $0).trimmingCharacters(in: .whitespaces) }
      guard parts.first == "image/webp" else { continue }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
      return weight > 0
    }
    return false
  }
}
