// The reconstruction of a row of macroblocks from modes and coefficients: prediction (RFC 6386, section 12) and
// addition of the residual (section 14.5). The loop filter follows.
//
// Pixels are predicted in place, in the rows that are written to the output:
//
//        lumaAbove        127 127 127 …           or the unfiltered last row of the macroblocks above
//                       ┌─────────────┬─────────────┬─
//   luma            129 │ macroblock  │ macroblock  │
//                   129 │      0      │      1      │
//
// The samples to the left of a macroblock are not filtered yet, because filtering starts when the row is complete. The
// samples above it are filtered already, so `TopSamples` has a copy from before the filter.
//
// Unsafe code: Preconditions check planes, strides, the rows above, and quantized coefficients for a complete row of
// macroblocks. Within the row, offsets depend only on the macroblock's column, never on the stream.
// Plain formula: `PlainVP8.predict` in Tests/PureWebPTests/Reference/PlainVP8.swift.

internal import WebPFormat

/// The planes' rows at a macroblock, and the lines above them.
@unsafe
private struct MacroblockPlanes {
  var luma: UnsafeMutableRawPointer
  var u: UnsafeMutableRawPointer
  var v: UnsafeMutableRawPointer
  var lumaAbove: UnsafeRawPointer
  var uAbove: UnsafeRawPointer
  var vAbove: UnsafeRawPointer
  let lumaStride: Int
  let chromaStride: Int

  /// Advances to the macroblock to the right.
  @inline(__always)
  mutating func advance() {
    unsafe luma += 16
    unsafe u += 8
    unsafe v += 8
    unsafe lumaAbove += 16
    unsafe uAbove += 8
    unsafe vAbove += 8
  }
}

extension YUVRows {
  /// Predicts a row of macroblocks and adds its residuals.
  ///
  /// Updates the macroblocks' extents with the DCs of luma that the inverse WHT computes.
  ///
  /// - Parameters:
  ///   - macroblocks: the row.
  ///   - quantized: the row's coefficients.
  ///   - factors: the factors of the four segments.
  ///   - lumaStart: the index in `luma` of the row's first sample. The column to the left of it is the border.
  ///   - chromaStart: the same for `u` and `v`.
  ///   - above: the samples above the row.
  ///   - isFirst: the row is the first of the image.
  mutating func reconstruct(
    _ macroblocks: inout ContiguousArray<Macroblock>, _ quantized: QuantizedCoefficients,
    _ factors: ContiguousArray<DequantizationFactors>, lumaStart: Int, chromaStart: Int, below above: TopSamples,
    isFirst: Bool
  ) {
    let columns = macroblocks.count
    precondition(quantized.bytes.count == columns &* Macroblock.coefficientCount)
    precondition(lumaStart >= 1 && chromaStart >= 1)
    checkBounds(columns: columns, rowsAbove: 0, lumaStart: lumaStart, chromaStart: chromaStart)
    precondition(above.luma.count >= TopSamples.start &+ columns &* 16 &+ 4)
    precondition(min(above.u.count, above.v.count) >= TopSamples.start &+ columns &* 8)

    unsafe luma.withUnsafeMutableBytes { luma in
      unsafe u.withUnsafeMutableBytes { u in
        unsafe v.withUnsafeMutableBytes { v in
          unsafe QuantizedCoefficients.withCoefficients { coefficients in
            unsafe above.withUnsafePointers { lumaAbove, uAbove, vAbove in
              var planes = unsafe MacroblockPlanes(
                luma: luma.baseAddress! + lumaStart, u: u.baseAddress! + chromaStart, v: v.baseAddress! + chromaStart,
                lumaAbove: lumaAbove, uAbove: uAbove, vAbove: vAbove,
                lumaStride: lumaStride, chromaStride: chromaStride)
              var overflowCount = 0
              var macroblocks = macroblocks.mutableSpan
              for x in macroblocks.indices {
                let neighbors = Neighbors(hasLeft: x > 0, hasAbove: !isFirst)
                let factors = factors[Int(macroblocks[x].segment & 3)]
                let areSmall = unsafe quantized.expand(macroblocks[x], at: x, to: coefficients, after: &overflowCount)
                unsafe removeLostDCs(&macroblocks[x], coefficients, factors)
                unsafe reconstructLuma(&macroblocks[x], coefficients, areSmall: areSmall, factors, planes, neighbors)
                unsafe reconstructChroma(macroblocks[x], coefficients, factors.uv, planes, neighbors)
                unsafe planes.advance()
              }
            }
          }
        }
      }
    }
  }
}

extension TopSamples {
  /// Calls `body` with the pixels above the first macroblock in each plane.
  @inline(__always)
  fileprivate func withUnsafePointers(_ body: (UnsafeRawPointer, UnsafeRawPointer, UnsafeRawPointer) -> Void) {
    unsafe luma.withUnsafeBytes { luma in
      unsafe u.withUnsafeBytes { u in
        unsafe v.withUnsafeBytes { v in
          unsafe body(
            luma.baseAddress! + Self.start, u.baseAddress! + Self.start, v.baseAddress! + Self.start)
        }
      }
    }
  }
}

// MARK: Luma

@inline(__always)
private func reconstructLuma(
  _ macroblock: inout Macroblock, _ coefficients: UnsafeMutablePointer<Int16>, areSmall: Bool,
  _ factors: DequantizationFactors, _ planes: MacroblockPlanes, _ neighbors: Neighbors
) {
  if macroblock.usesSubblockModes {
    unsafe reconstructSubblocks(
      macroblock, coefficients + Macroblock.luma, factors.y1,
      neverOverflows: areSmall && factors.y1.neverOverflows && macroblock.lumaExtents != 0, planes.luma,
      stride: planes.lumaStride, above: planes.lumaAbove)
    return
  }
  let (plane, stride) = unsafe (planes.luma, planes.lumaStride)
  unsafe predictLuma(macroblock.lumaMode, plane, stride: stride, above: planes.lumaAbove, neighbors)
  if macroblock.hasY2 {
    let nonzero = unsafe inverseWHT(coefficients, factors.y2, into: coefficients + Macroblock.luma)
    let occupied = (macroblock.lumaExtents | macroblock.lumaExtents &>> 1) & 0x5555_5555
    macroblock.lumaExtents |= nonzero.bitsSpread & ~occupied  // `dcOnly` where they were `empty`
  }
  let neverOverflows = areSmall && factors.y1WithoutDC.neverOverflows
  var extents = macroblock.lumaExtents
  var block = unsafe UnsafePointer(coefficients + Macroblock.luma)
  var target = unsafe plane
  while extents != 0 {
    for pair in 0..<2 {
      if extents & 15 != BlockExtent.empty {
        unsafe addPair(
          extents & 15, block, factors.y1WithoutDC, neverOverflows: neverOverflows, to: target + pair &* 8,
          stride: stride)
      }
      extents &>>= 4
      unsafe block += 32
    }
    unsafe target += 4 &* stride
  }
}

// MARK: Chroma

@inline(__always)
private func reconstructChroma(
  _ macroblock: Macroblock, _ coefficients: UnsafePointer<Int16>, _ factors: BlockFactors, _ planes: MacroblockPlanes,
  _ neighbors: Neighbors
) {
  let (mode, stride) = unsafe (macroblock.chromaMode, planes.chromaStride)
  unsafe predictChroma(mode, planes.u, stride: stride, above: planes.uAbove, neighbors)
  unsafe predictChroma(mode, planes.v, stride: stride, above: planes.vAbove, neighbors)
  guard macroblock.chromaExtents != 0 else { return }
  unsafe addChroma(
    macroblock.chromaExtents & 0xFF, coefficients + Macroblock.u, factors, to: planes.u, stride: stride)
  unsafe addChroma(
    macroblock.chromaExtents &>> 8, coefficients + Macroblock.v, factors, to: planes.v, stride: stride)
}

/// Adds the residuals of a chroma plane. If any block has more than a DC, all blocks use the complete transform.
@inline(__always)
private func addChroma(
  _ extents: UInt32, _ coefficients: UnsafePointer<Int16>, _ factors: BlockFactors, to plane: UnsafeMutableRawPointer,
  stride: Int
) {
  let extents = extents & 0b10_10_10_10 == 0 ? extents : 0b01_01_01_01 &* BlockExtent.full
  @inline(__always) func add(_ extents: UInt32, _ block: UnsafePointer<Int16>, _ target: UnsafeMutableRawPointer) {
    unsafe addPair(extents, block, factors, neverOverflows: false, to: target, stride: stride)
  }
  unsafe add(extents & 15, coefficients, plane)
  unsafe add(extents &>> 4, coefficients + 32, plane + 4 &* stride)
}

/// Marks a block as `empty` if its only coefficient becomes 0 modulo 2¹⁶ after dequantization. Only corrupt files have
/// such blocks. The mark determines whether the macroblock's subblock edges are filtered.
@inline(__always)
private func removeLostDCs(
  _ macroblock: inout Macroblock, _ coefficients: UnsafePointer<Int16>, _ factors: DequantizationFactors
) {
  @inline(__always) func remaining(_ extents: UInt32, _ start: Int, _ count: Int, _ factors: BlockFactors) -> UInt32 {
    guard factors.losesDCs else { return extents }
    var extents = extents
    for block in 0..<count {
      let shift = UInt32(2 &* block)
      let isLost = unsafe coefficients[start &+ block &* 16] &* factors.dc == 0
      if extents >> shift & 3 == BlockExtent.dcOnly, isLost { extents &= ~(3 << shift) }
    }
    return extents
  }
  // Without subblock modes, the DCs of luma are outputs of the inverse WHT.
  if macroblock.usesSubblockModes {
    macroblock.lumaExtents = remaining(macroblock.lumaExtents, Macroblock.luma, 16, factors.y1)
  }
  macroblock.chromaExtents = remaining(macroblock.chromaExtents, Macroblock.u, 8, factors.uv)
}

extension UInt32 {
  /// The low 16 bits, moved to the even bit positions.
  fileprivate var bitsSpread: UInt32 {
    var x = self & 0xFFFF
    x = (x | x &<< 8) & 0x00FF_00FF
    x = (x | x &<< 4) & 0x0F0F_0F0F
    x = (x | x &<< 2) & 0x3333_3333
    return (x | x &<< 1) & 0x5555_5555
  }
}
