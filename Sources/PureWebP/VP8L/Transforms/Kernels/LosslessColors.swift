// The inverse color transform and the inverse subtract green transform (RFC 9649, sections 3.5.2 and 3.5.3), row by
// row.
//
// Four pixels are processed at a time. A 16-bit lane holds a signed channel · 256, or a factor · 8. The high half of
// their product is ⌊factor · channel / 32⌋.
//
// Unsafe code: Rows are from `LosslessPixels` and `RawPixels`, which check that the complete row is within the span.
// A precondition checks that the palette's table has an entry for each byte value.
// Plain formula: `PlainTransform` in Tests/TestSupport/PlainTransform.swift.

internal import WebPFormat

/// Adds green to red and blue, in `count` pixels.
func addGreen(
  _ count: Int, from source: Span<UInt32>, at index: Int, to target: inout MutableRawSpan, at offset: Int
) {
  let (source, target) = unsafe (source.pixels(count, at: index), target.pixels(count, atByte: offset))
  var x = 0
  let fours = count & ~3
  while x < fours {
    let pixels = unsafe source.fourPixels(x)
    let green = cast(pixels, as: Words.self) &>> 8
    // Words are red | green << 8 and blue | alpha << 8. Both get the green of the lower word.
    let low = cast(green, as: SIMD4<UInt32>.self) &<< 16
    let both = cast(low, as: Bytes.self).or(cast(low &>> 16, as: Bytes.self))
    unsafe target.store(pixels &+ both, x)
    x &+= 4
  }
  while x < count {
    let pixel = unsafe source.pixel(x)
    let green = pixel &>> 8 & 0xFF
    unsafe target.store(sum(pixel, green | green &<< 16), x)
    x &+= 1
  }
}

/// Adds the prediction of the color transform to red and blue, in a row of `width` pixels.
///
/// - Parameters:
///   - elements: the row's transform elements, one for each block.
///   - blockBits: the binary logarithm of the side of a block, at least 2.
func addColors(
  _ width: Int, from source: Span<UInt32>, at index: Int, to target: inout MutableRawSpan, at offset: Int,
  elements: Span<UInt32>, blockBits: Int
) {
  let (source, target) = unsafe (source.pixels(width, at: index), target.pixels(width, atByte: offset))
  var start = 0
  for block in elements.indices {
    let end = min(width, (block &+ 1) &<< blockBits)
    let element = ColorElement(elements[block])
    var x = start
    if element.isZero {
      while x &+ 4 <= end {
        unsafe target.store(source.fourPixels(x), x)
        x &+= 4
      }
    } else {
      let greenFactors = element.greenFactors
      let redFactors = element.redFactors
      while x &+ 4 <= end {
        unsafe target.store(colored(source.fourPixels(x), greenFactors, redFactors), x)
        x &+= 4
      }
    }
    while x < end {
      unsafe target.store(element.applied(to: source.pixel(x)), x)
      x &+= 1
    }
    start = end
  }
}

/// The factors of a block: signed 8-bit numbers, in units of 1/32.
private struct ColorElement {
  let redToBlue: Int32
  let greenToBlue: Int32
  let greenToRed: Int32

  /// The element that a pixel of the subresolution image stores.
  init(_ pixel: Pixel) {
    redToBlue = Self.signed(pixel)
    greenToBlue = Self.signed(pixel &>> 8)
    greenToRed = Self.signed(pixel &>> 16)
  }

  var isZero: Bool { redToBlue | greenToBlue | greenToRed == 0 }

  @inline(__always)
  private static func signed(_ byte: UInt32) -> Int32 { Int32(Int8(truncatingIfNeeded: byte)) }

  /// The factors · 8: green to red for the words of red, green to blue for the words of blue.
  var greenFactors: SignedWords { Self.words(greenToRed, greenToBlue) }
  var redFactors: SignedWords { Self.words(redToBlue, redToBlue) }

  private static func words(_ low: Int32, _ high: Int32) -> SignedWords {
    let low = UInt32(truncatingIfNeeded: low &<< 3) & 0xFFFF
    return cast(SIMD4(repeating: low | UInt32(truncatingIfNeeded: high &<< 19)), as: SignedWords.self)
  }

  @inline(__always)
  func applied(to pixel: Pixel) -> Pixel {
    let green = Self.signed(pixel &>> 8)
    let red = pixel &+ UInt32(bitPattern: (greenToRed &* green) &>> 5)
    let predicted = (greenToBlue &* green) &>> 5 &+ (redToBlue &* Self.signed(red)) &>> 5
    let blue = (pixel &>> 16 &+ UInt32(bitPattern: predicted)) & 0xFF
    return pixel & 0xFF00_FF00 | red & 0xFF | blue &<< 16
  }
}

@inline(__always)
private func colored(_ pixels: Bytes, _ greenFactors: SignedWords, _ redFactors: SignedWords) -> Bytes {
  let green = pixels.and(Bytes(0x0000_FF00))
  let greens = green.or(cast(cast(green, as: SIMD4<UInt32>.self) &<< 16, as: Bytes.self))
  // Red is final here. Blue still lacks the contribution of red.
  let first = pixels &+ cast(productsHigh(cast(greens, as: SignedWords.self), greenFactors), as: Bytes.self)
  let reds = cast(cast(first, as: Words.self) &<< 8, as: SignedWords.self)
  let fromRed = cast(productsHigh(reds, redFactors), as: SIMD4<UInt32>.self) &<< 16
  let second = first &+ cast(fromRed, as: Bytes.self)
  return second.and(Bytes(0x00FF_00FF)).or(pixels.and(Bytes(0xFF00_FF00)))
}

/// ⌊a · b / 65536⌋ in each lane. Compiles to pmulhw on x86-64.
@inline(__always)
private func productsHigh(_ a: SignedWords, _ b: SignedWords) -> SignedWords {
  var high = SignedWords()
  for lane in 0..<8 { high[lane] = Int16(truncatingIfNeeded: (Int32(a[lane]) &* Int32(b[lane])) &>> 16) }
  return high
}
