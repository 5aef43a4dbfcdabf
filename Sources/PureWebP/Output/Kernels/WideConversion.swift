// The conversion of `ColorConversion.swift` with vectors of 32 bytes. The trait AVX2 enables it.
//
// The instructions that interleave work on each half of a register separately. Therefore the lower half of all vectors
// has the pixels 0 to 15 of a block, and the upper half the pixels 16 to 31. The halves are stored separately.
//
// Unsafe code: Rows from `CheckedRows` have as many bytes as the loops process. The conversions require slack after
// a row if they read past its end. `ColorConversion` writes 64 bytes, and `WideConversion` 128, only if the row or a
// buffer has them.
// Plain formula: `PlainImage.rgba` in Tests/PureWebPTests/Reference/PlainImage.swift.

internal import WebPFormat

#if AVX2 && arch(x86_64)
  typealias WideBytes = SIMD32<UInt8>
  typealias WideWords = SIMD16<UInt16>

  /// Writes 32 pixels: 128 bytes at `output`.
  ///
  /// - Parameters:
  ///   - luma: Y of the pixels.
  ///   - alpha: A of the pixels.
  ///   - even: chroma of pixels 0, 2, … 30.
  ///   - odd: chroma of pixels 1, 3, … 31.
  ///   - output: a pointer to 128 bytes. The caller guarantees that they are writable.
  @inline(__always)
  func writeWidePixels(
    luma: WideBytes, alpha: WideBytes, even: WideChroma, odd: WideChroma, order: ChannelOrder,
    to output: UnsafeMutableRawPointer
  ) {
    let lumaPairs = cast(luma, as: WideWords.self)
    let alphaPairs = cast(alpha, as: WideWords.self)
    let high = WideWords(repeating: 0xFF00)
    let (evenRG, evenBA) = convert(luma: lumaPairs &<< 8, alpha: alphaPairs &<< 8, chroma: even, order: order)
    let (oddRG, oddBA) = convert(luma: lumaPairs.and(high), alpha: alphaPairs.and(high), chroma: odd, order: order)

    let even0 = cast(evenRG.interleavedLow(evenBA), as: SIMD8<UInt32>.self)
    let even1 = cast(evenRG.interleavedHigh(evenBA), as: SIMD8<UInt32>.self)
    let odd0 = cast(oddRG.interleavedLow(oddBA), as: SIMD8<UInt32>.self)
    let odd1 = cast(oddRG.interleavedHigh(oddBA), as: SIMD8<UInt32>.self)
    @inline(__always) func store(_ pixels: SIMD8<UInt32>, at offset: Int) {
      unsafe output.storeBytes(of: pixels.lowHalf, toByteOffset: offset, as: SIMD4<UInt32>.self)
      unsafe output.storeBytes(of: pixels.highHalf, toByteOffset: offset &+ 64, as: SIMD4<UInt32>.self)
    }
    store(even0.interleavedLow(odd0), at: 0)
    store(even0.interleavedHigh(odd0), at: 16)
    store(even1.interleavedLow(odd1), at: 32)
    store(even1.interleavedHigh(odd1), at: 48)
  }

  /// Chroma for sixteen pixels, as sample · 256.
  struct WideChroma {
    let u: WideWords
    let v: WideWords

    @inline(__always)
    init(u: Bytes, v: Bytes) {
      self.u = Self.words(u)
      self.v = Self.words(v)
    }

    @inline(__always)
    private static func words(_ samples: Bytes) -> WideWords {
      let low = Bytes.zero.interleavedLow(samples)
      return cast(WideBytes(lowHalf: low, highHalf: .zero.interleavedHigh(samples)), as: WideWords.self)
    }
  }

  /// Sixteen pixels as words of R | G << 8 and B | A << 8, or with R and B exchanged. All inputs are sample · 256.
  @inline(__always)
  private func convert(
    luma: WideWords, alpha: WideWords, chroma: WideChroma, order: ChannelOrder
  ) -> (rg: WideWords, ba: WideWords) {
    let y = luma.multipliedHigh(19077)
    let red = clamped(y &+ chroma.v.multipliedHigh(26149), minus: 14234)
    let green = clamped(
      y &+ WideWords(repeating: 8708), minus: chroma.u.multipliedHigh(6419) &+ chroma.v.multipliedHigh(13320))
    let blue = clamped(y &+ chroma.u.multipliedHigh(33050), minus: 17685)
    let (first, third) = order == .rgba ? (red, blue) : (blue, red)
    let low = WideWords(repeating: 0x00FF)
    let rg = (first &>> 6).and(low).or((green &<< 2).and(WideWords(repeating: 0xFF00)))
    let ba = (third &>> 6).and(low).or(alpha)
    return (rg, ba)
  }

  @inline(__always)
  private func clamped(_ value: WideWords, minus offset: UInt16) -> WideWords {
    clamped(value, minus: WideWords(repeating: offset))
  }

  /// (value − offset) clamped to 0 ..< 64 · 256, plus 0xC000. Bits 6 to 13 are the sample.
  @inline(__always)
  private func clamped(_ value: WideWords, minus offset: WideWords) -> WideWords {
    value.subtractingSaturated(offset).addingSaturated(WideWords(repeating: 0xC000))
  }

  // MARK: Operations of one instruction each

  extension UnsafeRawPointer {
    /// The 32 bytes from `offset` on.
    @inline(__always)
    func wideBytes(at offset: Int) -> WideBytes {
      unsafe loadUnaligned(fromByteOffset: offset, as: WideBytes.self)
    }
  }

  private typealias WideWordMask = SIMDMask<SIMD16<Int16>>

  extension SIMD16<UInt16> {
    @inline(__always)
    fileprivate func and(_ other: Self) -> Self {
      cast(cast(self, as: WideWordMask.self) .& cast(other, as: WideWordMask.self), as: Self.self)
    }

    @inline(__always)
    fileprivate func or(_ other: Self) -> Self {
      cast(cast(self, as: WideWordMask.self) .| cast(other, as: WideWordMask.self), as: Self.self)
    }

    @inline(__always)
    fileprivate func addingSaturated(_ other: Self) -> Self {
      let sum = self &+ other
      return cast(cast(sum, as: WideWordMask.self) .| (sum .< self), as: Self.self)
    }

    @inline(__always)
    fileprivate func subtractingSaturated(_ other: Self) -> Self {
      cast(cast(self &- other, as: WideWordMask.self) .& (self .> other), as: Self.self)
    }

    @inline(__always)
    fileprivate func multipliedHigh(_ factor: UInt32) -> Self {
      var high = Self()
      for lane in 0..<16 { high[lane] = UInt16(truncatingIfNeeded: (UInt32(self[lane]) &* factor) &>> 16) }
      return high
    }

    /// The first four lanes of each half of both, alternating.
    @inline(__always)
    fileprivate func interleavedLow(_ b: Self) -> Self {
      Self(
        self[0], b[0], self[1], b[1], self[2], b[2], self[3], b[3],
        self[8], b[8], self[9], b[9], self[10], b[10], self[11], b[11])
    }

    /// The last four lanes of each half of both, alternating.
    @inline(__always)
    fileprivate func interleavedHigh(_ b: Self) -> Self {
      Self(
        self[4], b[4], self[5], b[5], self[6], b[6], self[7], b[7],
        self[12], b[12], self[13], b[13], self[14], b[14], self[15], b[15])
    }
  }

  extension SIMD8<UInt32> {
    @inline(__always)
    fileprivate func interleavedLow(_ b: Self) -> Self {
      Self(self[0], b[0], self[1], b[1], self[4], b[4], self[5], b[5])
    }

    @inline(__always)
    fileprivate func interleavedHigh(_ b: Self) -> Self {
      Self(self[2], b[2], self[3], b[3], self[6], b[6], self[7], b[7])
    }
  }
#endif
