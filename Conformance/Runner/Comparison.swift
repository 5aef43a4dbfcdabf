import ArgumentParser
import ConformanceGenerator
import ConformanceSupport
import PureWebP
import WebPExport

/// A comparison of PureWebP and libwebp on one file.
struct Comparison {
  let libwebp: Libwebp

  /// - Parameter library: libwebp as a shared library.
  init(loading library: String) throws(ValidationError) {
    guard let libwebp = Libwebp(path: library) else {
      throw ValidationError("cannot load \(library): \(Libwebp.lastError)")
    }
    self.libwebp = libwebp
  }

  /// Returns the differences between PureWebP's and libwebp's results, or nil if an intended difference applies.
  ///
  /// - Parameter cuts: a seed for the positions at which the file is cut, to compare the incremental decoders.
  func differences(_ file: [UInt8], limits: WebP.Limits, cuts: Int? = nil) -> [String]? {
    let features = libwebp.features(file)
    let (pixels, overflow) = features.width.multipliedReportingOverflow(by: features.height)
    guard !overflow, pixels <= limits.maximumPixels else { return nil }
    if features.isAnimated { return differencesOfFrames(file, limits) }
    var found: [String] = []
    // Planes of lossless images changed after libwebp 1.6, so they are not compared.
    let asked: [(String, WebP.DecodeOptions)] =
      features.isLossy
      ? [("rgba", .rgba), ("yuva", .yuva), ("nearest rgba", .nearestRGBA), ("unfiltered yuva", .unfilteredYUVA)]
      : [("rgba", .rgba)]
    var isGood = false
    for (what, options) in asked {
      var options = options
      options.limits = limits
      let actual = Verdict(file, options: options)
      // The image is too large for its file size.
      if actual.status == Verdict.limitExceeded { return nil }
      let expected = libwebp.verdict(file, options: options)
      if expected.status == Verdict.unsupportedFeature { return nil }
      // If both alpha and color are corrupt, PureWebP may report the other error. The difference is intended.
      if features.isLossy, features.hasAlpha, expected.status > 0, actual.status > 0, actual != expected { return nil }
      if actual != expected { found.append("\(what): \(actual) instead of \(expected)") }
      isGood = expected.status == 0
      if expected.status != 0 || actual.status != 0 { break }
    }
    if let info = try? WebP.info(file), features.status == 0, found.isEmpty, info.hasAlpha != features.hasAlpha {
      found.append("alpha: \(info.hasAlpha) instead of \(features.hasAlpha)")
    }
    if let cuts, found.isEmpty {
      var random = SplitMix64(seed: UInt64(cuts))
      for _ in 0..<2 {
        let count = random.below(file.count + 1)
        if let difference = differenceOfRows(file, upTo: count, isGood: isGood, limits) { found.append(difference) }
      }
    }
    return found
  }

  /// Compares the finished rows and their pixels when `count` bytes are available.
  private func differenceOfRows(_ file: [UInt8], upTo count: Int, isGood: Bool, _ limits: WebP.Limits) -> String? {
    let expected = libwebp.shown(file[..<count])
    var options = WebP.DecodeOptions.rgba
    options.limits = limits
    var decoder = WebP.StreamingDecoder(options: options)
    var isError = false
    do throws(WebP.DecodeError) {
      _ = try decoder.append(file[..<count])
    } catch {
      isError = true
      // PureWebP reports an error as soon as it is certain. libwebp may request more bytes first.
      if isGood { return "\(count) bytes: \(error)" }
    }
    // libwebp considers some valid files corrupt here. Documentation/Differences.md lists them.
    if expected.isError { return nil }
    let rows = decoder.finishedRows
    guard rows == expected.rows else {
      return isError && rows <= expected.rows ? nil : "\(count) bytes: \(rows) rows instead of \(expected.rows)"
    }
    guard rows > 0, let image = decoder.image else { return nil }
    let sum = crc32(image.pixels.span.extracting(first: rows * image.stride))
    return sum == expected.sum ? nil : "\(count) bytes: the \(rows) rows differ"
  }

  private func differencesOfFrames(_ file: [UInt8], _ limits: WebP.Limits) -> [String]? {
    var options = WebP.DecodeOptions.rgba
    options.limits = limits
    do throws(WebP.DecodeError) {
      _ = try WebP.Animation(file, options: options)
    } catch {
      if error.kind == .limitExceeded { return nil }
    }
    guard let expected = libwebp.playback(file) else { return nil }
    return AnimationPlayback.differences(of: file, options, from: expected)
  }
}
