import ConformanceGenerator
import PureWebP
import Testing

/// Proves that the generator of random files writes mostly valid files of all kinds, so that comparing them is useful.
/// Expected values: lower bounds for the number of files of each kind.
@Suite struct GeneratorTests {
  @Test func generatedFilesAreValidAndOfAllKinds() {
    var good: [String: Int] = [:]
    for seed in 0..<1000 {
      var choices = Choices(seed: UInt64(seed))
      let file = choices.file()
      guard (try? WebP.decode(file)) != nil, let info = try? WebP.info(file) else { continue }
      let kind =
        info.isAnimated ? "animated" : info.hasAlpha && info.compression == .lossy ? "alpha" : "\(info.compression)"
      good[kind, default: 0] += 1
    }
    #expect(good.values.reduce(0, +) > 550, "\(good)")
    #expect(good.count == 4 && good.values.allSatisfy { $0 > 50 }, "\(good)")
  }

  /// A choice does not depend on the bytes after the byte that determines it.
  @Test func choicesDependOnEarlierBytesOnly() {
    var (first, second) = (Choices([7, 200, 3, 4, 5]), Choices([7, 200, 3, 9, 9]))
    #expect(first.below(5) == 2 && second.below(5) == 2)
    #expect(first.within(10...300) == second.within(10...300))
    #expect(first.byte() != second.byte())
    #expect(first.bytes(2).count == 2, "random bytes follow the given bytes")
    #expect(Choices([0]).isFalseAtZero)
  }
}

extension Choices {
  fileprivate var isFalseAtZero: Bool {
    var choices = self
    return !choices.oneIn(2)
  }
}
