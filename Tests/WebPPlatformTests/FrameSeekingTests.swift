import Foundation
import PureWebP
import TestComparison
import TestSupport
import Testing

@testable import WebPPlatform

/// Proves that a player returns any frame in any order, with few decoded frames and bounded memory.
/// Expected values: the frames in ascending order, and numbers of frames counted by hand.
@Suite struct FrameSeekingTests {
  /// 201 frames on a canvas of 26 × 19 pixels, of which only the first is a key frame.
  private static let longAnimation: [UInt8] = {
    let file = try! [UInt8](TestFile.vector("animation-corners-lossless.webp"))
    var (chunks, frames): ([UInt8], [[UInt8]]) = ([], [])
    var offset = 12
    while offset < file.count {
      let size = file[offset + 4..<offset + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
      let end = min(file.count, offset + 8 + size + size % 2)
      if file[offset..<offset + 4].elementsEqual("ANMF".utf8) {
        frames.append(Array(file[offset..<end]))
      } else {
        chunks += file[offset..<end]
      }
      offset = end
    }
    let repeated = Array(repeatElement(frames.dropFirst().flatMap { $0 }, count: 50).joined())
    return FileWriter.riff(chunks, frames[0], repeated)
  }()

  private static let bytesOfCanvas = 8 * 26 * 19

  private func player(
    retaining canvases: Int, options: WebP.DecodeOptions = .init()
  ) throws -> WebPFramePlayer<WebP.Image> {
    let animation = try WebP.Animation(Self.longAnimation, options: options)
    #expect(animation.frameCount == 201 && animation.frames.count { $0.isKeyFrame } == 1)
    return WebPFramePlayer(animation, maximumRetainedBytes: canvases * Self.bytesOfCanvas) { $0 }
  }

  @Test(arguments: [0, 5, 1000], [nil, 13]) func orderOfFramesHasNoEffect(canvases: Int, width: Int?) throws {
    let options = WebP.DecodeOptions(size: width.map { .fit(width: $0) })
    let player = try player(retaining: canvases, options: options)
    let expected = try Array(WebP.Animation(Self.longAnimation, options: options)).map(\.image)
    var random = SystemRandomNumberGenerator()
    for index in [200, 0] + (0..<100).map({ _ in Int.random(in: 0..<201, using: &random) }) + [7, 8, 9, 300, -1] {
      expectSame(player.image(at: index), expected[min(max(index, 0), 200)], "frame \(index)")
    }
  }

  /// All files with key frames, disposed frames and corrupt frames.
  @Test func orderOfFramesHasNoEffectInAnyFile() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: TestFile.vectors.path).filter {
      $0.hasPrefix("animation-") && !$0.contains("attack") && !$0.contains("huge")
    }
    var count = 0
    for name in names {
      guard let animation = try? WebP.Animation(TestFile.vector(name)), animation.frameCount > 1 else { continue }
      count += 1
      let indices = animation.frames.indices
      let ascending = WebPFramePlayer(animation) { $0 }
      let expected = indices.map { ascending.image(at: $0) }
      let shown = Array(animation).map(\.image)
      #expect(Array(expected.prefix(shown.count)) == shown, "\(name)")
      for bytes in [0, 1 << 20] {
        let player = WebPFramePlayer(animation, maximumRetainedBytes: bytes) { $0 }
        for index in indices.reversed() + indices.shuffled() {
          expectSame(player.image(at: index), expected[index], "\(name), frame \(index)")
        }
      }
    }
    #expect(count > 50)
  }

  /// Two views that show the animation in loops, the second one half a loop later, decode each frame for themselves.
  @Test(arguments: [false, true]) func secondViewDoublesTheWork(isCopy: Bool) throws {
    let first = try player(retaining: 0)
    let second = isCopy ? first.copy() : first
    for time in 0..<402 {
      _ = first.image(at: time % 201)
      if time >= 100 { _ = second.image(at: (time - 100) % 201) }
    }
    #expect(first.seeker.drawnFrameCount == 402 + 302)
  }

  /// If the second view begins in the middle, the canvases that it skips are retained for the first view.
  @Test(arguments: [false, true]) func secondViewMayBeginAnywhere(isCopy: Bool) throws {
    let first = try player(retaining: 201)
    let second = isCopy ? first.copy() : first
    for time in 0..<201 {
      _ = first.image(at: time)
      _ = second.image(at: (time + 100) % 201)
    }
    #expect(Double(first.seeker.drawnFrameCount) <= 2.2 * 201)
  }

  /// Views that show the same frame at the same time decode it once.
  @Test func viewsInStepShareTheWork() throws {
    let player = try player(retaining: 0)
    for index in 0..<201 { _ = (player.image(at: index), player.image(at: index), player.image(at: index)) }
    #expect(player.seeker.drawnFrameCount == 201)
  }

  @Test(arguments: [(0, 201), (1, 101), (10, 19), (200, 1), (500, 1)])
  func workAndMemoryOfRandomFramesAreBounded(canvases: Int, framesPerSeek: Int) throws {
    let player = try player(retaining: canvases)
    #expect(player.framesPerSeek == framesPerSeek)
    _ = player.image(at: 200)
    for index in (0..<201).shuffled() {
      let before = player.seeker.drawnFrameCount
      _ = player.image(at: index)
      #expect(player.seeker.drawnFrameCount - before <= framesPerSeek)
    }
    #expect(player.seeker.retainedCount <= canvases)
  }

  /// Calls on several threads at the same time return the same frames.
  @Test func threadsShareAPlayer() async throws {
    let player = try player(retaining: 10)
    let expected = Array(player.animation).map(\.image)
    await withTaskGroup(of: Bool.self) { group in
      for start in [0, 50, 100, 150] {
        group.addTask { (0..<201).allSatisfy { player.image(at: ($0 + start) % 201) == expected[($0 + start) % 201] } }
      }
      for await isEqual in group { #expect(isEqual) }
    }
  }
}
