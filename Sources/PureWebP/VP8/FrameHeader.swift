/// The header of a key frame (RFC 6386, sections 9.2 to 9.11 and 19.2).
struct FrameHeader {
  var width = 0
  var height = 0
  var segmentation = Segmentation()
  var filter = FilterHeader()
  /// 1, 2, 4 or 8 (section 9.5).
  var partitionCount = 1
  var quantizer = QuantizerHeader()

  var macroblockColumns: Int { (width + 15) >> 4 }
  var macroblockRows: Int { (height + 15) >> 4 }
}

/// Section 9.3.
struct Segmentation {
  var isEnabled = false
  var updatesMap = false
  /// Whether the segments' values replace those of the frame (true) or are added to them.
  var usesAbsoluteValues = true
  var quantizers: SIMD4<Int32> = .zero
  var filterLevels: SIMD4<Int32> = .zero
  /// Of the tree that a macroblock's segment is coded with.
  var treeProbabilities: SIMD4<UInt8> = .init(repeating: 255)
}

/// Section 9.6, and 9.3 of the text on deltas.
struct FilterHeader {
  var isSimple = false
  /// 0...63; 0: no filtering at all, whatever the segments say.
  var level: Int32 = 0
  /// 0...7
  var sharpness: Int32 = 0
  var usesDeltas = false
  /// For the reference frame; only the first, intra, matters here.
  var referenceDeltas: SIMD4<Int32> = .zero
  /// For the mode; only the first, of macroblocks with subblock modes, matters here.
  var modeDeltas: SIMD4<Int32> = .zero
}

/// Section 9.6: an index, and differences from it.
struct QuantizerHeader {
  var base: Int32 = 0
  var y1DC: Int32 = 0
  var y2DC: Int32 = 0
  var y2AC: Int32 = 0
  var uvDC: Int32 = 0
  var uvAC: Int32 = 0
}
