// Chroma upsampling and color conversion with vector instructions, eight pixels at a time.
//
// Unsafe code: Preconditions check the rows of luma and chroma. Rows of alpha and pixels are from `CheckedRows`,
// with the sixteen bytes of slack that are read.
// Plain formula: `PlainImage.rgba` in Tests/PureWebPTests/Reference/PlainImage.swift.

internal import WebPFormat

/// Writes `width` pixels of a row as R G B A. All rows are readable for 16 bytes beyond their ends.
func upsampleRow(
  luma: UnsafeRawPointer, alpha: UnsafeRawPointer, u: ChromaRows, v: ChromaRows, to output: UnsafeMutableRawPointer,
  width: Int
) {
  let count = (width &+ 1) / 2
  unsafe withUnsafeTemporaryAllocation(of: UInt16.self, capacity: 2 &* (count &+ 16)) { memory in
    let blendedU = unsafe memory.baseAddress.unsafelyUnwrapped
    let blendedV = unsafe blendedU + (count &+ 16)
    unsafe blend(u, count, to: blendedU)
    unsafe blend(v, count, to: blendedV)
    // The last pixels are converted into a buffer, because the output may end with them.
    var rest = SIMD32<UInt8>()
    unsafe withUnsafeMutableBytes(of: &rest) { rest in
      for x in stride(from: 0, to: width, by: 8) {
        let fits = x &+ 8 <= width
        let destination = unsafe output + 4 &* x
        let target = unsafe fits ? destination : rest.baseAddress.unsafelyUnwrapped
        unsafe convert(
          widened(luma, x), upsampled(blendedU, x / 2), upsampled(blendedV, x / 2), widened(alpha, x), to: target)
        if !fits { unsafe destination.copyMemory(from: target, byteCount: 4 &* (width &- x)) }
      }
    }
  }
}

/// Writes the samples that are interpolated between two rows, times four. The first and the last one are repeated.
@inline(never)
private func blend(_ rows: ChromaRows, _ count: Int, to samples: UnsafeMutablePointer<UInt16>) {
  for x in stride(from: 0, to: count, by: 8) {
    let near = unsafe widened(rows.near, x)
    unsafe UnsafeMutableRawPointer(samples + (x &+ 1)).storeBytes(
      of: near &+ near &+ near &+ widened(rows.far, x), as: Words.self)
  }
  unsafe samples[0] = samples[1]
  unsafe samples[count &+ 1] = samples[count]
}

/// The chroma of eight pixels, interpolated between neighboring columns. The samples are the results of `blend`.
@inline(__always)
private func upsampled(_ samples: UnsafeMutablePointer<UInt16>, _ x: Int) -> Words {
  @inline(__always) func words(_ offset: Int) -> Words {
    unsafe UnsafeRawPointer(samples + (x &+ offset)).loadUnaligned(as: Words.self)
  }
  let three = words(1) &+ words(1) &+ words(1) &+ Words(repeating: 8)
  return ((words(0) &+ three) &>> 4).interleavedLow((three &+ words(2)) &>> 4)
}

@inline(__always)
private func widened(_ row: UnsafeRawPointer, _ x: Int) -> Words {
  let eight = unsafe SIMD2(row.loadUnaligned(fromByteOffset: x, as: UInt64.self), 0)
  return cast(cast(eight, as: Bytes.self).widenedLow, as: Words.self)
}

/// Writes eight pixels (see ColorConversion.swift). No sum exceeds 16 bits. Negative sums become 0.
@inline(__always)
private func convert(_ luma: Words, _ u: Words, _ v: Words, _ alpha: Words, to output: UnsafeMutableRawPointer) {
  let y = luma.scaled(19077)
  let red = (y &+ v.scaled(26149)).sample(minus: Words(repeating: 14234))
  let green = (y &+ Words(repeating: 8708)).sample(minus: u.scaled(6419) &+ v.scaled(13320))
  let blue = (y &+ u.scaled(33050)).sample(minus: Words(repeating: 17685))
  let (redGreen, blueAlpha) = (red.or(green &<< 8), blue.or(alpha &<< 8))
  unsafe output.storeBytes(of: redGreen.interleavedLow(blueAlpha), as: Words.self)
  unsafe output.storeBytes(of: redGreen.interleavedHigh(blueAlpha), toByteOffset: 16, as: Words.self)
}

extension SIMD8<UInt16> {
  /// ⌊self · factor / 256⌋ for lanes of eight bits.
  @inline(__always)
  fileprivate func scaled(_ factor: UInt16) -> Words {
    self &* Words(repeating: factor &>> 8) &+ (self &* Words(repeating: factor & 255)) &>> 8
  }

  /// ⌊(self − offset) / 64⌋ clamped to 0...255.
  @inline(__always)
  fileprivate func sample(minus offset: Words) -> Words {
    let value = subtractingSaturated(offset) &>> 6
    let limit = Words(repeating: 255)
    let isGreater = cast(value .> limit, as: Words.self)
    return value.or(isGreater).and(limit)
  }
}
