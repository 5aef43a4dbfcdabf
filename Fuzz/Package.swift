// swift-tools-version: 6.2
import PackageDescription

// As in the decoder's package.
#if compiler(>=6.3) && compiler(<6.4)
  let strict: [SwiftSetting] = [.strictMemorySafety(), .treatAllWarnings(as: .error)]
#else
  let strict: [SwiftSetting] = [.strictMemorySafety()]
#endif

// A package of its own, so that nobody who depends on the decoder pulls in what testing it needs. `run` builds it with
// the sanitizers: built without them it does not link, for libFuzzer comes with `-sanitize=fuzzer`.
let package = Package(
  name: "Fuzz",
  platforms: [.macOS(.v13)],
  dependencies: [.package(name: "PureWebP", path: "..")],
  targets: [
    .executableTarget(
      name: "fuzz",
      dependencies: [.product(name: "PureWebP", package: "PureWebP")],
      swiftSettings: strict)
  ],
  swiftLanguageModes: [.v6]
)
