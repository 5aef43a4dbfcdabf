// swift-tools-version: 6.2
import Foundation
import PackageDescription

// With DEFAULT_ISOLATION=MainActor, the gallery is compiled as in packages whose default isolation is the main actor.
let isOnMainActor = ProcessInfo.processInfo.environment["DEFAULT_ISOLATION"] == "MainActor"

let server: [Target.Dependency] = [
  .product(name: "Hummingbird", package: "hummingbird"),
  .product(name: "Logging", package: "swift-log"),
  .product(name: "ArgumentParser", package: "swift-argument-parser"),
]

// A separate package, so that users of the decoder do not fetch a server.
let package = Package(
  name: "Servers",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "PureWebP", path: "../..", traits: []),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.4"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
  ],
  targets: [
    // WebPNegotiation.swift and AsyncHTTPClientTransport.swift are links to the files in Integrations, which apps copy.
    .executableTarget(
      name: "gallery",
      dependencies: server + [
        .product(name: "PureWebP", package: "PureWebP"), .product(name: "WebPLoading", package: "PureWebP"),
        .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
      ],
      swiftSettings: isOnMainActor ? [.defaultIsolation(MainActor.self)] : []),
    .executableTarget(
      name: "thumbnail-service",
      dependencies: server + [
        .product(name: "PureWebP", package: "PureWebP"),
        .product(name: "WebPExport", package: "PureWebP"),
        .product(name: "WebPLoading", package: "PureWebP"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
      ]),
    // TransportContract.swift is a link to the file in Tests/LoadingTestSupport.
    .testTarget(
      name: "ServerTests",
      dependencies: [
        "gallery", "thumbnail-service", .product(name: "Logging", package: "swift-log"),
        .product(name: "PureWebP", package: "PureWebP"), .product(name: "WebPLoading", package: "PureWebP"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
