// swift-tools-version: 6.2.3
import PackageDescription

// Warnings are errors only with the compiler version that the package is developed with, so that new warnings of other
// versions do not break builds.
#if compiler(>=6.3) && compiler(<6.4)
  let strict: [SwiftSetting] = [.strictMemorySafety(), .treatAllWarnings(as: .error)]
#else
  let strict: [SwiftSetting] = [.strictMemorySafety()]
#endif

// Unoptimized vector code is hundreds of times slower. Therefore the decoder is compiled with -O in debug builds too,
// which keeps apps that embed it usable under the debugger. Whole-module compilation lets functions be inlined across
// files and, from WebPFormat, across modules. It cannot be combined with batch mode, which SwiftPM requests.
let wholeInDebug: [SwiftSetting] = [
  .unsafeFlags(["-O", "-wmo", "-disable-batch-mode", "-num-threads", "2"], .when(configuration: .debug))
]
// While the package is developed: after an edit, one file is compiled instead of the module. The decoder is 1.3 to 3.5
// times slower than in release then. CONTRIBUTING.md describes the variable.
let isDeveloped = Context.environment["PUREWEBP_DEVELOPMENT"] != nil
let fastInDebug = isDeveloped ? [.unsafeFlags(["-O"], .when(configuration: .debug))] : wholeInDebug

// One trap for all checks of a function that fail alike. Backtraces then lack the line of the check. WebPFormat's hot
// functions are inlined into PureWebP, so what remains in it is optimized for size. Nothing prints its values.
#if compiler(>=6.3)
  let mergedTraps: [SwiftSetting] = [
    .unsafeFlags(["-Xfrontend", "-mergeable-traps"], .when(configuration: .release))
  ]
#else
  let mergedTraps: [SwiftSetting] = []
#endif
let smallInRelease: [SwiftSetting] = [
  .unsafeFlags(["-Osize", "-Xfrontend", "-disable-reflection-metadata"], .when(configuration: .release))
]

// AVX2: Intel since Haswell, AMD since Excavator. For other architectures, the compiler ignores the flag, and does not
// warn about it because of -Qunused-arguments. With the other instructions of the level x86-64-v3, the token loop is
// slower.
let instructionSet: [SwiftSetting] = [
  .unsafeFlags(
    ["-Xcc", "-Qunused-arguments", "-Xcc", "-Xarch_x86_64", "-Xcc", "-mavx2"], .when(traits: ["AVX2"]))
]

// The packages that the programs need. A dependent that disables the trait does not fetch them.
let argumentParser: Target.Dependency = .product(
  name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Command"]))
let system: Target.Dependency = .product(
  name: "SystemPackage", package: "swift-system", condition: .when(traits: ["Command"]))

let package = Package(
  name: "PureWebP",
  platforms: [.macOS(.v10_15), .iOS(.v13), .tvOS(.v13), .watchOS(.v6)],
  products: [
    .library(name: "PureWebP", targets: ["PureWebP"]),
    .library(name: "PureWebPCompact", targets: ["PureWebPCompact"]),
    .library(name: "WebPExif", targets: ["WebPExif"]),
    .library(name: "WebPExport", targets: ["WebPExport"]),
    .library(name: "WebPLoading", targets: ["WebPLoading"]),
    .library(name: "WebPWebView", targets: ["WebPWebView"]),
    .library(name: "WebPPlatform", targets: ["WebPPlatform"]),
    // For the separate package Fuzz.
    .library(name: "ConformanceGenerator", targets: ["ConformanceGenerator"]),
    .executable(name: "webp", targets: ["webp"]),
  ],
  traits: [
    .trait(
      name: "Command",
      description: "The programs webp and conformance. The libraries need neither them nor other packages."
    ),
    .trait(
      name: "AVX2",
      description:
        "AVX2 instructions in the decoder, for x86-64 processors that have them. No effect on other processors."
    ),
    .default(enabledTraits: ["Command"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
  ],
  targets: [
    // The format: headers, tables, limits and vector operations, for both decoders. Not a product, and imported only
    // internally. All its declarations are public, because only these are inlined in other modules.
    .target(name: "WebPFormat", swiftSettings: strict + wholeInDebug + mergedTraps + smallInRelease + instructionSet),
    .target(
      name: "PureWebP",
      dependencies: ["WebPFormat", .target(name: "CThreads", condition: .when(platforms: [.linux]))],
      swiftSettings: strict + fastInDebug + mergedTraps + instructionSet),
    // POSIX threads, used in the folder Concurrency. Without the module, Dispatch provides the threads.
    .systemLibrary(name: "CThreads"),
    // The kernels for processors without vector instructions are for Wasm/build.
    .target(
      name: "PureWebPCompact", dependencies: ["WebPFormat"], exclude: ["Kernels/Scalar"],
      swiftSettings: strict + fastInDebug),
    // Not a part of PureWebP, because the linker keeps the descriptions of a module's public types in every program.
    .target(name: "WebPExif", dependencies: ["PureWebP"], swiftSettings: strict),
    // Where the compiler looks anyway, in Apple's SDKs too: pkg-config may find Homebrew's, which is not for iOS.
    .systemLibrary(name: "CZlib"),
    .target(
      name: "WebPExport", dependencies: ["PureWebP", "WebPExif", "WebPFormat", "CZlib"],
      swiftSettings: strict + fastInDebug),
    .target(
      name: "WebPLoading", dependencies: ["PureWebP", "WebPExport"],
      resources: [.process("PrivacyInfo.xcprivacy")], swiftSettings: strict),
    // Wasm/build-scripts builds the script.
    .target(
      name: "WebPWebView", dependencies: ["PureWebP", "WebPExport", "WebPLoading"],
      resources: [.embedInCode("PageScript.js")], swiftSettings: strict),
    .target(
      name: "WebPPlatform", dependencies: ["PureWebP", "WebPExport", "WebPLoading"],
      swiftSettings: strict + fastInDebug),
    // Files, the terminal and the clock.
    .target(name: "CommandSystem", dependencies: [argumentParser, system], swiftSettings: strict),
    .executableTarget(
      name: "webp",
      dependencies: ["CommandSystem", "PureWebP", "WebPExif", "WebPExport", argumentParser, system],
      swiftSettings: strict),
    // How conformance is shown: see Conformance/README.md. No product needs these three.
    .target(name: "ConformanceGenerator", path: "Conformance/Generator", swiftSettings: strict + fastInDebug),
    .target(
      name: "ConformanceSupport", dependencies: ["PureWebP", "WebPExport", "ConformanceGenerator"],
      path: "Conformance/Support",
      swiftSettings: strict + fastInDebug),
    .executableTarget(
      name: "conformance",
      dependencies: [
        "PureWebP", "WebPExport", "ConformanceSupport", "ConformanceGenerator", argumentParser,
      ],
      path: "Conformance/Runner",
      swiftSettings: strict),
    .testTarget(
      name: "PureWebPTests",
      dependencies: [
        "PureWebP", "WebPFormat", "ConformanceSupport", "ConformanceGenerator", "TestComparison", "TestSupport",
        .target(name: "CThreads", condition: .when(platforms: [.linux])),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "PureWebPCompactTests",
      dependencies: [
        "PureWebP", "PureWebPCompact", "ConformanceSupport", "ConformanceGenerator", "TestComparison",
      ],
      swiftSettings: strict + fastInDebug),
    // Shared by several suites: WebP files that tests write, decoders that are independent of the tested ones,
    // temporary folders, long timeouts. Optimized, so what generates or compares many pixels belongs here.
    .target(
      name: "TestSupport", dependencies: ["CZlib", "ConformanceGenerator"], path: "Tests/TestSupport",
      swiftSettings: strict + fastInDebug),
    // Compares pixels, rows, bytes and frames, and reports only the first difference.
    .target(
      name: "TestComparison", dependencies: ["PureWebP"], path: "Tests/TestComparison",
      swiftSettings: strict + fastInDebug),
    .testTarget(
      name: "WebPExifTests", dependencies: ["PureWebP", "WebPExif", "ConformanceGenerator", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "WebPExportTests",
      dependencies: ["PureWebP", "WebPExport", "ConformanceGenerator", "TestComparison", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "WebPCommandTests",
      dependencies: ["CommandSystem", "PureWebP", "WebPExport", "TestComparison", "TestSupport", "webp"],
      swiftSettings: strict),
    // Kills itself while it writes to a cache.
    .executableTarget(
      name: "CacheWriter", dependencies: ["PureWebP", "WebPLoading", "TestSupport"], path: "Tests/CacheWriter",
      swiftSettings: strict),
    // Cancels thousands of loads, and measures the memory of endless ones.
    .executableTarget(
      name: "LoadingStress", dependencies: ["PureWebP", "WebPLoading", "TestSupport"], path: "Tests/LoadingStress",
      exclude: ["run"],
      swiftSettings: strict),
    // Parses inputs of different lengths, for Tests/Instructions/check.
    .executableTarget(
      name: "ParserGrowth", dependencies: ["PureWebP", "WebPExport", "WebPLoading"], path: "Tests/Instructions/Growth",
      swiftSettings: strict),
    // A transport in memory.
    .target(
      name: "LoadingTestSupport", dependencies: ["PureWebP", "WebPLoading"], path: "Tests/LoadingTestSupport",
      swiftSettings: strict),
    .testTarget(
      name: "WebPLoadingTests",
      dependencies: [
        "PureWebP", "WebPExport", "WebPLoading", "WebPWebView", "ConformanceGenerator", "LoadingTestSupport",
        "TestComparison", "TestSupport", "CacheWriter", "LoadingStress",
      ],
      exclude: ["Fixtures", "Server"],
      swiftSettings: strict),
    .testTarget(
      name: "WebPPlatformTests",
      dependencies: [
        "PureWebP", "WebPLoading", "WebPPlatform", "LoadingTestSupport", "TestComparison", "TestSupport",
      ],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
