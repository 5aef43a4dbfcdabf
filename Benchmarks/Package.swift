// swift-tools-version: 6.2
import PackageDescription

// As in the decoder's package.
#if compiler(>=6.3) && compiler(<6.4)
  let strict: [SwiftSetting] = [.strictMemorySafety(), .treatAllWarnings(as: .error)]
#else
  let strict: [SwiftSetting] = [.strictMemorySafety()]
#endif

// A separate package, so that users of the decoder do not fetch the dependencies of the benchmarks.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v13)],
  traits: [.trait(name: "AVX2", description: "The decoder's trait of this name.")],
  dependencies: [
    .package(
      name: "PureWebP", path: "..", traits: [.defaults, .trait(name: "AVX2", condition: .when(traits: ["AVX2"]))]),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    .executableTarget(
      name: "decode-bench",
      dependencies: [
        .product(name: "PureWebP", package: "PureWebP"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),
    // The programs that Benchmarks/code-size measures.
    .executableTarget(
      name: "size-decode", dependencies: [.product(name: "PureWebP", package: "PureWebP")], swiftSettings: strict),
    .executableTarget(
      name: "size-animation", dependencies: [.product(name: "PureWebP", package: "PureWebP")], swiftSettings: strict),
    .executableTarget(
      name: "server-bench",
      dependencies: [
        .product(name: "PureWebP", package: "PureWebP"),
        .product(name: "WebPLoading", package: "PureWebP"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
