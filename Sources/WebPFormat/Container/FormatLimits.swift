/// The limits on the memory and the work that a file may cause. `Limits` of each decoder describes them to users.
public struct FormatLimits: Sendable {
  public let maximumPixels: Int
  public var unrestrictedPixels: Int
  public let maximumPixelsPerByte: Int
  public let maximumBytes: Int
  public let maximumFrames: Int
  public let maximumAnimationPixels: Int

  public init(
    maximumPixels: Int, unrestrictedPixels: Int, maximumPixelsPerByte: Int, maximumBytes: Int, maximumFrames: Int,
    maximumAnimationPixels: Int
  ) {
    self.maximumPixels = maximumPixels
    self.unrestrictedPixels = unrestrictedPixels
    self.maximumPixelsPerByte = maximumPixelsPerByte
    self.maximumBytes = maximumBytes
    self.maximumFrames = maximumFrames
    self.maximumAnimationPixels = maximumAnimationPixels
  }

  /// Checks the size of a file.
  ///
  /// - Parameters:
  ///   - count: the number of bytes that have arrived.
  ///   - more: the number of bytes that are about to be added.
  public func check(bytes count: Int, adding more: Int = 0) throws(FormatError) {
    let (count, overflow) = count.addingReportingOverflow(more)
    guard !overflow, count <= maximumBytes else { throw FormatError(.fileTooLarge, value: maximumBytes) }
    // Positions are counted in bits, and may lie beyond the end of the bitstream.
    guard count <= Int.max >> 3 - 1 << 24 else { throw FormatError(.fileExceedsPlatform) }
  }

  /// Checks the number of pixels of a still image.
  ///
  /// - Returns: false if more bytes of the file may allow so many pixels.
  public func allow(_ headers: ImageHeaderParser, byteCount: Int, isComplete: Bool) throws(FormatError) -> Bool {
    guard let size = headers.stream?.size else { throw FormatError(.truncatedHeaders, offset: byteCount) }
    let area = size.width &* size.height  // both sides have at most 14 bits
    let offset = headers.streamOffset
    guard area <= maximumPixels else { throw FormatError(.imageTooLarge, value: maximumPixels, offset: offset) }
    if area <= pixels(ofBytes: byteCount) { return true }
    guard isComplete else { return false }
    throw FormatError(.imageTooLargeForFile, value: maximumPixelsPerByte, offset: offset)
  }

  /// The maximum number of pixels of an image or a canvas if `count` bytes of the file are available.
  public func pixels(ofBytes count: Int) -> Int {
    min(maximumPixels, Self.sum(unrestrictedPixels, count, times: maximumPixelsPerByte))
  }

  /// The maximum number of pixels of all frames together if `count` bytes of the file are available.
  public func animationPixels(ofBytes count: Int) -> Int {
    min(maximumAnimationPixels, pixelsOfFrames(ofBytes: count, times: 8))
  }

  /// The maximum sum of the pixels of all canvases that are converted, for an animation of `count` bytes.
  public func convertedPixels(ofBytes count: Int) -> Int { pixelsOfFrames(ofBytes: count, times: 128) }

  private func pixelsOfFrames(ofBytes count: Int, times factor: Int) -> Int {
    let (perByte, overflow) = maximumPixelsPerByte.multipliedReportingOverflow(by: factor)
    let (unrestricted, overflowToo) = unrestrictedPixels.multipliedReportingOverflow(by: 2)
    return Self.sum(overflowToo ? .max : unrestricted, count, times: overflow ? .max : perByte)
  }

  /// unrestricted + count · perByte, or `Int.max` if that overflows.
  private static func sum(_ unrestricted: Int, _ count: Int, times perByte: Int) -> Int {
    let (product, overflow) = count.multipliedReportingOverflow(by: max(0, perByte))
    let (sum, overflowToo) = product.addingReportingOverflow(unrestricted)
    return overflow || overflowToo ? .max : sum
  }
}
