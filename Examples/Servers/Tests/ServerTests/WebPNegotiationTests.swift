import Foundation
import Testing

@testable import gallery

/// Requests to the gallery for an image of 640 × 480 pixels and for a text file.
@Suite struct WebPNegotiationTests {
  private static let image = "pictures/image.webp"
  private static let webP = ["Accept": "image/webp"]

  private func with(_ operation: (Server, _ file: Data) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = try Files.data("Benchmarks/Small/palette.webp")
    try file.write(to: folder.appendingPathComponent("image.webp"))
    try Data("0123456789".utf8).write(to: folder.appendingPathComponent("text.txt"))
    try file.prefix(1000).write(to: folder.appendingPathComponent("truncated.webp"))
    try await Server.with { isRunning in
      try await GalleryServer(folder).run(port: 0, isRunning: isRunning)
    } operation: {
      try await operation($0, file)
    }
  }

  @Test(
    arguments: [
      ("image/avif,image/webp,*/*;q=0.8", true), ("image/webp;q=0.5", true), ("image/webp;q=0", false),
      ("image/webp;q=0.5,image/png", false), ("image/png,image/*", false), ("*/*", false),
    ])
  func formatFollowsAccept(accept: String, isWebP: Bool) async throws {
    try await with { server, file in
      let answer = try await server.get(Self.image, ["Accept": accept])
      #expect(answer.status == 200)
      #expect(answer["Content-Type"] == (isWebP ? "image/webp" : "image/png"))
      #expect(answer["Vary"] == "Accept")
      #expect(answer["Cache-Control"] == "max-age=60")
      #expect(isWebP ? answer.body == file : answer.pngSize == [640, 480])
    }
  }

  @Test func headReportsTheSameHeaders() async throws {
    try await with { server, file in
      for headers in [Self.webP, [:]] {
        let get = try await server.get(Self.image, headers)
        let head = try await server.get(Self.image, method: "HEAD", headers)
        for name in ["Content-Type", "Vary", "ETag", "Accept-Ranges", "Cache-Control"] {
          #expect(head[name] == get[name])
        }
        #expect(head["Content-Length"] == (headers.isEmpty ? nil : "\(file.count)"))
        #expect(head.body.isEmpty)
      }
    }
  }

  @Test func tagsDistinguishTheRepresentations() async throws {
    try await with { server, _ in
      let webP = try #require(try await server.get(Self.image, Self.webP)["ETag"])
      let png = try #require(try await server.get(Self.image)["ETag"])
      #expect(webP != png)
      for (headers, own, other) in [(Self.webP, webP, png), ([:], png, webP)] {
        func answer(to tags: String, since date: String? = nil) async throws -> Answer {
          var headers = headers
          headers["If-None-Match"] = tags
          headers["If-Modified-Since"] = date
          return try await server.get(Self.image, headers)
        }
        for tags in [own, "\"x\", \(other), \(own)"] {
          let unchanged = try await answer(to: tags)
          #expect(unchanged.status == 304)
          #expect(unchanged["ETag"] == own)
          #expect(unchanged["Vary"] == "Accept")
          #expect(unchanged.body.isEmpty)
        }
        #expect(try await answer(to: other).status == 200)
        // RFC 9110, section 13.1.3: a date has no effect beside tags.
        #expect(try await answer(to: other, since: "Fri, 01 Jan 2100 00:00:00 GMT").status == 200)
      }
    }
  }

  @Test func rangesAreOfTheWebP() async throws {
    try await with { server, file in
      let part = try await server.get(Self.image, ["Accept": "image/webp", "Range": "bytes=8-11"])
      #expect(part.status == 206)
      #expect(part["Content-Type"] == "image/webp")
      #expect(part["Content-Range"] == "bytes 8-11/\(file.count)")
      #expect(part["Vary"] == "Accept")
      #expect(part.body == Data("WEBP".utf8))
      let png = try #require(try await server.get(Self.image)["ETag"])
      let complete = try await server.get(
        Self.image, ["Accept": "image/webp", "Range": "bytes=8-11", "If-Range": png])
      #expect(complete.status == 200)
      #expect(complete.body == file)
    }
  }

  @Test func pngIsSentWithoutRanges() async throws {
    try await with { server, _ in
      let answer = try await server.get(Self.image, ["Range": "bytes=8-11"])
      #expect(answer.status == 200)
      #expect(answer["Content-Range"] == nil)
      #expect(answer["Accept-Ranges"] == "none")
      #expect(answer.pngSize == [640, 480])
      #expect(answer.body.suffix(8) == Data([0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82]))
    }
  }

  @Test func otherFilesAreNotChanged() async throws {
    try await with { server, _ in
      let answer = try await server.get("pictures/text.txt")
      #expect(answer.body == Data("0123456789".utf8))
      #expect(answer["Vary"] == nil)
      #expect(answer["Accept-Ranges"] == "bytes")
      let part = try await server.get("pictures/text.txt", ["Range": "bytes=2-4"])
      #expect(part.status == 206)
      #expect(part.body == Data("234".utf8))
      let tag = try #require(answer["ETag"])
      #expect(try await server.get("pictures/text.txt", ["If-None-Match": tag]).status == 304)
      #expect(try await server.get("pictures/none.webp").status == 404)
    }
  }

  @Test func corruptImagesEndTheConnection() async throws {
    try await with { server, _ in
      await #expect(throws: (any Error).self) { try await server.get("pictures/truncated.webp") }
    }
  }
}
