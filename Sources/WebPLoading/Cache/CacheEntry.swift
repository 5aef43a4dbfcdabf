import Foundation
import PureWebP
import WebPExport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension WebP.ImageCache {
  /// A picture, and what the server said of it.
  struct Entry: Hashable, Sendable {
    /// All but the picture's bytes.
    struct Header: Hashable, Sendable, Codable {
      /// Where it was loaded from at last, after all redirects.
      var url: URL
      /// What it is asked for by.
      let key: String
      /// When it was loaded.
      let stored: Date
      /// Until when the server need not be asked.
      var freshUntil: Date
      /// Of the response with the WebP, by their names in lower case.
      var headers: [String: String]
      /// What it may depend on, of the request that it answered.
      let variant: [String: String]
    }

    var header: Header
    /// The file, in the form that the key tells.
    let body: Data

    var url: URL { header.url }

    /// In seconds; nil if it was stored at a time that is still to come: while the clock was ahead, nobody knows when.
    var age: TimeInterval? {
      let age = Date().timeIntervalSince(header.stored)
      return age < 0 ? nil : age
    }

    /// About what it takes in memory. What servers say of a picture may be longer than the picture.
    var memoryBytes: Int {
      // A kilobyte for the objects that it is made of, as measured.
      1024 + body.count + header.key.utf8.count + url.absoluteString.utf8.count + header.headers.memoryBytes
        + header.variant.memoryBytes
    }

    /// A response with the picture, which is a PNG.
    func response(url: URL?) -> URLResponse {
      HTTPURLResponse(png: header.headers, url: url ?? self.url, length: body.count)
        ?? URLResponse(url: self.url, mimeType: "image/png", expectedContentLength: body.count, textEncodingName: nil)
    }

    /// Whether the server would answer the request with this, had nothing changed.
    func answers(_ request: URLRequest) -> Bool {
      Variants(vary: header.headers["vary"]).areSame(header.variant, Variants.values(of: request))
    }

    /// The headers that tell one state of a picture from another, and those that ask by them (RFC 9110, section 13.1).
    static let validators = ["etag": "If-None-Match", "last-modified": "If-Modified-Since"]

    /// Makes `request`, which has no such question of its own, ask whether this is still right.
    func addValidators(to request: inout URLRequest) {
      for (validator, question) in Self.validators {
        request.setValue(header.headers[validator], forHTTPHeaderField: question)
      }
    }

    /// Whether there is anything to ask by.
    var hasValidators: Bool { Self.validators.keys.contains { header.headers[$0] != nil } }
  }
}

extension WebP.ImageCache.Entry {
  // A file holds, with numbers in little-endian order:
  //
  //   "PWC2" ─ 4 ─ CRC-32 of all that follows ─ 8 ─ length of the header ─ 12 ─ header, JSON ─ … ─ the picture's bytes ─

  private static let magic = Data("PWC2".utf8)

  var file: Data {
    get throws {
      let header = try JSONEncoder().encode(header)
      var rest = Data(littleEndian: UInt32(header.count))
      rest.append(header)
      rest.append(body)
      return Self.magic + Data(littleEndian: crc32(rest.span)) + rest
    }
  }

  /// Nil if a byte is missing or wrong.
  init?(file: Data) {
    guard file.prefix(4) == Self.magic else { return nil }
    let rest = file.dropFirst(8)
    guard file.dropFirst(4).littleEndianNumber == crc32(rest.span) else { return nil }
    guard let length = Int(exactly: rest.littleEndianNumber), length <= rest.count - 4 else { return nil }
    guard let header = try? JSONDecoder().decode(Header.self, from: rest.dropFirst(4).prefix(length)) else {
      return nil
    }
    self.header = header
    body = Data(rest.dropFirst(4 + length))
  }
}

extension [String: String] {
  /// About what they take in memory.
  var memoryBytes: Int { reduce(0) { $0 + 128 + $1.key.utf8.count + $1.value.utf8.count } }
}

extension Data {
  fileprivate init(littleEndian number: UInt32) {
    self.init((0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
  }

  /// Of the first four bytes.
  fileprivate var littleEndianNumber: UInt32 {
    prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}
