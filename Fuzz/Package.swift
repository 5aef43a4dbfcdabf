// swift-tools-version: 6.2
import PackageDescription

// The same settings as in the decoder's package.
#if compiler(>=6.3) && compiler(<6.4)
  let strict: [SwiftSetting] = [.strictMemorySafety(), .treatAllWarnings(as: .error)]
#else
  let strict: [SwiftSetting] = [.strictMemorySafety()]
#endif

// A separate package, so that users of the decoder do not build it. `run` builds it with the sanitizers. Without them
// it does not link, because libFuzzer is part of `-sanitize=fuzzer`.
let package = Package(
  name: "Fuzz",
  platforms: [.macOS(.v13)],
  dependencies: [.package(name: "PureWebP", path: "..")],
  targets: [
    .systemLibrary(name: "FuzzZlib"),
    .executableTarget(
      name: "fuzz",
      dependencies: [
        .product(name: "PureWebP", package: "PureWebP"), .product(name: "WebPExport", package: "PureWebP"),
        .product(name: "ConformanceGenerator", package: "PureWebP"), "FuzzZlib",
      ],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
