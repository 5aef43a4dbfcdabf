// One function for each vector operation. The script `check` counts its instructions. Arguments are loaded from `p` and
// results are stored to `q`, so that the calling convention does not affect the counts.

internal import WebPFormat

public typealias Halves = UnsafeMutablePointer<SIMD8<UInt8>>
public typealias Vectors8 = UnsafeMutablePointer<SIMD16<UInt8>>
public typealias Vectors16 = UnsafeMutablePointer<SIMD8<UInt16>>
public typealias SignedVectors16 = UnsafeMutablePointer<SIMD8<Int16>>
public typealias Vectors32 = UnsafeMutablePointer<SIMD4<UInt32>>
public typealias SignedVectors32 = UnsafeMutablePointer<SIMD4<Int32>>
public typealias Vectors64 = UnsafeMutablePointer<SIMD2<UInt64>>

@_silgen_name("probe_and") public func and(_ p: Vectors8, _ q: Vectors8) {
  unsafe q[0] = p[0].and(p[1])
}
@_silgen_name("probe_or") public func or(_ p: Vectors8, _ q: Vectors8) {
  unsafe q[0] = p[0].or(p[1])
}
@_silgen_name("probe_xor") public func xor(_ p: Vectors8, _ q: Vectors8) {
  unsafe q[0] = p[0].xor(p[1])
}
@_silgen_name("probe_inverted") public func inverted(_ p: Vectors8, _ q: Vectors8) {
  unsafe q[0] = p[0].inverted
}
@_silgen_name("probe_isAtMost") public func isAtMost(_ p: Vectors8, _ q: Vectors8) {
  unsafe q[0] = p[0].isAtMost(p[1])
}
@_silgen_name("probe_isLess") public func isLess(_ p: Vectors8, _ q: Vectors8) {
  unsafe q[0] = p[0].isLess(than: p[1])
}
@_silgen_name("probe_minimum") public func minimum(_ p: Vectors8, _ q: Vectors8) {
  unsafe q[0] = p[0].minimum(p[1])
}
@_silgen_name("probe_maximum") public func maximum(_ p: Vectors8, _ q: Vectors8) {
  unsafe q[0] = p[0].maximum(p[1])
}
@_silgen_name("probe_addingSaturated") public func addingSaturated(_ p: Vectors8, _ q: Vectors8) {
  unsafe q[0] = p[0].addingSaturated(p[1])
}
@_silgen_name("probe_subtractingSaturated") public func subtractingSaturated(_ p: Vectors8, _ q: Vectors8) {
  unsafe q[0] = p[0].subtractingSaturated(p[1])
}
@_silgen_name("probe_absoluteDifference") public func absoluteDifference(_ p: Vectors8, _ q: Vectors8) {
  unsafe q[0] = p[0].absoluteDifference(p[1])
}
@_silgen_name("probe_average") public func average(_ p: Vectors8, _ q: Vectors8) {
  unsafe q[0] = p[0].average(p[1])
}
@_silgen_name("probe_following") public func following(_ p: Vectors8, _ q: Vectors8) {
  unsafe q[0] = p[0].following
}
@_silgen_name("probe_interleavedLow8") public func interleavedLow8(_ p: Vectors8, _ q: Vectors8) {
  unsafe q[0] = p[0].interleavedLow(p[1])
}
@_silgen_name("probe_interleavedHigh8") public func interleavedHigh8(_ p: Vectors8, _ q: Vectors8) {
  unsafe q[0] = p[0].interleavedHigh(p[1])
}
@_silgen_name("probe_interleavedHalves") public func interleavedHalves(_ p: Halves, _ q: Vectors8) {
  unsafe q[0] = p[0].interleaved(p[1])
}
@_silgen_name("probe_widenedLow") public func widenedLow(_ p: Vectors8, _ q: SignedVectors16) {
  unsafe q[0] = p[0].widenedLow
}
@_silgen_name("probe_widenedHigh") public func widenedHigh(_ p: Vectors8, _ q: SignedVectors16) {
  unsafe q[0] = p[0].widenedHigh
}
@_silgen_name("probe_and16") public func and16(_ p: Vectors16, _ q: Vectors16) {
  unsafe q[0] = p[0].and(p[1])
}
@_silgen_name("probe_or16") public func or16(_ p: Vectors16, _ q: Vectors16) {
  unsafe q[0] = p[0].or(p[1])
}
@_silgen_name("probe_addingSaturated16") public func addingSaturated16(_ p: Vectors16, _ q: Vectors16) {
  unsafe q[0] = p[0].addingSaturated(p[1])
}
@_silgen_name("probe_subtractingSaturated16") public func subtractingSaturated16(_ p: Vectors16, _ q: Vectors16) {
  unsafe q[0] = p[0].subtractingSaturated(p[1])
}
@_silgen_name("probe_multipliedHigh16") public func multipliedHigh16(_ p: Vectors16, _ q: Vectors16) {
  unsafe q[0] = p[0].multipliedHigh(19077)
}
@_silgen_name("probe_interleavedLow16") public func interleavedLow16(_ p: Vectors16, _ q: Vectors16) {
  unsafe q[0] = p[0].interleavedLow(p[1])
}
@_silgen_name("probe_interleavedHigh16") public func interleavedHigh16(_ p: Vectors16, _ q: Vectors16) {
  unsafe q[0] = p[0].interleavedHigh(p[1])
}
@_silgen_name("probe_multipliedHighSigned16") public func multipliedHighSigned16(
  _ p: SignedVectors16, _ q: SignedVectors16
) {
  unsafe q[0] = p[0].multipliedHigh(20091)
}
@_silgen_name("probe_narrowed16") public func narrowed16(_ p: SignedVectors16, _ q: Vectors8) {
  unsafe q[0] = p[0].narrowed(p[1])
}
@_silgen_name("probe_interleavedLow32") public func interleavedLow32(_ p: Vectors32, _ q: Vectors32) {
  unsafe q[0] = p[0].interleavedLow(p[1])
}
@_silgen_name("probe_interleavedHigh32") public func interleavedHigh32(_ p: Vectors32, _ q: Vectors32) {
  unsafe q[0] = p[0].interleavedHigh(p[1])
}
@_silgen_name("probe_narrowed32") public func narrowed32(_ p: SignedVectors32, _ q: SignedVectors16) {
  unsafe q[0] = ((p[0] &<< 13) &>> 16).narrowed((p[1] &<< 13) &>> 16)
}
@_silgen_name("probe_interleavedLow64") public func interleavedLow64(_ p: Vectors64, _ q: Vectors64) {
  unsafe q[0] = p[0].interleavedLow(p[1])
}
@_silgen_name("probe_interleavedHigh64") public func interleavedHigh64(_ p: Vectors64, _ q: Vectors64) {
  unsafe q[0] = p[0].interleavedHigh(p[1])
}
@_silgen_name("probe_productsHigh") public func productsHigh(_ p: Vectors32, _ q: Vectors32) {
  unsafe q[0] = (Products(p[0]) * p[1][0]).high.numbers
}
@_silgen_name("probe_productsRoundedHigh") public func productsRoundedHigh(_ p: Vectors32, _ q: Vectors32) {
  unsafe q[0] = (Products(p[0]) * p[1][0]).roundedHigh.numbers
}
