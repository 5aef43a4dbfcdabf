import ConformanceGenerator
import PureWebP

/// Composes all frames in order, one frame individually, the first frame as a still image, and the frames of a file
/// that arrives incrementally. The results must be equal.
func testAnimation(_ file: [UInt8], _ choices: inout Choices) {
  let options = choices.options()
  guard let animation = try? WebP.Animation(recovering: file, options: options) else { return }
  var frames = animation.makeIterator()
  var images: [WebP.Image] = []
  var failure: WebP.DecodeError?
  do throws(WebP.DecodeError) {
    while let frame = try frames.nextFrame() {
      check(frame.index == images.count, "frames are in order")
      images.append(frame.image)
    }
  } catch {
    failure = error
    check(error.frame == nil || error.frame == images.count, "an error specifies its frame")
  }
  if !animation.frames.isEmpty {
    let index = choices.below(animation.frames.count)
    let single = try? animation.frame(at: index).image
    if index < images.count { check(single == images[index], "a single frame is the same") }
    _ = try? animation.image(ofFrame: index)
    _ = try? animation.file(ofFrame: index)
  }
  if animation.recoveryError == nil, let first = images.first, (try? WebP.info(file))?.isAnimated == true {
    check((try? WebP.decode(file, options: options)) == first, "the still image is the first frame")
  }
  if hasPartitionOutsideOfItsInterval(file) { return }
  testPieces(file, options, images, failure, animation, &choices)
}

private func testPieces(
  _ file: [UInt8], _ options: WebP.DecodeOptions, _ images: [WebP.Image], _ failure: WebP.DecodeError?,
  _ animation: WebP.Animation, _ choices: inout Choices
) {
  var streaming = WebP.StreamingAnimation(options: options)
  var shown = 0
  var partsLeft = 8
  var error: WebP.DecodeError?
  func takeFrames() {
    do throws(WebP.DecodeError) {
      while error == nil, let frame = try streaming.nextFrame() {
        check(shown < images.count && frame.image == images[shown], "the same frames incrementally")
        shown += 1
      }
    } catch let failure {
      error = failure
    }
  }
  for piece in choices.pieces(of: file.count) {
    _ = try? streaming.append(file[piece])
    takeFrames()
    // Each partial frame is a copy of the complete canvas.
    if partsLeft > 0, error == nil, choices.oneIn(4) {
      partsLeft -= 1
      do throws(WebP.DecodeError) {
        if let (image, rows) = try streaming.partialFrame() {
          check(!rows.isEmpty && image.pixels.count == image.layout.byteCount, "a partial frame has rows")
        }
      } catch let failure {
        error = failure
      }
    }
  }
  _ = try? streaming.finish()
  takeFrames()
  check(shown == images.count, "the same number of frames incrementally: \(shown) of \(images.count), \(error as Any)")
  check((error == nil) == (failure == nil), "same verdict incrementally: \(error as Any)")
}
