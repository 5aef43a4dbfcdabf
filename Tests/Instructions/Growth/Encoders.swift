import PureWebP
import WebPExport

/// The encoding of PNGs whose rows are compressed by different methods. A repetition is a row of 64 pixels.
///
/// `encoding.txt` limits the instructions for the shortest input.
var encoders: [MeasuredParser] {
  [
    // A gradient with noise, whose repetitions are short: runs and prefix codes, or repetitions too.
    encoder("PNG photo 64x64", 64) { x, y, noise in UInt8((x + 2 * y) & 127) + noise % 8 },
    // Bars and text-like marks: zlib.
    encoder("PNG drawing 64x48", 48) { x, y, noise in y % 12 < 8 && (x * y) % 7 == 0 ? 20 : x < 16 ? 200 : 250 },
    // A gradient: long runs of equal differences.
    encoder("PNG gradient 64x160", 160) { x, y, noise in UInt8((3 * x + y) & 255) },
  ]
}

private func encoder(
  _ name: String, _ height: Int, _ sample: @escaping (_ x: Int, _ y: Int, _ noise: UInt8) -> UInt8
) -> MeasuredParser {
  MeasuredParser(name, height) { height in
    var state: UInt32 = 1
    var rows = ContiguousArray<UInt8>()
    for y in 0..<height {
      for x in 0..<64 {
        for channel in 0..<3 {
          state = state &* 1_664_525 &+ 1_013_904_223
          rows.append(sample(x + channel, y, UInt8(state >> 24)))
        }
      }
    }
    return {
      do {
        let header = WebP.PNGHeader(width: 64, height: height, colorType: .rgb)
        let writer = try WebP.PNGWriter(header, threads: .one)
        try writer.write(rows: rows.span) { _ in }
        try writer.finish { _ in }
      } catch {
        preconditionFailure("\(error)")
      }
    }
  }
}
