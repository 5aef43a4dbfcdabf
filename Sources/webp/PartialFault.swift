import CommandSystem
import PureWebP

/// The first error in a truncated or corrupt file, and a description of the complete part before it.
struct PartialFault {
  let error: WebP.DecodeError
  /// The complete part, such as `4 of 6 frames`.
  let completePart: String

  init(_ error: WebP.DecodeError, completeRows: Int, of rows: Int) {
    self.error = error
    completePart = "\(completeRows) of \(counted(rows, "row"))"
  }

  /// - Parameter animation: the animation, opened with `init(recovering:options:)`.
  init(_ error: WebP.DecodeError, completeFrames: Int, of animation: WebP.Animation) {
    self.error = error
    let total = animation.recoveryError == nil ? counted(animation.frameCount, "frame") : "an unknown number of frames"
    completePart = "\(completeFrames) of \(total)"
  }
}

extension WebP {
  /// Decodes a still image, or its complete rows if the file is truncated or corrupt. The other rows are transparent,
  /// or black in formats without alpha.
  ///
  /// - Throws: The error of the file, if no row is complete.
  static func decodePartially(
    _ bytes: [UInt8], options: DecodeOptions
  ) throws(DecodeError) -> (image: Image, fault: PartialFault?) {
    // The streaming decoder would rotate only a complete image.
    let orientation = options.isUpright ? try info(bytes).orientation : .up
    var decoder = StreamingDecoder(options: options.beforeOrienting(orientation))
    do throws(DecodeError) {
      _ = try decoder.append(bytes)
      try decoder.finish()
    } catch {
      guard decoder.finishedRows > 0, let image = decoder.image, let info = decoder.info else { throw error }
      // The rows of the file are reported, although the image may have been cropped or scaled.
      let rows = options.crop?.height ?? info.height
      let completeRows = decoder.finishedRows * rows / image.height
      return (image.oriented(orientation), PartialFault(error, completeRows: completeRows, of: rows))
    }
    // After `finish()` returns, the image exists.
    return (decoder.image!.oriented(orientation), nil)
  }
}

extension WebP.Animation {
  /// Opens an animation, for decoding all of its canvases.
  ///
  /// - Parameters:
  ///   - bytes: the file.
  ///   - options: the decoding options.
  ///   - isPartial: true to open the complete frames of a truncated file.
  /// - Throws: The decoder's errors, including an error if the canvases exceed the limits. The headers suffice to check
  ///   that here. The decoder would reach the limit only after it has decoded many frames.
  static func open(
    _ bytes: some Collection<UInt8>, options: WebP.DecodeOptions, isPartial: Bool
  ) throws(WebP.DecodeError) -> WebP.Animation {
    let animation = try isPartial ? Self(recovering: bytes, options: options) : Self(bytes, options: options)
    if options.crop != nil || options.size != nil || options.flipsVertically {
      try options.limits.check(allCanvasesOf: animation)
    }
    return animation
  }

  /// Returns the part of a file before its first error, and the error. Decodes all frames to find it.
  ///
  /// - Throws: The error of the file, if no frame is complete.
  static func soundPart(
    of bytes: [UInt8], options: WebP.DecodeOptions
  ) throws(WebP.DecodeError) -> (bytes: ArraySlice<UInt8>, fault: PartialFault?) {
    let animation = try open(bytes, options: options, isPartial: true)
    var frames = animation.makeIterator()
    var count = 0
    do throws(WebP.DecodeError) {
      while try frames.nextFrame() != nil { count += 1 }
    } catch {
      guard count > 0 else { throw error }
      let isCut = count == animation.frameCount
      let end = isCut ? bytes.count : animation.frames[count].bytes.lowerBound
      return (bytes.prefix(end), PartialFault(error, completeFrames: count, of: animation))
    }
    return (bytes[...], nil)
  }
}

extension WebP.DecodeError {
  /// Indicates whether a part of the file may be complete.
  var mayLeavePart: Bool { kind == .truncated || kind == .corrupt }
}
