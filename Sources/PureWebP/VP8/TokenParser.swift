// The coefficients of macroblocks (RFC 6386, section 13), from the token partitions.
//
// Whether a block has coefficients is the context of the blocks to its right and below it. A macroblock leaves nine
// such bits to each side:
//
//   bit   0 … 3          4, 5         6, 7        8
//         luma,          U            V           Y2
//         left to right (of the row below) or top to bottom (of the macroblock to the right)

/// Parses the coefficients of a frame, row by row.
struct TokenParser {
  private let trees: Trees
  private let factors: [DequantizationFactors]
  /// One for each token partition: row r is in partition r modulo their number (section 9.5).
  private var decoders: ContiguousArray<BoolDecoder?>
  private var above: ContiguousArray<UInt32>
  private var left: UInt32 = 0
  private var column = 0

  private struct Trees {
    let y1: TokenTree
    let y2: TokenTree
    let uv: TokenTree
    let y1WithDC: TokenTree
  }

  init(_ header: FrameHeader) {
    let probabilities = header.coefficientProbabilities
    trees = Trees(
      y1: TokenTree(type: 0, probabilities), y2: TokenTree(type: 1, probabilities),
      uv: TokenTree(type: 2, probabilities), y1WithDC: TokenTree(type: 3, probabilities))
    factors = DequantizationFactors.ofSegments(header)
    decoders = .init(repeating: nil, count: header.partitionCount)
    above = .init(repeating: 0, count: header.macroblockColumns)
  }

  /// Parses the coefficients of row `y`, or of what is left of it.
  ///
  /// - Parameter bytes: of the row's partition, as far as they have come.
  /// - Returns: false if the bytes end before the row does. What has been parsed stays; when more bytes have come, call
  ///   again.
  mutating func parseRow(_ row: inout MacroblockRow, at y: Int, _ bytes: Span<UInt8>) -> Bool {
    parseRow(&row.macroblocks, &row.coefficients, at: y, bytes)
  }

  private mutating func parseRow(
    _ macroblocks: inout ContiguousArray<Macroblock>, _ coefficients: inout ContiguousArray<Int16>, at y: Int,
    _ bytes: Span<UInt8>
  ) -> Bool {
    let partition = y & (decoders.count - 1)
    if bytes.isEmpty { return false }
    var decoder = decoders[partition] ?? BoolDecoder(bytes)
    var macroblocks = macroblocks.mutableSpan
    var coefficients = coefficients.mutableSpan
    while column < macroblocks.count {
      let before = decoder
      let contexts = (above: above[column], left: left)
      if macroblocks[column].isSkipped {
        skip(keepsY2: macroblocks[column].usesSubblockModes)
      } else {
        parse(&macroblocks[column], &decoder, bytes, &coefficients)
      }
      if decoder.isExhausted(bytes) {
        (above[column], left) = contexts
        decoders[partition] = before
        return false
      }
      column += 1
    }
    decoders[partition] = decoder
    column = 0
    left = 0
    return true
  }

  /// A macroblock without coefficients: so its neighbours see it, but for the Y2 block it may not have.
  private mutating func skip(keepsY2: Bool) {
    let kept: UInt32 = keepsY2 ? 1 << 8 : 0
    above[column] &= kept
    left &= kept
  }

  @inline(__always)
  private mutating func parse(
    _ macroblock: inout Macroblock, _ decoder: inout BoolDecoder, _ bytes: Span<UInt8>,
    _ coefficients: inout MutableSpan<Int16>
  ) {
    let base = column &* MacroblockRow.coefficientsPerMacroblock
    let factors = self.factors[Int(macroblock.segment)]
    var contexts = Contexts(above: above[column], left: left)
    if macroblock.usesSubblockModes {
      macroblock.lumaCodes = Self.plane(
        4, at: 0, trees.y1WithDC, first: 0, factors.y1, &contexts, &decoder, bytes, &coefficients, base)
    } else {
      let length = decoder.block(
        trees.y2.nodes.span, first: 0, context: contexts.count(x: 8, y: 8), bytes, factors: factors.y2, &coefficients,
        at: base &+ MacroblockRow.y2Offset)
      contexts.set(x: 8, y: 8, length > 0)
      macroblock.y2Length = UInt8(truncatingIfNeeded: length)
      macroblock.lumaCodes = Self.plane(
        4, at: 0, trees.y1, first: 1, factors.y1, &contexts, &decoder, bytes, &coefficients, base)
    }
    let u = Self.plane(
      2, at: 4, trees.uv, first: 0, factors.uv, &contexts, &decoder, bytes, &coefficients, base &+ 256)
    let v = Self.plane(
      2, at: 6, trees.uv, first: 0, factors.uv, &contexts, &decoder, bytes, &coefficients, base &+ 320)
    macroblock.chromaCodes = u | v << 8
    above[column] = contexts.above
    left = contexts.left
  }

  /// The blocks of a plane, `size` · `size` of them, and their codes.
  ///
  /// - Parameters:
  ///   - bit: where the plane's bits are in the contexts.
  ///   - offset: of the first block's coefficients.
  @inline(__always)
  private static func plane(
    _ size: Int, at bit: Int, _ tree: TokenTree, first: Int, _ factors: SIMD16<Int16>, _ contexts: inout Contexts,
    _ decoder: inout BoolDecoder, _ bytes: Span<UInt8>, _ coefficients: inout MutableSpan<Int16>, _ offset: Int
  ) -> UInt32 {
    let nodes = tree.nodes.span
    var codes: UInt32 = 0
    for y in 0..<size {
      for x in 0..<size {
        let block = y &* size &+ x
        let place = offset &+ block &* 16
        let length = decoder.block(
          nodes, first: first, context: contexts.count(x: bit &+ x, y: bit &+ y), bytes, factors: factors,
          &coefficients,
          at: place)
        contexts.set(x: bit &+ x, y: bit &+ y, length > first)
        var code = CoefficientCode.empty
        if length > first {
          code =
            length > 3
            ? CoefficientCode.full
            : length > 1
              ? CoefficientCode.short : coefficients[place] != 0 ? CoefficientCode.dcOnly : CoefficientCode.empty
        }
        codes |= code &<< UInt32(truncatingIfNeeded: block &* 2)
      }
    }
    return codes
  }

  /// The bits that lie above and to the left of a macroblock, and then those that it leaves.
  private struct Contexts {
    var above: UInt32
    var left: UInt32

    @inline(__always)
    func count(x: Int, y: Int) -> Int { Int(above >> UInt32(x) & 1 &+ left >> UInt32(y) & 1) }

    @inline(__always)
    mutating func set(x: Int, y: Int, _ hasCoefficients: Bool) {
      let bit: UInt32 = hasCoefficients ? 1 : 0
      above = above & ~(1 << UInt32(x)) | bit << UInt32(x)
      left = left & ~(1 << UInt32(y)) | bit << UInt32(y)
    }
  }
}
