/// The first coded position of a block (RFC 6386, section 13). It is 1 if the DC is an output of the inverse WHT.
@inline(__always)
func firstPosition(type: Int) -> Int { type == 0 ? 1 : 0 }

/// The raster position in the block for each coding position (section 13).
let zigzag: [UInt8] = [0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15]

/// For each coding position, the index of its band's probabilities in the probabilities of a type: 33 for each band
/// (section 13.3).
let firstNodes: [UInt8] = [0, 33, 66, 99, 198, 132, 165, 198, 198, 198, 198, 198, 198, 198, 198, 231]
