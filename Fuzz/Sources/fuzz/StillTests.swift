import ConformanceGenerator
import PureWebP

/// Decodes a file and returns the image or the error.
func image(_ file: [UInt8], _ options: WebP.DecodeOptions) -> (image: WebP.Image?, error: WebP.DecodeError?) {
  do throws(WebP.DecodeError) {
    return (try WebP.decode(file, options: options), nil)
  } catch {
    return (nil, error)
  }
}

func testStill(_ file: [UInt8], _ choices: inout Choices) {
  let options = choices.options()
  let (decoded, error) = image(file, options)
  if let error { check(!error.description.isEmpty, "an error has a description") }
  if let image = decoded {
    check(image.pixels.count == image.layout.byteCount, "an image has the size of its layout")
    check((try? WebP.info(file)) != nil, "a file that can be decoded has valid headers")
  }
  if choices.oneIn(4) { testCallersMemory(file, options, decoded, error, gap: choices.below(20)) }
}

/// Decodes into the caller's memory with gaps between the rows. The pixels must be equal and the gaps unchanged.
private func testCallersMemory(
  _ file: [UInt8], _ options: WebP.DecodeOptions, _ decoded: WebP.Image?, _ error: WebP.DecodeError?, gap: Int
) {
  guard let decoded else {
    var pixels = [UInt8](repeating: 0, count: 64)
    check(
      (try? WebP.decode(file, into: &pixels, options: options)) == nil || error == nil,
      "decoding into the caller's memory also fails")
    return
  }
  let stride = decoded.layout.planes[0].stride + gap
  guard let layout = WebP.Layout(format: options.format, width: decoded.width, height: decoded.height, stride: stride)
  else { return }
  var pixels = [UInt8](repeating: 0xA5, count: layout.byteCount)
  do throws(WebP.DecodeError) {
    try WebP.decode(file, into: &pixels, stride: stride, options: options)
  } catch {
    // Like libwebp's rescaler, this decoder's rejects rows that are too long.
    check(gap > 0, "decoding fails only into the caller's memory: \(error)")
    return
  }
  for (plane, expected) in zip(layout.planes, decoded.layout.planes) {
    for row in 0..<plane.rows {
      let start = plane.offset + row * plane.stride
      let expectedStart = expected.offset + row * expected.stride
      check(
        pixels[start..<start + plane.rowBytes].elementsEqual(
          decoded.pixels[expectedStart..<expectedStart + plane.rowBytes]), "the same pixels in the caller's memory")
      let gap = start + plane.rowBytes..<min(start + plane.stride, layout.byteCount)
      if row < plane.rows - 1 { check(pixels[gap].allSatisfy { $0 == 0xA5 }, "gaps are not written") }
    }
  }
}

func testInfo(_ file: [UInt8]) {
  do throws(WebP.DecodeError) {
    let info = try WebP.info(file)
    check(info.width > 0 && info.height > 0 && info.frameCount >= 0, "an image has a size")
  } catch {
    check(!error.description.isEmpty, "an error has a description")
  }
}

func testMetadata(_ file: [UInt8], _ choices: inout Choices) {
  var limits = WebP.Limits()
  if choices.oneIn(2) { limits.maximumMetadataBytes = choices.below(100) }
  let metadata = WebP.metadata(file, limits: limits)
  let sizes =
    [metadata.icc, metadata.exif, metadata.xmp].map { $0?.count ?? 0 } + metadata.unknown.map(\.payload.count)
  check(
    sizes.reduce(0, +) <= min(limits.maximumMetadataBytes, file.count), "metadata is within the limit and the file")
  _ = metadata.orientation
}
