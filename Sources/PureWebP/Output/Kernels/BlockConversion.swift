// The conversion of blocks of 32 pixels to RGB, which all upsamplers share.
//
// Unsafe code: Rows from `CheckedRows` have as many bytes as the loops process. The conversions require slack after
// a row if they read past its end. `ColorConversion` writes 64 bytes, and `WideConversion` 128, only if the row or a
// buffer has them.
// Plain formula: `PlainImage.rgba` in Tests/PureWebPTests/Reference/PlainImage.swift.

internal import WebPFormat

/// The number of bytes after a row's end that blocks of 32 pixels may read.
let blockSlack = 32

/// Writes 32 pixels of a row, from column `x` on: 128 bytes at `output`. `left` is the chroma of the first, third, …
/// pixel, `right` of the others.
@inline(never)
func writeBlock(
  _ y: UnsafeRawPointer, _ a: UnsafeRawPointer?, _ x: Int, _ leftU: Bytes, _ rightU: Bytes, _ leftV: Bytes,
  _ rightV: Bytes, _ output: UnsafeMutableRawPointer, _ order: ChannelOrder
) {
  #if AVX2 && arch(x86_64)
    let alpha = if let a = unsafe a { unsafe a.wideBytes(at: x) } else { WideBytes(repeating: 255) }
    unsafe writeWidePixels(
      luma: y.wideBytes(at: x), alpha: alpha, even: WideChroma(u: leftU, v: leftV),
      odd: WideChroma(u: rightU, v: rightV), order: order, to: output)
  #else
    let opaque = Bytes(repeating: 255)
    let a0 = if let a = unsafe a { unsafe a.bytes(at: x) } else { opaque }
    let a1 = if let a = unsafe a { unsafe a.bytes(at: x &+ 16) } else { opaque }
    unsafe writePixels(
      luma: y.bytes(at: x), alpha: a0,
      even: ChromaLanes(u: leftU.wordsLow, v: leftV.wordsLow), odd: ChromaLanes(u: rightU.wordsLow, v: rightV.wordsLow),
      order: order, to: output)
    unsafe writePixels(
      luma: y.bytes(at: x &+ 16), alpha: a1,
      even: ChromaLanes(u: leftU.wordsHigh, v: leftV.wordsHigh),
      odd: ChromaLanes(u: rightU.wordsHigh, v: rightV.wordsHigh),
      order: order, to: output + 64)
  #endif
}

extension Bytes {
  /// The low eight samples, as sample · 256.
  @inline(__always)
  fileprivate var wordsLow: Words { cast(Bytes(repeating: 0).interleavedLow(self), as: Words.self) }

  /// The high eight samples, as sample · 256.
  @inline(__always)
  fileprivate var wordsHigh: Words { cast(Bytes(repeating: 0).interleavedHigh(self), as: Words.self) }
}
