import ConformanceGenerator
import Testing

@testable import PureWebP

/// Proves that reconstruction row by row gives the same image as reconstruction of the complete image.
/// Expected values: `TwinPicture`, which predicts, adds and filters one pixel at a time.
@Suite struct ReconstructionTests {
  struct Filtering: CustomTestStringConvertible, Sendable {
    var isSimple = false
    var level: Int32 = 0
    var sharpness: Int32 = 0
    var bypassed = false
    var testDescription: String { "\(self)" }
    /// The number of rows that are not finished before the rows below them are filtered.
    var rowsHeldBack: Int { level == 0 || bypassed ? 0 : isSimple ? 2 : 8 }
  }

  private static let sizes = [(16, 16), (1, 1), (9, 70), (75, 16), (64, 64), (50, 37)]
  private static let filterings = [
    Filtering(), Filtering(level: 30, bypassed: true), Filtering(level: 12), Filtering(level: 63, sharpness: 7),
    Filtering(level: 45, sharpness: 3), Filtering(isSimple: true, level: 20), Filtering(isSimple: true, level: 63),
  ]

  @Test(arguments: filterings) func rowsMatchTheCompleteImage(_ filtering: Filtering) {
    for (i, (width, height)) in Self.sizes.enumerated() {
      for trial in 0..<4 {
        var numbers = SplitMix64(seed: UInt64(1000 * i + trial))
        var header = FrameHeader(width: width, height: height)
        header.filter.isSimple = filtering.isSimple
        header.filter.level = filtering.level
        header.filter.sharpness = filtering.sharpness
        header.segmentation.isEnabled = trial & 1 != 0
        header.segmentation.usesAbsoluteValues = false
        header.segmentation.filterLevels = [0, -70, 20, -8]
        header.filter.usesDeltas = trial & 2 != 0
        header.filter.referenceDeltas[0] = 3
        header.filter.modeDeltas[0] = -5
        header.segmentation.quantizers = [0, 3, 90, 31]
        header.quantizer.base = [0, 31, 60, 127][trial]
        header.quantizer.y2AC = 5
        header.quantizer.uvDC = -3
        let rows = (0..<header.macroblockRows).map { _ in
          Self.randomRow(header, filtering, damaged: trial == 3, &numbers)
        }
        let expected = TwinPicture(header, rows, bypassesLoopFilter: filtering.bypassed)
        for usesOneRow in [false, true] {
          let result = Self.reconstruct(header, rows, filtering, usesOneRow: usesOneRow)
          let chromaWidth = (width + 1) / 2
          for (plane, rows) in [result.luma, result.u, result.v].enumerated() {
            let (columns, lines) = plane == 0 ? (width, height) : (chromaWidth, (height + 1) / 2)
            let difference = firstDifference(rows, expected.cropped(plane, columns, lines), columns: columns)
            #expect(difference == nil, "plane \(plane) of \(width) × \(height), one row: \(usesOneRow)")
          }
        }
      }
    }
  }

  private func firstDifference(_ a: [UInt8], _ b: [UInt8], columns: Int) -> String? {
    guard a.count == b.count else { return "\(a.count) and \(b.count) pixels" }
    return a.indices.first { a[$0] != b[$0] }.map { "at \($0 % columns), \($0 / columns): \(a[$0]), \(b[$0])" }
  }

  /// The image, assembled from the rows as they are finished.
  private static func reconstruct(
    _ header: FrameHeader, _ rows: [MacroblockRow], _ filtering: Filtering, usesOneRow: Bool
  ) -> (luma: [UInt8], u: [UInt8], v: [UInt8]) {
    var reconstruction = Reconstruction(
      header: header, bypassesLoopFilter: filtering.bypassed, usesOneRow: usesOneRow, ditheringStrength: 0,
      shownColumns: 0..<header.width)
    var planes: (luma: [UInt8], u: [UInt8], v: [UInt8]) = ([], [], [])
    var row = rows[0]
    for y in rows.indices {
      if usesOneRow {
        (row.macroblocks, row.coefficients) = (rows[y].macroblocks, rows[y].coefficients)
      } else {
        row = rows[y]
      }
      reconstruction.reconstruct(&row, at: y)
      let output = row.pixels
      let upper = y == rows.count - 1 ? header.height : 16 * (y + 1) - filtering.rowsHeldBack
      #expect(output.rows == max(16 * y - filtering.rowsHeldBack, 0)..<upper)
      for line in 0..<output.rows.count {
        let start = output.lumaStart + line * output.lumaStride
        planes.luma += output.luma[start..<start + header.width]
      }
      for line in 0..<(output.rows.count + 1) / 2 {
        let start = output.chromaStart + line * output.chromaStride
        planes.u += output.u[start..<start + (header.width + 1) / 2]
        planes.v += output.v[start..<start + (header.width + 1) / 2]
      }
    }
    return planes
  }

  // MARK: Random macroblocks

  private static func randomRow(
    _ header: FrameHeader, _ filtering: Filtering, damaged: Bool, _ numbers: inout SplitMix64
  ) -> MacroblockRow {
    let columns = header.macroblockColumns
    var row = MacroblockRow(columns: columns, rowsHeldBack: filtering.rowsHeldBack)
    // Coefficients that are not coded have arbitrary values from earlier rows, which must have no effect.
    for i in row.coefficients.bytes.indices { row.coefficients.bytes[i] = Int8.random(in: -128...127, using: &numbers) }
    for x in 0..<columns {
      row.macroblocks[x] = randomMacroblock(
        &row.coefficients, at: x * QuantizedCoefficients.perMacroblock, damaged: damaged, &numbers)
    }
    return row
  }

  private static func randomMacroblock(
    _ levels: inout QuantizedCoefficients, at start: Int, damaged: Bool, _ numbers: inout SplitMix64
  ) -> Macroblock {
    var macroblock = Macroblock()
    let modes: [MacroblockMode] = [.dc, .vertical, .horizontal, .trueMotion]
    macroblock.usesSubblockModes = Bool.random(using: &numbers)
    macroblock.lumaMode = modes.randomElement(using: &numbers)!
    macroblock.chromaMode = modes.randomElement(using: &numbers)!
    macroblock.segment = UInt8.random(in: 0...3, using: &numbers)
    if macroblock.usesSubblockModes {
      for i in 0..<16 { macroblock.subblockModes |= UInt64.random(in: 0...9, using: &numbers) << UInt64(4 * i) }
    }
    macroblock.isSkipped = UInt8.random(in: 0..<5, using: &numbers) == 0
    if macroblock.isSkipped { return macroblock }

    // The greatest coefficient that can be coded is 2114.
    let limit: Int16 = damaged ? 2114 : [2, 10, 150].randomElement(using: &numbers)!
    func value(_ limit: Int16) -> Int16 { Int16.random(in: -limit...limit, using: &numbers) }
    func set(_ value: Int16, at place: Int) {
      levels.bytes[start + place] = levels.overflow.split(Int(value), at: start + place)
    }
    let likely = [1, 2, 5].randomElement(using: &numbers)!
    for block in 0..<24 {
      let isLuma = block < 16
      var code = UInt32.random(in: 0...3, using: &numbers)
      if Int.random(in: 0...likely, using: &numbers) == 0 { code = 0 }
      if isLuma && !macroblock.usesSubblockModes && code == BlockExtent.dcOnly { code = BlockExtent.empty }
      if !isLuma && code == BlockExtent.short { code = BlockExtent.full }
      let hasDC = !isLuma || macroblock.usesSubblockModes
      for i in 0..<16 {
        let level: Int16 =
          switch code {
          case BlockExtent.empty: 0
          // The 16-bit product of 2048 and some factors is 0.
          case BlockExtent.dcOnly:
            i > 0 ? 0 : Int.random(in: 0..<4, using: &numbers) > 0 ? max(value(limit), 1) : 2048
          case BlockExtent.short: [0, 1, 4].contains(i) ? value(limit) : 0
          default: value(limit)
          }
        set(i > 0 || hasDC ? level : 0, at: QuantizedCoefficients.luma + block * 16 + i)
      }
      if isLuma {
        macroblock.lumaExtents |= code << UInt32(2 * block)
      } else {
        macroblock.chromaExtents |= code << UInt32(2 * (block - 16))
      }
    }
    if !macroblock.usesSubblockModes {
      let length = [0, 1, 1, 2, 7, 16].randomElement(using: &numbers)!
      macroblock.hasY2 = length > 0
      for i in 0..<16 { set(i < length ? value(limit) : 0, at: i) }
    }
    return macroblock
  }
}

/// A complete image that the reference functions compute: prediction and residual, then the loop filter.
private struct TwinPicture {
  let columns: Int
  let rows: Int
  var planes: [[UInt8]] = []

  init(_ header: FrameHeader, _ parsed: [MacroblockRow], bypassesLoopFilter: Bool) {
    columns = header.macroblockColumns
    rows = header.macroblockRows
    planes = [16, 8, 8].map { [UInt8](repeating: 0, count: columns * rows * $0 * $0) }
    var hasCoefficients = [Bool](repeating: false, count: columns * rows)
    for y in 0..<rows {
      for x in 0..<columns {
        let coefficients = Self.coefficients(parsed[y].coefficients, of: x)
        let macroblock = parsed[y].macroblocks[x]
        let factors = DequantizationFactors.ofSegments(header)[Int(macroblock.segment)]
        let products = coefficients.indices.map { place in
          let isDC = place % 16 == 0
          if place < 256, !macroblock.usesSubblockModes, isDC { return coefficients[place] }
          let block = place < 256 ? factors.y1 : place < 384 ? factors.uv : factors.y2
          return coefficients[place] &* (isDC ? block.dc : block.ac)
        }
        hasCoefficients[y * columns + x] = reconstruct(macroblock, products, x, y)
      }
    }
    guard header.filter.level != 0, !bypassesLoopFilter else { return }
    for y in 0..<rows {
      for x in 0..<columns {
        filter(header, parsed[y].macroblocks[x], hasCoefficients[y * columns + x], x, y)
      }
    }
  }

  /// The coefficients of a macroblock: luma, U, V and Y2.
  private static func coefficients(_ levels: QuantizedCoefficients, of column: Int) -> [Int16] {
    let place = column * QuantizedCoefficients.perMacroblock
    var coefficients = levels.bytes[place..<place + QuantizedCoefficients.perMacroblock].map { Int16($0) }
    for large in levels.overflow.coefficients {
      let index = Int(large.index) - place
      if coefficients.indices.contains(index) { coefficients[index] = large.value }
    }
    return Array(coefficients[16...] + coefficients[..<16])
  }

  func cropped(_ plane: Int, _ width: Int, _ height: Int) -> [UInt8] {
    let stride = columns * (plane == 0 ? 16 : 8)
    return (0..<height).flatMap { planes[plane][$0 * stride..<$0 * stride + width] }
  }

  /// A pixel, or the border's value (section 12.2). In the first row of macroblocks, the upper left pixel belongs to
  /// the row above; in other rows, to the left column.
  private func pixel(_ plane: Int, _ x: Int, _ y: Int) -> UInt8 {
    if y < 0 { return 127 }
    if x < 0 { return 129 }
    return planes[plane][y * columns * (plane == 0 ? 16 : 8) + x]
  }

  /// Returns whether the macroblock has a residual.
  private mutating func reconstruct(_ macroblock: Macroblock, _ coded: [Int16], _ x: Int, _ y: Int) -> Bool {
    var coefficients = coded
    var codes = (0..<16).map { (macroblock.lumaExtents >> UInt32(2 * $0)) & 3 }
    codes += (0..<8).map { (macroblock.chromaExtents >> UInt32(2 * $0)) & 3 }
    for block in codes.indices where codes[block] == BlockExtent.dcOnly && coefficients[block * 16] == 0 {
      codes[block] = BlockExtent.empty
    }
    if macroblock.hasY2 {
      let dcs = Twin.inverseWHT(Array(coefficients[384..<400]))
      for block in 0..<16 {
        coefficients[block * 16] = dcs[block]
        if codes[block] == 0 && dcs[block] != 0 { codes[block] = BlockExtent.dcOnly }
      }
    }
    for plane in 0..<3 {
      let blocks = plane == 0 ? 0..<16 : plane == 1 ? 16..<20 : 20..<24
      let isFull = plane > 0 && codes[blocks].contains { $0 >= 2 }
      let size = plane == 0 ? 16 : 8
      let (left, top) = (x * size, y * size)
      if plane > 0 || !macroblock.usesSubblockModes {
        let block = Twin.predict(
          plane == 0 ? macroblock.lumaMode : macroblock.chromaMode, size: size,
          above: (0..<size).map { pixel(plane, left + $0, top - 1) },
          left: (0..<size).map { pixel(plane, left - 1, top + $0) },
          corner: pixel(plane, left - 1, top - 1), hasAbove: y > 0, hasLeft: x > 0)
        for (i, value) in block.enumerated() { set(plane, left + i % size, top + i / size, value) }
      }
      for (i, block) in blocks.enumerated() {
        let (bx, by) = (left + i % (size / 4) * 4, top + i / (size / 4) * 4)
        if plane == 0 && macroblock.usesSubblockModes {
          predictSubblock(macroblock, i, bx, by, mbx: x, mby: y)
        }
        let code = isFull && codes[block] != 0 ? BlockExtent.full : codes[block]
        let residual = Twin.residual(code, Array(coefficients[block * 16..<block * 16 + 16]))
        for j in 0..<16 {
          set(plane, bx + j % 4, by + j / 4, Twin.sum(pixel(plane, bx + j % 4, by + j / 4), residual[j]))
        }
      }
    }
    return codes.contains { $0 != 0 }
  }

  private mutating func predictSubblock(_ macroblock: Macroblock, _ i: Int, _ bx: Int, _ by: Int, mbx: Int, mby: Int) {
    var above = (0..<8).map { j -> UInt8 in
      j < 4 || i % 4 < 3 ? pixel(0, bx + j, by - 1) : 0
    }
    if i % 4 == 3 {
      // The row above the macroblock, for all rows of subblocks. At the right end, its last pixel is repeated.
      for j in 0..<4 {
        let x = mby > 0 ? min(bx + 4 + j, columns * 16 - 1) : bx + 4 + j
        above[4 + j] = pixel(0, x, mby * 16 - 1)
      }
    }
    let mode = SubblockMode(rawValue: UInt8((macroblock.subblockModes >> UInt64(4 * i)) & 15))!
    let block = Twin.predict(
      mode, above: above, left: (0..<4).map { pixel(0, bx - 1, by + $0) }, corner: pixel(0, bx - 1, by - 1))
    for (j, value) in block.enumerated() { set(0, bx + j % 4, by + j / 4, value) }
  }

  private mutating func set(_ plane: Int, _ x: Int, _ y: Int, _ value: UInt8) {
    planes[plane][y * columns * (plane == 0 ? 16 : 8) + x] = value
  }

  // MARK: Loop filter

  private mutating func filter(
    _ header: FrameHeader, _ macroblock: Macroblock, _ hasCoefficients: Bool, _ x: Int, _ y: Int
  ) {
    var level = Int(header.filter.level)
    if header.segmentation.isEnabled { level += Int(header.segmentation.filterLevels[Int(macroblock.segment)]) }
    if header.filter.usesDeltas {
      level += Int(header.filter.referenceDeltas[0])
      if macroblock.usesSubblockModes { level += Int(header.filter.modeDeltas[0]) }
    }
    level = min(max(level, 0), 63)
    guard level > 0 else { return }
    let limits = Twin.Limits(level: level, sharpness: Int(header.filter.sharpness))
    let hasInner = macroblock.usesSubblockModes || (hasCoefficients && !macroblock.isSkipped)
    for plane in 0..<(header.filter.isSimple ? 1 : 3) {
      let size = plane == 0 ? 16 : 8
      for isDownwards in [true, false] {  // vertical edges first
        for position in stride(from: 0, to: size, by: 4) {
          let isOuter = position == 0
          if isOuter ? (isDownwards ? x == 0 : y == 0) : !hasInner { continue }
          let kind = header.filter.isSimple ? Twin.Filter.simple : isOuter ? .outer : .inner
          for along in 0..<size {
            let places = (-4..<4).map { across in
              isDownwards
                ? (x * size + position + across, y * size + along) : (x * size + along, y * size + position + across)
            }
            let result = Twin.filter(
              kind, places.map { pixel(plane, $0.0, $0.1) }, edge: limits.edge(kind, isMacroblockEdge: isOuter),
              interior: limits.interior, highVariance: limits.highVariance)
            for (place, value) in zip(places, result) { set(plane, place.0, place.1, value) }
          }
        }
      }
    }
  }
}
