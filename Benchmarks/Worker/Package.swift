// swift-tools-version: 6.2
import PackageDescription

// The program that decode-bench --against builds for two commits of the decoder. DECODER is the folder of the commit.
let package = Package(
  name: "Worker",
  platforms: [.macOS(.v13)],
  dependencies: [.package(name: "PureWebP", path: Context.environment["DECODER"] ?? "../..", traits: [])],
  targets: [
    .executableTarget(
      name: "decode-worker", dependencies: [.product(name: "PureWebP", package: "PureWebP")],
      swiftSettings: [.strictMemorySafety()])
  ],
  swiftLanguageModes: [.v6]
)
