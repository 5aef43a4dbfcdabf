import ConformanceSupport
import Foundation
import PureWebP
import TestComparison
import Testing

/// Proves that callers' collections are read and written once, as far as the image needs them.
/// Expected values: the pixels that `WebP.decode` returns or writes to an array, and counts of accesses by hand.
@Suite struct CallerMemoryTests {
  @Test(arguments: ["encoder-cwebp-alpha-best.webp", "encoder-cwebp-lossless-z6-alpha.webp"])
  func collectionsAndSpansReceiveTheSamePixels(name: String) throws {
    let bytes = try Conformance.vector(name)
    let layout = try WebP.DecodeOptions().layout(for: WebP.info(bytes))
    var array = [UInt8](repeating: 0, count: layout.byteCount)
    var (contiguous, data, spanned) = (ContiguousArray(array), Data(array), ContiguousArray(array))
    var replaceable = Replaceable(Elements(array))
    #expect(try WebP.decode(bytes, into: &array) == layout)
    #expect(try WebP.decode(Data(bytes), into: &contiguous) == layout)
    #expect(try WebP.decode(bytes[...], into: &data) == layout)
    #expect(try WebP.decode(bytes, into: &replaceable) == layout)
    var span = spanned.mutableSpan
    #expect(try WebP.decode(bytes.span, into: &span) == layout)
    let expected = try WebP.decode(bytes).pixels
    expectSame(Array(array), Array(expected))
    expectSame(contiguous, expected)
    expectSame(spanned, expected)
    expectSame(Array(data), Array(expected))
    expectSame(Array(replaceable.elements.bytes), Array(expected))
  }

  /// The rows are decoded in strips on one or several threads, and errors follow the finished rows.
  @Test(arguments: [
    "encoder-cwebp-alpha-best.webp", "encoder-cwebp-lossless-z6-alpha.webp", "animation-corners-lossy.webp",
  ])
  func collectionsReceiveTheRowsOfEveryFormat(name: String) throws {
    let file = try Array(Conformance.vector(name))
    let info = try WebP.info(file)
    let crop = WebP.Rectangle(x: 2, y: 4, width: info.width - 3, height: info.height - 5)
    for format in WebP.PixelFormat.allCases {
      for (index, size) in [nil, WebP.OutputSize.exact(width: 33, height: 60), .fit(width: 20)].enumerated() {
        let options = WebP.DecodeOptions(
          format: format, crop: index == 1 ? crop : nil, size: size, flipsVertically: index != 0,
          threads: index == 1 ? .one : .atMost(3))
        for gap in [nil, 3] {
          let rowBytes = try options.layout(for: info).planes[0].stride
          let stride = gap.map { rowBytes + $0 }
          let count = try options.layout(for: info, stride: stride).byteCount
          for bytes in [file, Array(file[20..<file.count * 3 / 4])] {
            var expected = (0..<count + 9).map { UInt8(truncatingIfNeeded: $0) }
            var found = Replaceable(Elements(expected))
            let results = (
              Result { try WebP.decode(bytes, into: &found, stride: stride, options: options) },
              Result { try WebP.decode(bytes, into: &expected, stride: stride, options: options) }
            )
            #expect("\(results.0)" == "\(results.1)")
            if case .failure(let error as WebP.DecodeError) = results.1, !format.isPlanar {
              // No other rows change.
              let height = try options.outputSize(for: info).height
              let finished = error.finishedRows
              let rows = options.flipsVertically ? height - finished..<height : 0..<finished
              let before = (0..<count + 9).map { UInt8(truncatingIfNeeded: $0) }
              for row in 0..<height where !rows.contains(row) {
                let start = row * (stride ?? rowBytes)
                expected.replaceSubrange(start..<start + rowBytes, with: before[start..<start + rowBytes])
              }
            }
            if !format.isPlanar || (try? results.1.get()) != nil {
              expectSame(found.elements.bytes, expected, "\(options)")
            }
          }
        }
      }
    }
  }

  /// A collection of twice the size of the image, whose rows have gaps.
  @Test func accessesAreProportionalToTheImage() throws {
    let bytes = try Conformance.vector("encoder-cwebp-alpha-best.webp")
    let info = try WebP.info(bytes)
    let stride = 4 * info.width + 5
    let count = try WebP.DecodeOptions().layout(for: info, stride: stride).byteCount
    let before = (0..<2 * count).map { UInt8(truncatingIfNeeded: $0) }
    var expected = before
    try WebP.decode(bytes, into: &expected, stride: stride)

    var replaceable = Replaceable(Elements(before))
    try WebP.decode(bytes, into: &replaceable, stride: stride)
    let elements = replaceable.elements
    expectSame(elements.bytes, expected)
    let rows = (0..<info.height).map { $0 * stride..<$0 * stride + 4 * info.width }
    #expect(elements.reads == 0 && elements.writes == 0 && elements.replacements == rows)
  }

  @Test func sourcesAreReadOnce() throws {
    let bytes = try Conformance.vector("encoder-cwebp-alpha-best.webp")
    let image = try WebP.decode(bytes)
    let info = try WebP.info(bytes)
    var destination = Replaceable(Elements([UInt8](repeating: 0, count: image.pixels.count)))
    let uses: [(Fixed) throws -> Bool] = [
      { try WebP.decode($0) == image },
      { try WebP.decode($0, into: &destination).byteCount == image.pixels.count },
      { try WebP.info($0) == info },
      { WebP.metadata($0) == WebP.metadata(bytes) },
      { try WebP.decode($0, options: .init(size: .fit(width: 8, height: 8), isUpright: true)).width <= 8 },
      { try WebP.Animation($0).frameCount == 1 },
      { source in
        var decoder = WebP.StreamingDecoder()
        return try decoder.append(source) == .finished
      },
      { source in
        var decoder = WebP.StreamingAnimation()
        try decoder.append(source)
        return decoder.isFinished
      },
      { source in
        var decoder = WebP.RowDecoder()
        try decoder.append(source)
        return true
      },
    ]
    for (index, use) in uses.enumerated() {
      let source = Fixed(Elements(bytes))
      #expect(try use(source), "use \(index)")
      #expect(source.elements.reads == bytes.count, "use \(index)")
    }
  }

  @Test func bytesAfterTheLayoutAreUnchanged() throws {
    let bytes = try Conformance.vector("encoder-cwebp-alpha-best.webp")
    let count = try WebP.decode(bytes).pixels.count
    var data = Data(repeating: 7, count: count + 3)
    try WebP.decode(bytes, into: &data)
    #expect(data.suffix(3) == Data([7, 7, 7]))
  }
}

/// Bytes that count their accesses.
private final class Elements {
  var bytes: [UInt8]
  var reads = 0
  var writes = 0
  var replacements: [Range<Int>] = []

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  subscript(index: Int) -> UInt8 {
    get {
      reads += 1
      return bytes[index]
    }
    set {
      writes += 1
      bytes[index] = newValue
    }
  }
}

/// A collection of fixed size, without contiguous storage.
private struct Fixed: Collection {
  let elements: Elements

  init(_ elements: Elements) { self.elements = elements }

  var startIndex: Int { 0 }
  var endIndex: Int { elements.bytes.count }
  func index(after index: Int) -> Int { index + 1 }
  subscript(index: Int) -> UInt8 { elements[index] }
}

/// A collection whose ranges can be replaced, without contiguous storage.
private struct Replaceable: MutableCollection, RangeReplaceableCollection {
  let elements: Elements

  init() { elements = Elements([]) }
  init(_ elements: Elements) { self.elements = elements }

  var startIndex: Int { 0 }
  var endIndex: Int { elements.bytes.count }
  func index(after index: Int) -> Int { index + 1 }
  subscript(index: Int) -> UInt8 {
    get { elements[index] }
    set { elements[index] = newValue }
  }
  mutating func replaceSubrange(_ range: Range<Int>, with other: some Collection<UInt8>) {
    elements.replacements.append(range)
    elements.bytes.replaceSubrange(range, with: other)
  }
}
