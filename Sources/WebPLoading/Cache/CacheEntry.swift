import Foundation
import PureWebP
import WebPExport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension WebP.ImageCache {
  /// A stored image and the headers of its response.
  package struct Entry: Hashable, Sendable {
    /// Everything except the body.
    package struct Header: Hashable, Sendable, Codable {
      /// The URL of the response, after all redirects.
      var url: URL
      /// The cache key.
      var key: Key
      /// The time when the image was loaded.
      let stored: Date
      /// The time until which the entry answers requests without asking the server.
      var freshUntil: Date
      /// The headers of the server's response, by their lowercase names.
      var headers: [String: String]
      /// The values of the request headers that the response may depend on, from `VaryHeader.values(of:)`.
      let variant: [String: String]
      /// Indicates whether the body is the server's response, rather than a PNG that was converted from it.
      package let isOriginal: Bool
    }

    package var header: Header
    /// The image file, in the `Form` that is part of the key.
    package let body: Data

    var url: URL { header.url }

    /// The age, in seconds. Nil if `stored` is in the future, which means that the clock was wrong when the entry was
    /// stored.
    var age: TimeInterval? {
      let age = Date().timeIntervalSince(header.stored)
      return age < 0 ? nil : age
    }

    /// The approximate memory use, in bytes. Headers are included because they may be longer than the image.
    var memoryBytes: Int {
      // According to a measurement, the objects of an entry take about one kilobyte.
      1024 + body.count + header.key.memoryBytes + url.absoluteString.utf8.count + header.headers.memoryBytes
        + header.variant.memoryBytes
    }

    /// Returns the response with which the URL protocol delivers the image.
    func response(url: URL?) -> URLResponse {
      let response =
        header.isOriginal
        ? HTTPURLResponse(original: header.headers, url: url ?? self.url, length: body.count)
        : HTTPURLResponse(png: header.headers, url: url ?? self.url, length: body.count)
      return response
        ?? URLResponse(url: self.url, mimeType: "image/png", expectedContentLength: body.count, textEncodingName: nil)
    }

    /// Returns whether the entry may answer the request, according to the `Vary` header of its response.
    func answers(_ request: URLRequest) -> Bool {
      VaryHeader(header.headers["vary"]).matches(header.variant, VaryHeader.values(of: request))
    }

    /// The response headers that identify a version of an image, and the request headers that make a request
    /// conditional on it (RFC 9110, section 13.1).
    static let validators = ["etag": "If-None-Match", "last-modified": "If-Modified-Since"]

    /// Adds validators to `request`, which must have none. The server then sends the image only if it differs from this
    /// entry.
    func addValidators(to request: inout URLRequest) {
      for (validator, question) in Self.validators {
        request.setValue(header.headers[validator], forHTTPHeaderField: question)
      }
    }

    /// Indicates whether a request can be made conditional on this entry.
    var hasValidators: Bool { Self.validators.keys.contains { header.headers[$0] != nil } }
  }
}

extension WebP.ImageCache.Entry {
  // Layout of a file, with numbers in little-endian order:
  //
  //   offset   0        4        8               12             20
  //            "PWC4"   CRC-32   header length   body length    header, JSON   body
  //
  // The CRC covers the bytes from offset 8.

  private static let magic = Data("PWC4".utf8)
  /// The length of the prefix that `fileLength(prefix:)` needs, in bytes.
  static let prefixLength = 20

  /// The entry in the layout of a file, in two parts. The second one is the body, which is not copied.
  var file: [Data] {
    get throws {
      let header = try JSONEncoder().encode(header)
      var rest = Data(littleEndian: UInt32(header.count))
      rest.append(Data(littleEndian: UInt64(body.count)))
      rest.append(header)
      let checksum = crc32(body.span, following: crc32(rest.span))
      return [Self.magic + Data(littleEndian: checksum) + rest, body]
    }
  }

  /// Returns the length of the complete file that begins with `prefix`, or nil if `prefix` is invalid or too short.
  static func fileLength(prefix: Data) -> Int? {
    guard prefix.count >= prefixLength, prefix.prefix(4) == magic else { return nil }
    return StatedNumber(prefix.headerLength.value + prefix.bodyLength.value).value + prefixLength
  }

  /// Decodes a file. Returns nil if the file is incomplete or its checksum is wrong.
  init?(file: Data) {
    guard Self.fileLength(prefix: file) == file.count else { return nil }
    guard file.littleEndianNumber(at: 4, byteCount: 4) == crc32(file.dropFirst(8).span) else { return nil }
    let content = file.dropFirst(Self.prefixLength)
    let length = file.headerLength.value
    guard let header = try? JSONDecoder().decode(Header.self, from: content.prefix(length)) else { return nil }
    self.header = header
    body = Data(content.dropFirst(length))
  }
}

extension [String: String] {
  /// The approximate memory use of headers, in bytes.
  var memoryBytes: Int { reduce(0) { $0 + 128 + $1.key.utf8.count + $1.value.utf8.count } }
}

extension Data {
  fileprivate init(littleEndian number: some FixedWidthInteger) {
    self.init((0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
  }

  fileprivate var headerLength: StatedNumber { StatedNumber(littleEndianNumber(at: 8, byteCount: 4)) }
  fileprivate var bodyLength: StatedNumber { StatedNumber(littleEndianNumber(at: 12, byteCount: 8)) }

  func littleEndianNumber(at offset: Int, byteCount: Int) -> UInt64 {
    dropFirst(offset).prefix(byteCount).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
