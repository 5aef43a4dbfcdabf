/// Blends one pixel over another, neither premultiplied, with libwebp's arithmetic (RFC 9649, section 2.7.1.1).
func blendPixel(_ over: UInt32, _ under: UInt32) -> UInt32 {
  let alpha = over &>> 24
  if alpha == 255 { return over }
  if alpha == 0 { return under }
  let kept = ((under &>> 24) &* (256 &- alpha)) &>> 8
  let sum = alpha &+ kept
  let scale = (1 &<< 24) / sum  // the sum is not 0, because alpha is not
  var pixel = sum &<< 24
  for shift in stride(from: 0 as UInt32, to: 24, by: 8) {
    let weighted = (over &>> shift & 255) &* alpha &+ (under &>> shift & 255) &* kept
    pixel |= ((weighted &* scale) &>> 24) &<< shift
  }
  return pixel
}
