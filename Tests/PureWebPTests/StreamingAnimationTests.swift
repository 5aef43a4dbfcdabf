import Testing

@testable import PureWebP

@Suite struct StreamingAnimationTests {
  private static func file(_ seed: UInt64, frames: Int) -> [UInt8] {
    var random = SeededGenerator(seed: seed)
    let frames = (0..<frames).map { index in
      let isFull = index % 3 == 0
      let picture = PixelGrid(width: isFull ? 18 : 11, height: isFull ? 40 : 35, using: &random)
      return PlainFrame(
        picture: picture, x: isFull ? 0 : 6, y: isFull ? 0 : 4, duration: 10 * index,
        isBlended: Bool.random(using: &random), isDisposed: Bool.random(using: &random))
    }
    return FileWriter.animation(width: 18, height: 40, loopCount: 2, frames)
  }

  /// Frames in any pieces are those of the whole file, as soon as their bytes are there.
  @Test(arguments: [1, 100, 5000], [false, true]) func framesComeAsTheirBytesDo(largest: Int, asksForParts: Bool) throws
  {
    var random = SeededGenerator(seed: 15)
    for seed in 0..<3 as Range<UInt64> {
      let file = Self.file(seed, frames: 5)
      let animation = try WebP.Animation(file)
      let expected = Array(animation)
      var stream = WebP.StreamingAnimation()
      var found: [WebP.Animation.Frame] = []
      var offset = 0
      var rows = 0..<0
      while offset < file.count {
        let end = min(file.count, offset + Int.random(in: 1...largest, using: &random))
        stream.append(file[offset..<end])
        offset = end
        while let frame = try stream.nextFrame() { found.append(frame) }
        #expect(found.count == animation.frames.prefix { $0.bytes.upperBound <= offset }.count)
        if asksForParts, let part = try stream.partialFrame() {
          #expect(part.rows != rows)
          #expect(try stream.partialFrame() == nil)
          rows = part.rows
          let frame = expected[found.count]
          #expect(part.rows.lowerBound == frame.info.y)
          expectPart(part.image, part.rows, of: frame, after: found.last)
        }
      }
      stream.finish()
      #expect(try stream.nextFrame() == nil && stream.isComplete)
      #expect(found == expected)
      #expect(stream.loopCount == 2 && stream.frames == animation.frames)
    }
  }

  /// The rows that are there are those of the frame. Below them the canvas is that of the frame before, with its rectangle
  /// wiped out if it was disposed of.
  private func expectPart(
    _ image: WebP.Image, _ rows: Range<Int>, of frame: WebP.Animation.Frame, after previous: WebP.Animation.Frame?
  ) {
    func pixel(_ image: WebP.Image, _ x: Int, _ y: Int) -> ArraySlice<UInt8> {
      Array(image.pixels[(y * image.stride + 4 * x)..<(y * image.stride + 4 * x + 4)])[...]
    }
    var differences = 0
    for y in 0..<image.height {
      for x in 0..<image.width {
        let isNew = rows ~= y && frame.info.x..<frame.info.x + frame.info.width ~= x
        var expected: ArraySlice<UInt8> = [0, 0, 0, 0]
        if isNew {
          expected = pixel(frame.image, x, y)
        } else if let previous {
          let info = previous.info
          let isWiped =
            info.isDisposed && info.x..<info.x + info.width ~= x && info.y..<info.y + info.height ~= y
          if !isWiped { expected = pixel(previous.image, x, y) }
        }
        if pixel(image, x, y) != expected { differences += 1 }
      }
    }
    #expect(differences == 0)
  }

  @Test func partsOfFramesDoCome() throws {
    let file = Self.file(20, frames: 2)
    let range = try WebP.Animation(file).frames[1].bytes
    var stream = WebP.StreamingAnimation()
    stream.append(file[..<range.lowerBound])
    #expect(try stream.nextFrame() != nil)
    var counts: Set<Int> = []
    for byte in file[range].dropLast() {
      stream.append(CollectionOfOne(byte))
      if let part = try stream.partialFrame() { counts.insert(part.rows.count) }
    }
    #expect(counts.count > 1 && counts.allSatisfy { 1...35 ~= $0 })
  }

  @Test func anEndTooEarlyIsToldAfterTheWholeFrames() throws {
    let file = Self.file(21, frames: 3)
    var stream = WebP.StreamingAnimation()
    stream.append(file.dropLast(10))
    stream.finish()
    #expect(try stream.nextFrame() != nil)
    #expect(try stream.nextFrame() != nil)
    for _ in 0..<2 {
      #expect {
        _ = try stream.nextFrame()
      } throws: {
        ($0 as? WebP.DecodeError)?.kind == .truncated
      }
    }
    #expect(stream.size?.width == 18 && stream.size?.height == 40)
    #expect(!stream.isComplete)
  }

  @Test func aDamagedFrameIsNamed() throws {
    var file = Self.file(22, frames: 3)
    let second = try WebP.Animation(file).frames[1].bytes
    file[second.lowerBound + 8 + 5] |= 7  // a transform that makes no sense in this place
    var stream = WebP.StreamingAnimation()
    stream.append(file)
    #expect(try stream.nextFrame() != nil)
    for _ in 0..<2 {
      #expect {
        _ = try stream.nextFrame()
      } throws: {
        ($0 as? WebP.DecodeError)?.frame == 1
      }
    }
  }
}
