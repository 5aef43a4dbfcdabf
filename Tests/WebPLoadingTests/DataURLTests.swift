import Foundation
import Testing

@testable import WebPLoading

/// Proves that data URLs are read as browsers read them.
/// Expected values: the Fetch Standard, section 6, and the Infra Standard, section 7.
@Suite struct DataURLTests {
  @Test(
    arguments: [
      ("data:image/webp;base64,AQ", [1]), ("data:image/webp;base64,AQ==", [1]), ("data:;BASE64,AQ%3D%3D", [1]),
      ("data:;base64,AQI", [1, 2]), ("data:;base64,A%20QI%0A=", [1, 2]), ("data:;base64,AQID", [1, 2, 3]),
      ("data:;base64,", []), ("data:;base64,AQID#AQID", [1, 2, 3]), ("data:;base64,%2F%2b8", [0xFF, 0xEF]),
      ("data:,a%2Cb", Array("a,b".utf8)), ("data:,a#b", [97]),
    ] as [(String, [UInt8])])
  func validURLsAreDecoded(text: String, expected: [UInt8]) throws {
    #expect(try Data(dataURL: #require(URL(string: text))) == Data(expected))
  }

  @Test(arguments: [
    "data:;base64,A", "data:;base64,AQIDA", "data:;base64,A!QI", "data:;base64,A%0BQI", "data:;base64,AQ=",
    "data:;base64,A=Q=", "data:;base64,A===", "data:;base64,AQ=====", "data:;base64,AQID=", "data:image/webp",
  ])
  func invalidURLsAreRejected(text: String) throws {
    let url = try #require(URL(string: text))
    #expect(throws: URLError.self) { try Data(dataURL: url) }
  }
}
