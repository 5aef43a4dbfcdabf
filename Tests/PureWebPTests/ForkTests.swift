#if canImport(CThreads)
  import CThreads
  import ConformanceSupport
  import Foundation
  import TestComparison
  import Testing

  @testable import PureWebP

  /// Proves that a child process decodes on several threads, although the helpers of its parent do not exist there.
  /// Expected values: the pixels that one thread decodes in the parent.
  @Suite(.serialized) struct ForkTests {
    /// Returns whether `body` returns true in a child process. A child that waits for a thread of the parent ends by a
    /// signal.
    private static func isTrueInChild(_ body: () -> Bool) -> Bool {
      let child = fork()
      if child == 0 {
        alarm(120)
        _exit(body() ? 0 : 1)
      }
      var status: Int32 = -1
      while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
      return status == 0
    }

    private static func options(_ threads: WebP.Threads) -> WebP.DecodeOptions {
      WebP.DecodeOptions(threads: threads)
    }

    private static let two = WebP.Threads(count: 2, batchPixels: 1)

    private static func decode(_ bytes: [UInt8], _ threads: WebP.Threads) -> ContiguousArray<UInt8>? {
      try? WebP.decode(bytes, options: options(threads)).pixels
    }

    /// Other threads decode while the process forks, so helpers exist, work, and hold locks.
    @Test func childrenOfADecodingProcessDecode() throws {
      let bytes = try Array(Conformance.vector("vp8-tall.webp"))
      let expected = Self.decode(bytes, .one)
      try #require(expected != nil && Self.decode(bytes, Self.two) == expected)
      let stop = Flag()
      let isStopped = DispatchGroup()
      for _ in 0..<2 {
        isStopped.enter()
        Thread.detachNewThread {
          while !stop.isSet { _ = Self.decode(bytes, Self.two) }
          isStopped.leave()
        }
      }
      for _ in 0..<50 {
        #expect(Self.isTrueInChild { (0..<3).allSatisfy { _ in Self.decode(bytes, Self.two) == expected } })
      }
      stop.set()
      isStopped.wait()
      expectSame(Self.decode(bytes, Self.two), expected)
    }

    /// The child continues an animation whose next frames a helper of the parent is decoding, or has decoded.
    @Test func childContinuesAnAnimation() throws {
      let bytes = try Array(Conformance.vector("animation-random-7.webp"))
      let expected = Array(try WebP.Animation(bytes, options: Self.options(.one)))
      var iterator = try WebP.Animation(bytes, options: Self.options(Self.two)).makeIterator()
      for index in expected.indices {
        var copy = iterator
        #expect(Self.isTrueInChild { expected[index...].allSatisfy { copy.next() == $0 } && copy.next() == nil })
        #expect(iterator.next() == expected[index])
      }
    }

    @Test func childContinuesAnImage() throws {
      let bytes = try Array(Conformance.vector("vp8-tall.webp"))
      let expected = Self.decode(bytes, .one)
      var decoder = WebP.StreamingDecoder(options: Self.options(Self.two))
      _ = try decoder.append(bytes.prefix(bytes.count / 2))
      #expect(
        Self.isTrueInChild {
          _ = try? decoder.append(bytes.dropFirst(bytes.count / 2))
          guard (try? decoder.finish()) != nil else { return false }
          return decoder.image?.pixels == expected
        })
      _ = try decoder.append(bytes.dropFirst(bytes.count / 2))
      try decoder.finish()
      expectSame(decoder.image?.pixels, expected)
    }
  }

  private final class Flag: @unchecked Sendable {
    private let lock = NSLock()
    private var value = false

    var isSet: Bool { lock.withLock { value } }
    func set() { lock.withLock { value = true } }
  }
#endif
