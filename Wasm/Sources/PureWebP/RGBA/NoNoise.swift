// What the library can add to pictures that were coded coarsely, where it is asked to: nobody asks here.

/// In place of VP8/Dithering.swift.
struct Dithering {
  init?(_ header: FrameHeader, strength: Int, columns: Range<Int>) { return nil }
  func dither(_ macroblocks: Span<Macroblock>, in rows: inout YUVRows, at start: Int) {}
}

/// In place of Alpha/AlphaSmoothing.swift.
func smoothAlpha(_ alpha: inout MutableSpan<UInt8>, at start: Int, _ area: CropWindow, stride: Int, strength: Int) {}
