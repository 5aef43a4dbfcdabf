// Prediction, reconstruction and loop filter (RFC 6386, sections 12, 14.5 and 15). The same code processes all planes,
// block by block.
//
// Unsafe code: Preconditions check the column, and that there are 400 coefficients. Planes have a constant number of
// lines above the macroblocks, and 64 bytes of slack. Offsets depend only on the column.
// Plain formula: `PlainVP8.predict` in Tests/PureWebPTests/Reference/PlainVP8.swift.

internal import WebPFormat

/// The coefficients of a macroblock.
typealias Coefficients = UnsafeMutablePointer<Int32>

extension YUVRows {
  /// Predicts a macroblock and adds its residuals.
  ///
  /// On return, the macroblock's extents include the DCs that the inverse WHT computes.
  @inline(never)
  mutating func reconstruct(_ macroblock: inout Macroblock, at x: Int, _ coefficients: inout MutableSpan<Int32>) {
    precondition(x >= 0 && x < columns && coefficients.count == Macroblock.coefficientCount)
    let coefficients = unsafe coefficients.withUnsafeMutableBufferPointer { unsafe $0.baseAddress.unsafelyUnwrapped }
    let planes = planes
    let hasAbove = firstRow > 0
    unsafe samples.withUnsafeMutableBytes { samples in
      let samples = unsafe samples.baseAddress.unsafelyUnwrapped
      if macroblock.hasY2 { unsafe inverseWHT(coefficients) }
      var chromaExtents: UInt32 = 0
      for index in 0..<rounds(3) {
        let plane = planes[index]
        let shift = UInt32(truncatingIfNeeded: 8 &* (index &- 1))
        let extents = unsafe MacroblockPlane(
          pixels: samples + (plane.start &+ x &* plane.size), stride: plane.stride,
          above: samples + (plane.above &+ x &* plane.size), size: plane.size, hasLeft: x > 0, hasAbove: hasAbove
        ).reconstruct(
          macroblock, index == 0 ? macroblock.lumaMode : macroblock.chromaMode,
          coefficients + (index == 0 ? Macroblock.luma : Macroblock.u &+ 64 &* (index &- 1)),
          index == 0 ? macroblock.lumaExtents : macroblock.chromaExtents &>> shift & 0xFF)
        if index == 0 { macroblock.lumaExtents = extents } else { chromaExtents |= extents &<< shift }
      }
      macroblock.chromaExtents = chromaExtents
    }
  }

  /// Filters the row after all of its macroblocks have been reconstructed. Before that, copies the last line of each
  /// plane, from which the next row is predicted.
  @inline(never)
  mutating func finish(_ macroblocks: ContiguousArray<Macroblock>, _ header: FrameHeader) {
    precondition(macroblocks.count == columns)
    let planes = planes
    let isFirst = firstRow == 0
    unsafe samples.withUnsafeMutableBytes { samples in
      let samples = unsafe samples.baseAddress.unsafelyUnwrapped
      for index in 0..<rounds(3) {
        let plane = planes[index]
        let line = unsafe samples + plane.above
        let width = macroblocks.count &* plane.size
        unsafe line.copyMemory(
          from: samples + (plane.start &+ (plane.size &- 1) &* plane.stride), byteCount: width)
        unsafe line.storeBytes(of: 129, toByteOffset: -1, as: UInt8.self)
        let last = unsafe UInt32(line.byte(at: width &- 1)) &* 0x0101_0101
        unsafe line.storeBytes(of: last, toByteOffset: width, as: UInt32.self)
      }
      for x in macroblocks.indices {
        let strength = header.filterStrength(
          segment: Int(macroblocks[x].segment), usesSubblockModes: macroblocks[x].usesSubblockModes)
        let edges = MacroblockEdges(
          strength: strength, isSimple: header.filter.isSimple, hasLeft: x > 0, hasUpper: !isFirst,
          filtersSubblockEdges: macroblocks[x].filtersSubblockEdges)
        guard edges.strength.edgeLimit > 0 else { continue }
        for index in 0..<rounds(edges.isSimple ? 1 : 2) {
          let plane = planes[index]
          let first = unsafe samples + (plane.start &+ x &* plane.size)
          let v = unsafe samples + (planes[2].start &+ x &* 8)
          unsafe edges.filter(
            first, secondLeft: index == 0 ? first + 8 &* plane.stride : v,
            secondUpper: index == 0 ? first + 8 : v, stride: plane.stride, size: plane.size)
        }
      }
    }
  }
}

/// A plane at a macroblock.
@unsafe private struct MacroblockPlane {
  let pixels: UnsafeMutableRawPointer
  let stride: Int
  /// The line above, unfiltered, with the corner before it.
  let above: UnsafeRawPointer
  /// 16 for luma, 8 for chroma.
  let size: Int
  let hasLeft: Bool
  let hasAbove: Bool

  /// Predicts the macroblock and adds the residuals of its blocks, whose extents are `extents`.
  ///
  /// Returns the final extents. They include the DCs that the inverse WHT computes. They exclude DCs that become 0
  /// modulo 2¹⁶, which only corrupt files have. The final extents determine whether the subblock edges are filtered.
  @inline(never)
  func reconstruct(_ macroblock: Macroblock, _ mode: MacroblockMode, _ blocks: Coefficients, _ extents: UInt32)
    -> UInt32
  {
    let isLuma = unsafe size == 16
    let usesSubblockModes = isLuma && macroblock.usesSubblockModes
    if !usesSubblockModes {
      unsafe predict(mode, pixels, stride: stride, above: above, size: size, hasLeft: hasLeft, hasAbove: hasAbove)
    }
    // If any chroma block has more than a DC, all blocks of its plane use the complete transform, as in libwebp.
    let areAllFull = !isLuma && extents & 0b10_10_10_10 != 0
    var result: UInt32 = 0
    var block = 0
    for y in unsafe Swift.stride(from: 0, to: size, by: 4) {
      for x in unsafe Swift.stride(from: 0, to: size, by: 4) {
        let target = unsafe pixels + (y &* stride &+ x)
        if usesSubblockModes {
          let line = unsafe y == 0 ? above + x : UnsafeRawPointer(target - stride)
          unsafe predictSubblock(
            UInt8(truncatingIfNeeded: macroblock.subblockModes &>> UInt64(4 &* block)) & 15, target, stride: stride,
            above: line, aboveRight: x == 12 ? above + 16 : line + 4)
        }
        let shift = UInt32(truncatingIfNeeded: 2 &* block)
        let coefficients = unsafe blocks + 16 &* block
        var extent = extents &>> shift & 3
        if extent <= BlockExtent.dcOnly {
          let hasDC = isLuma && macroblock.hasY2 || extent == BlockExtent.dcOnly
          extent = unsafe hasDC && coefficients[0] != 0 ? BlockExtent.dcOnly : BlockExtent.empty
        }
        if extent != BlockExtent.empty {
          unsafe addResidual(
            areAllFull ? BlockExtent.full : extent, UnsafeMutableRawPointer(coefficients), to: target, stride: stride)
        }
        result |= extent &<< shift
        block &+= 1
      }
    }
    return result
  }
}
