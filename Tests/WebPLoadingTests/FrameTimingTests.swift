import Foundation
import PureWebP
import Testing
import WebPPlatform

@Suite struct FrameTimingTests {
  @Test func framesByTime() throws {
    let animation = try WebP.Animation(Fixtures.bytes("animation-full-frames.webp"))
    // Written down as a list of what is shown in each millisecond.
    let shown = animation.frames.enumerated().flatMap { index, frame in
      Array(repeating: index, count: frame.duration <= 10 ? 100 : frame.duration)
    }
    for milliseconds in 0..<shown.count * 2 {
      let isOver = animation.loopCount > 0 && milliseconds >= shown.count * animation.loopCount
      let expected = isOver ? animation.frameCount - 1 : shown[milliseconds % shown.count]
      #expect(animation.frameIndex(at: milliseconds) == expected)
    }
    let unit = animation.frameTimeUnit
    #expect(animation.frames.allSatisfy { $0.shownDuration % unit == 0 })
    for larger in (unit + 1)...(shown.count + 1) {
      #expect(animation.frames.contains { $0.shownDuration % larger != 0 })
    }
  }
}
