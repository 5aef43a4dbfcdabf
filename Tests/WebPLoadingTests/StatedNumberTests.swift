import Foundation
import LoadingTestSupport
import PureWebP
import TestSupport
import Testing

@testable import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Proves that no number in a header field ends the process, or is taken for another number.
/// Expected values: RFC 9110, sections 8.6 and 14.4, and RFC 9111, sections 1.2.2 and 5.1, applied by hand.
@Suite struct StatedNumberTests {
  private let url = URL(string: "http://a/b.webp")!
  /// A file of another format, whose bytes do not specify its length.
  private let file = Data(repeating: 65, count: 1000)

  /// The values of one or two fields with the same name.
  private static let values = [
    ["0"], ["1"], ["9223372036854775806"], ["9223372036854775807"], ["-1"], ["99999999999999999999"], ["700, 0"],
    ["700", "0"], ["700, 700"], ["700", "700"], [""], ["1e3"], ["0x10"], ["+1"], ["٣"],
  ]

  /// The lengths that no body reaches.
  private static let large: Set = [["9223372036854775806"], ["9223372036854775807"], ["99999999999999999999"]]

  private func fields(_ name: String, _ values: [String]) -> [(String, String)] { values.map { (name, $0) } }

  private func load(_ options: Loader.Options = .init(), _ script: @escaping @Sendable (URLRequest) -> [Step])
    async throws -> Data
  {
    try await Loader(configuration: .patient, transport: ScriptedTransport(script)).data(for: url, options: options)
  }

  private func expect(_ expected: URLError.Code?, _ load: () async throws -> Data) async throws {
    do {
      #expect(try await load() == file && expected == nil)
    } catch let error as WebP.LoadError {
      #expect(error.underlyingError.code == expected)
    }
  }

  /// A body that is shorter than its length is incomplete. More bytes than it belong to the body.
  @Test(arguments: values) func lengthsOfBodies(values: [String]) async throws {
    let (file, length) = (file, fields("Content-Length", values))
    try await expect(Self.large.contains(values) ? .networkConnectionLost : nil) {
      try await load { _ in [.fields(200, length), .piece(file)] }
    }
  }

  /// The first response ends after 300 bytes. The length of the second one is the one of the remaining bytes.
  @Test(arguments: values) func lengthsOfParts(values: [String]) async throws {
    let (file, length) = (file, fields("Content-Length", values))
    try await expect(Self.large.contains(values) ? .networkConnectionLost : nil) {
      try await load(.init(maximumRetries: 1, retryDelay: 0)) { request in
        if request.value(forHTTPHeaderField: "Range") == nil {
          return [.head(200, ["ETag": "\"1\""]), .piece(file.prefix(300)), .fail(URLError(.networkConnectionLost))]
        }
        let range = ("Content-Range", "bytes 300-\(file.count - 1)/\(file.count)")
        return [.fields(206, length + [("ETag", "\"1\""), range]), .piece(file[300...])]
      }
    }
  }

  /// Responses whose length does not refer to their body.
  @Test(arguments: [304, 404, 503], values) func lengthsWithoutBodies(status: Int, values: [String]) async throws {
    let (file, length) = (file, fields("Content-Length", values))
    let transport = ScriptedTransport { request in
      status != 304 || request.value(forHTTPHeaderField: "If-None-Match") != nil
        ? [.fields(status, length)] : [.head(200, ["ETag": "\"1\""]), .piece(file)]
    }
    let loader = Loader(configuration: .patient, cache: WebP.ImageCache(folder: nil), transport: transport)
    let expected: URLError.Code? = [404: .fileDoesNotExist, 503: .badServerResponse][status]
    for _ in 0..<2 { try await expect(expected) { try await loader.data(for: url) } }
  }

  /// The freshness in seconds of a response with `max-age=600` and this `Age`, or with this `max-age`.
  @Test(
    arguments: [
      ("0", 600, 0), ("1", 599, 1), ("9223372036854775807", 600 - 0x1p31, 0x1p31),
      ("99999999999999999999", 600 - 0x1p31, 0x1p31), ("-1", 600, 0), ("70, 0", 530, 70), ("0, 70", 600, 0),
      (" 70 ", 530, 70), ("", 600, 0), ("1e3", 600, 0), ("٣", 600, 0), (", 70", 530, 0),
    ] as [(String, Double, Double)])
  func seconds(value: String, age: Double, maximumAge: Double) {
    #expect(Fixtures.freshness(["Cache-Control": "max-age=600", "Age": value]) == age)
    #expect(Fixtures.freshness(["Cache-Control": "max-age=\(value)"]) == maximumAge)
  }

  /// The loader joins fields with equal names, so that the first value of the first field counts.
  @Test func theFirstAgeCounts() async throws {
    for (ages, requests) in [(["70", "0"], 2), (["0", "70"], 1), (["70, 0"], 2), (["0, 70"], 1)] {
      let fields = [("Cache-Control", "max-age=60"), ("Content-Type", "image/png")] + ages.map { ("Age", $0) }
      let transport = ScriptedTransport(.fields(200, fields), .piece(file))
      let loader = Loader(configuration: .patient, cache: WebP.ImageCache(folder: nil), transport: transport)
      for _ in 0..<2 { _ = try await loader.data(for: url) }
      #expect(transport.requests.count == requests)
    }
  }

  @Test func numbersAreClamped() {
    let maximum = StatedNumber.maximum
    #expect(StatedNumber("00042")?.value == 42)
    for (text, value) in [("\(maximum)", maximum), ("\(UInt64(maximum) + 1)", maximum), ("0", 0)] {
      #expect(StatedNumber(text)?.value == value)
    }
    for (number, value) in [(-1, 0), (.min, 0), (.max, maximum), (7, 7)] {
      #expect(StatedNumber(number).value == value)
    }
    #expect(StatedNumber(UInt64.max).value == maximum)
  }
}
