// swift-tools-version: 6.2
import Foundation
import PackageDescription

// Type-checks the files that apps copy, and runs them, against declarations of the image libraries and of UIKit. Only
// the declarations that are used are in Stubs, with the behavior that the files rely on. Images there only store their
// pixels. This shows that the files agree with the stubs, not that the stubs agree with the libraries. Examples/Servers
// builds and tests the files for servers.
//
// APPLE_PLATFORM=macOS compiles the files with AppKit instead of UIKit, without the tests.
let isMacOS = ProcessInfo.processInfo.environment["APPLE_PLATFORM"] == "macOS"
let kit = isMacOS ? "AppKit" : "UIKit"
let libraries = ["Nuke", "Kingfisher", "SDWebImage", "AlamofireImage"]
let strict: [SwiftSetting] = [.strictMemorySafety(), .treatAllWarnings(as: .error)]

// In new apps of Xcode 26 and later, declarations are isolated to the main actor unless they say otherwise. With
// DEFAULT_ISOLATION=none, the files are compiled as in other apps.
let isNonisolated = ProcessInfo.processInfo.environment["DEFAULT_ISOLATION"] == "none"
let asInApps = strict + (isNonisolated ? [] : [.defaultIsolation(MainActor.self)])

let package = Package(
  name: "Integrations",
  targets: [
    // `Package` and `Stubs/Apple` are links: to the sources of PureWebP, whose own targets do not see the stubs, and to
    // the doubles of Tests/AppleStubs.
    .target(name: "CoreGraphics", path: "Stubs/Apple/CoreGraphics"),
    .target(name: "ObjectiveC", path: "Stubs/Apple/ObjectiveC"),
    .target(name: "QuartzCore", dependencies: ["CoreGraphics", "ObjectiveC"], path: "Stubs/Apple/QuartzCore"),
    .target(name: kit, dependencies: ["CoreGraphics", "QuartzCore"], path: "Stubs/Apple/\(kit)"),
    .target(name: "os", dependencies: ["CoreGraphics"], path: "Stubs/Apple/os"),
    .target(name: "PlatformNames", dependencies: [.init(stringLiteral: kit)], path: "Stubs/PlatformNames"),
    .target(name: "WebPFormat", path: "Package/WebPFormat"),
    .target(name: "PureWebP", dependencies: ["WebPFormat"], path: "Package/PureWebP"),
    .systemLibrary(name: "CZlib", path: "Package/CZlib"),
    .target(name: "WebPExif", dependencies: ["PureWebP"], path: "Package/WebPExif"),
    .target(
      name: "WebPExport", dependencies: ["PureWebP", "WebPExif", "WebPFormat", "CZlib"],
      path: "Package/WebPExport"),
    .target(
      name: "WebPLoading", dependencies: ["PureWebP", "WebPExport", "CoreGraphics"], path: "Package/WebPLoading",
      exclude: ["PrivacyInfo.xcprivacy"]),
    // For the examples in the articles.
    .target(
      name: "WebPWebView", dependencies: ["PureWebP", "WebPExport", "WebPLoading"], path: "Package/WebPWebView",
      resources: [.embedInCode("PageScript.js")]),
    .target(
      name: "WebPPlatform",
      dependencies: [
        "PureWebP", "WebPExport", "WebPLoading", "CoreGraphics", "QuartzCore", "os", .init(stringLiteral: kit),
      ],
      path: "Package/WebPPlatform",
      // Tests/AppleStubs runs these files.
      exclude: [
        "DisplayLink.swift", "ImageView+WebP.swift", "ImageViewDriver.swift", "NSImageView+WebP.swift",
        "ObjectiveC.swift", "ObjectiveC+Data.swift", "ObjectiveC+Images.swift", "UIImageView+WebP.swift",
      ]),
  ]
    + libraries.map { .target(name: $0, dependencies: ["PlatformNames"], path: "Stubs/\($0)", swiftSettings: strict) }
    + libraries.map {
      .target(
        name: "\($0)WebP",
        dependencies: ["PureWebP", "WebPPlatform", .init(stringLiteral: kit), .init(stringLiteral: $0)], path: $0,
        swiftSettings: asInApps)
    }
    + (isMacOS
      ? []
      : [
        .testTarget(
          name: "IntegrationTests",
          dependencies: (libraries + libraries.map { "\($0)WebP" } + ["PureWebP", "WebPExport", "CoreGraphics"])
            .map { .init(stringLiteral: $0) },
          path: "Tests",
          // Testing has an overlay for Apple's CoreGraphics, which the stub is not.
          swiftSettings: strict + [.unsafeFlags(["-Xfrontend", "-disable-cross-import-overlays"])])
      ]),
  swiftLanguageModes: [.v6]
)
