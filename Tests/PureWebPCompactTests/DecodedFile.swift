import PureWebP
import PureWebPCompact

/// The result of decoding a file, reduced to what both decoders report.
struct DecodedFile {
  /// A still image, or the first frame of an animation.
  var image: Result
  /// The frames up to the first error.
  var animation: Result
  /// The width, height, alpha and animation flags in the headers.
  var info: Result

  enum Result: Equatable {
    case values([Int], ContiguousArray<UInt8>)
    case failure(cause: String, offset: Int?, status: Int)
    /// The frames before an invalid one, and its error.
    indirect case frames([Result], Result)
  }
}

extension DecodedFile {
  /// Decodes with PureWebP.
  init(fast file: [UInt8]) {
    func attempt(_ body: () throws(WebP.DecodeError) -> Result) -> Result {
      do throws(WebP.DecodeError) {
        return try body()
      } catch {
        return .failure(cause: error.cause.description, offset: error.offset, status: error.status)
      }
    }
    image = attempt { () throws(WebP.DecodeError) in
      let image = try WebP.decode(file)
      return .values([image.width, image.height], image.pixels)
    }
    animation = attempt { () throws(WebP.DecodeError) in
      let animation = try WebP.Animation(file)
      var iterator = animation.makeIterator()
      var frames = [
        Result.values(
          [animation.canvasSize.width, animation.canvasSize.height, animation.loopCount, animation.frameCount], [])
      ]
      let failure = attempt { () throws(WebP.DecodeError) in
        while let frame = try iterator.nextFrame() {
          frames.append(.values([frame.index, frame.info.storedMilliseconds], frame.image.pixels))
        }
        return .values([], [])
      }
      return .frames(frames, failure)
    }
    info = attempt { () throws(WebP.DecodeError) in
      let info = try WebP.info(file)
      return .values([info.width, info.height, info.hasAlpha ? 1 : 0, info.isAnimated ? 1 : 0], [])
    }
  }

  /// Decodes with PureWebPCompact.
  init(compact file: [UInt8]) {
    let bytes = ContiguousArray(file)
    func attempt(_ body: () throws(WebPCompact.DecodeError) -> Result) -> Result {
      do throws(WebPCompact.DecodeError) {
        return try body()
      } catch {
        return .failure(cause: "\(error.detail)", offset: error.offset, status: Int(error.status))
      }
    }
    image = attempt { () throws(WebPCompact.DecodeError) in
      let image = try WebPCompact.decode(file)
      return .values([image.width, image.height], image.pixels)
    }
    animation = attempt { () throws(WebPCompact.DecodeError) in
      var animation = try WebPCompact.AnimationDecoder(bytes.span)
      var frames = [Result.values([animation.width, animation.height, animation.loopCount, animation.frameCount], [])]
      do throws(WebPCompact.DecodeError) {
        while let frame = try animation.nextFrame(from: bytes.span) {
          frames.append(.values([frame.index, frame.storedMilliseconds], frame.pixels))
        }
      } catch {
        return .frames(
          frames, .failure(cause: "\(error.detail)", offset: error.offset, status: Int(error.status)))
      }
      return .frames(frames, .values([], []))
    }
    info = attempt { () throws(WebPCompact.DecodeError) in
      let info = try WebPCompact.info(file)
      return .values([info.width, info.height, info.hasAlpha ? 1 : 0, info.isAnimated ? 1 : 0], [])
    }
  }
}

extension DecodedFile {
  /// The first difference from the compact decoder's result: in the headers, in the image, or in a frame. Nil if the
  /// results are equal.
  func firstDifference(from compact: DecodedFile) -> String? {
    info.difference(from: compact.info, in: "headers") ?? image.difference(from: compact.image, in: "image")
      ?? animation.difference(from: compact.animation, in: "animation")
  }
}

extension DecodedFile.Result {
  /// - Parameter width: the width of a frame's canvas. An image has its own width.
  fileprivate func difference(from compact: Self, in stage: String, width: Int? = nil) -> String? {
    switch (self, compact) {
    case (.values(let numbers, let pixels), .values(let compactNumbers, let compactPixels))
    where numbers == compactNumbers && pixels.count == compactPixels.count:
      guard let index = pixels.indices.first(where: { pixels[$0] != compactPixels[$0] }) else { return nil }
      let (row, column) = (index / 4).quotientAndRemainder(dividingBy: width ?? numbers[0])
      return "\(stage), row \(row), column \(column), channel \(index % 4): "
        + "\(pixels[index]), compact: \(compactPixels[index])"
    case (.frames(let frames, let error), .frames(let compactFrames, let compactError)):
      guard case .values(let canvas, _) = frames[0] else { return nil }
      for (index, (frame, compactFrame)) in zip(frames, compactFrames).enumerated() {
        let stage = index == 0 ? "header of the animation" : "frame \(index - 1)"
        if let found = frame.difference(from: compactFrame, in: stage, width: canvas[0]) { return found }
      }
      if frames.count != compactFrames.count {
        return "\(stage): \(frames.count - 1) frames, compact: \(compactFrames.count - 1)"
      }
      return error.difference(from: compactError, in: "end of the frames")
    default:
      return self == compact ? nil : "\(stage): \(self), compact: \(compact)"
    }
  }
}

extension DecodedFile.Result: CustomStringConvertible {
  var description: String {
    switch self {
    case .values(let numbers, let pixels): "\(numbers), \(pixels.count) bytes"
    case .failure(let cause, let offset, let status): "\(cause) at \(offset ?? -1), status \(status)"
    case .frames(let frames, _): "\(frames.count - 1) frames"
    }
  }
}
