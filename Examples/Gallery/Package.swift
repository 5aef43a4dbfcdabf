// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that users of the decoder do not fetch a server.
let package = Package(
  name: "Gallery",
  platforms: [.macOS(.v14)],
  dependencies: [
    .package(name: "PureWebP", path: "../.."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    .executableTarget(
      name: "gallery",
      dependencies: [
        .product(name: "WebPLoading", package: "PureWebP"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
