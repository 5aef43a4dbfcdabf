import Foundation
import PureWebP
import WebPExport

extension WebP {
  /// The bytes of a PNG that is converted from a WebP on demand, for servers that stream response bodies.
  ///
  /// ```swift
  /// if !WebP.acceptsWebP(request.headers[.accept]) {
  ///   body = .init(asyncSequence: WebP.PNGSequence(webP).map { ByteBuffer(bytes: $0) })
  /// }
  /// ```
  ///
  /// The sequence reads and decodes nothing in advance: if a client reads slowly, the WebP is read slowly. The
  /// conversion does not block the cooperative thread pool. Each step runs on a thread of Dispatch while the task is
  /// suspended. A step converts a few rows of a still image, which takes a few milliseconds, or a complete frame of an
  /// animation.
  ///
  /// The memory does not depend on how fast a client reads, nor on the size of the PNG. It consists of a
  /// `WebP.RowDecoder`, about 2 MB of compressed rows for each thread of `ConversionOptions.threads`, and the element
  /// of `base` that is being converted. For a 24-megapixel photo and one thread, this is about 6 MB. An animation needs
  /// memory for its file, two canvases, and the PNG of a frame.
  ///
  /// - Throws: The errors of `base`, `ConversionError`, and `CancellationError`.
  public struct PNGSequence<Base: AsyncSequence>: AsyncSequence where Base.Element: Collection<UInt8> {
    public typealias Element = Data

    private let base: Base
    private let options: ConversionOptions

    /// Creates a sequence.
    ///
    /// - Parameters:
    ///   - base: The bytes of a WebP, in elements of any size.
    ///   - options: The options of the conversion.
    public init(_ base: Base, options: ConversionOptions = ConversionOptions()) {
      self.base = base
      self.options = options
    }

    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(base: base.makeAsyncIterator(), options: options)
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
      private var base: Base.AsyncIterator
      /// The converter. Nil after the end or an error.
      private var conversion: Conversion?
      /// The bytes of the last element of `base` that were not passed to the converter yet.
      private var rest: Base.Element.SubSequence?

      private typealias Conversion = BackgroundState<PNGConverter, Result<[UInt8]?, ConversionError>>

      /// The maximum number of bytes that are passed to the converter in one call.
      private static var bytesAtOnce: Int { 1 << 15 }

      fileprivate init(base: Base.AsyncIterator, options: ConversionOptions) {
        self.base = base
        conversion = Conversion(PNGConverter(options: options)) { converter in
          Result { () throws(ConversionError) in try converter.nextPart() }
        }
      }

      public mutating func next() async throws -> Data? {
        while let conversion {
          do {
            try Task.checkCancellation()
            if let part = try await conversion.nextOutput().get() {
              if !part.isEmpty { return Data(part) }
            } else if conversion.access({ $0.isFinished }) {
              self.conversion = nil
            } else {
              try await readBytes(conversion)
            }
          } catch {
            self.conversion = nil
            try Task.checkCancellation()
            throw error
          }
        }
        return nil
      }

      private mutating func readBytes(_ conversion: Conversion) async throws {
        if rest?.isEmpty ?? true { rest = try await base.next()?[...] }
        guard let bytes = rest else { return conversion.access { $0.takeEnd() } }
        try conversion.access { try $0.take(bytes.prefix(Self.bytesAtOnce)) }
        rest = bytes.dropFirst(Self.bytesAtOnce)
      }
    }
  }
}

extension WebP.PNGSequence: Sendable where Base: Sendable {}
