import PureWebP

/// The picture that options make of a file; nil where that is an error.
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
  if let error { check(!error.description.isEmpty, "an error says what it is") }
  if let image = decoded {
    check(image.pixels.count == image.layout.byteCount, "an image has the pixels of its layout")
    check((try? WebP.info(file)) != nil, "what can be decoded has headers")
  }
  if choices.oneIn(4) { testCallersMemory(file, options, decoded, error, gap: choices.below(20)) }
}

/// Decodes into memory of one's own, with gaps between the rows: the same picture, and the gaps are left alone.
private func testCallersMemory(
  _ file: [UInt8], _ options: WebP.DecodeOptions, _ decoded: WebP.Image?, _ error: WebP.DecodeError?, gap: Int
) {
  guard let decoded else {
    var pixels = [UInt8](repeating: 0, count: 64)
    check((try? WebP.decode(file, into: &pixels, options: options)) == nil || error == nil, "an error stays one")
    return
  }
  let stride = decoded.stride + gap
  guard let layout = WebP.Layout(format: options.format, width: decoded.width, height: decoded.height, stride: stride)
  else { return }
  var pixels = [UInt8](repeating: 0xA5, count: layout.byteCount)
  do throws(WebP.DecodeError) {
    try WebP.decode(file, into: &pixels, stride: stride, options: options)
  } catch {
    // libwebp's rescaler, and ours, ask for rows that are not too long.
    check(gap > 0, "memory of one's own changes nothing: \(error)")
    return
  }
  for (plane, expected) in zip(layout.planes, decoded.layout.planes) {
    for row in 0..<plane.rows {
      let start = plane.offset + row * plane.stride
      let expectedStart = expected.offset + row * expected.stride
      check(
        pixels[start..<start + plane.rowBytes].elementsEqual(
          decoded.pixels[expectedStart..<expectedStart + plane.rowBytes]), "the same pixels in one's own memory")
      let gap = start + plane.rowBytes..<min(start + plane.stride, layout.byteCount)
      if row < plane.rows - 1 { check(pixels[gap].allSatisfy { $0 == 0xA5 }, "gaps are left alone") }
    }
  }
}

func testInfo(_ file: [UInt8]) {
  do throws(WebP.DecodeError) {
    let info = try WebP.info(file)
    check(info.width > 0 && info.height > 0 && info.frameCount >= 0, "a picture has a size")
  } catch {
    check(!error.description.isEmpty, "an error says what it is")
  }
}

func testMetadata(_ file: [UInt8], _ choices: inout Choices) {
  var limits = WebP.Limits()
  if choices.oneIn(2) { limits.maximumMetadataBytes = choices.below(100) }
  let metadata = WebP.metadata(file, limits: limits)
  let sizes =
    [metadata.icc, metadata.exif, metadata.xmp].map { $0?.count ?? 0 } + metadata.unknown.map(\.payload.count)
  check(
    sizes.reduce(0, +) <= min(limits.maximumMetadataBytes, file.count), "metadata is within its limit, and the file")
  _ = metadata.orientation
}
