/// The first coded position of a block. It is 1 if the DC is an output of the inverse WHT.
@inline(__always)
func firstPosition(type: Int) -> Int { type == 0 ? 1 : 0 }

/// Section 13: from coding position to raster position in the block.
let zigzag: [UInt8] = [0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15]

/// Section 13.3: from coding position to band.
let coefficientBands: [UInt8] = [0, 1, 2, 3, 6, 4, 5, 6, 6, 6, 6, 6, 6, 6, 6, 7]
