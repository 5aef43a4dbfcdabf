// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [.strictMemorySafety(), .treatAllWarnings(as: .error)]

// Vector code is hundreds of times slower unoptimised: the decoder is compiled with -O in debug builds too, so that an
// app that embeds it stays usable under its debugger. One module at once, because kernels inline across files.
let fastInDebug: [SwiftSetting] = [
  .unsafeFlags(["-O", "-wmo", "-num-threads", "2"], .when(configuration: .debug))
]

// Tests against servers on loopback, apart from the others: FoundationNetworking traps now and then, in its own registry
// of tasks, when a task is cancelled as it ends. LOADING_TESTS=1 swift test --filter WebPLoadingTests
let loadingTests: [Target] =
  Context.environment["LOADING_TESTS"] == nil
  ? []
  : [
    // Is killed while it writes to a cache.
    .executableTarget(
      name: "CacheWriter", dependencies: ["WebPLoading"], path: "Tests/CacheWriter", swiftSettings: strict),
    .testTarget(
      name: "WebPLoadingTests", dependencies: ["WebPLoading", "WebPPlatform", "CacheWriter", "CZlib"],
      exclude: ["Fixtures", "Server"],
      swiftSettings: strict),
  ]

let package = Package(
  name: "PureWebP",
  platforms: [.macOS(.v10_15), .iOS(.v13), .tvOS(.v13), .watchOS(.v6)],
  products: [
    .library(name: "PureWebP", targets: ["PureWebP"]),
    .library(name: "WebPExport", targets: ["WebPExport"]),
    .library(name: "WebPLoading", targets: ["WebPLoading"]),
    .library(name: "WebPPlatform", targets: ["WebPPlatform"]),
    .executable(name: "webp", targets: ["webp"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
  ],
  targets: [
    .target(name: "PureWebP", swiftSettings: strict + fastInDebug),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .target(name: "WebPExport", dependencies: ["PureWebP", "CZlib"], swiftSettings: strict + fastInDebug),
    .target(name: "WebPLoading", dependencies: ["PureWebP", "WebPExport"], swiftSettings: strict),
    .target(name: "WebPPlatform", dependencies: ["PureWebP", "WebPLoading"], swiftSettings: strict),
    .executableTarget(
      name: "webp",
      dependencies: [
        "PureWebP", "WebPExport", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),
    // How conformance is shown: see Conformance/README.md. No product needs these two.
    .target(
      name: "ConformanceSupport", dependencies: ["PureWebP"], path: "Conformance/Support",
      swiftSettings: strict + fastInDebug),
    .executableTarget(
      name: "conformance", dependencies: ["PureWebP", "ConformanceSupport"], path: "Conformance/Runner",
      swiftSettings: strict),
    .testTarget(name: "PureWebPTests", dependencies: ["PureWebP", "ConformanceSupport"], swiftSettings: strict),
    .testTarget(name: "WebPExportTests", dependencies: ["PureWebP", "WebPExport", "CZlib"], swiftSettings: strict),
    .testTarget(name: "WebPCommandTests", dependencies: ["PureWebP", "WebPExport", "webp"], swiftSettings: strict),
  ] + loadingTests,
  swiftLanguageModes: [.v6]
)
