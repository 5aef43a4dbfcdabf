// swift-tools-version: 6.2
import PackageDescription

// Type-checks the files that apps copy, and runs them, against declarations of the image libraries and of UIKit. Only the
// declarations that are used are in Stubs, and images there only store their pixels. This shows that the files agree with
// the stubs, not that the stubs agree with the libraries. Hummingbird's file is built and tested by Examples/Servers.
let libraries = ["Nuke", "Kingfisher", "SDWebImage", "AlamofireImage"]
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
  name: "Integrations",
  targets: [
    .target(name: "CoreGraphics", path: "Stubs/CoreGraphics", swiftSettings: strict),
    .target(name: "UIKit", dependencies: ["CoreGraphics"], path: "Stubs/UIKit", swiftSettings: strict),
    // Links to the sources of PureWebP, because its packages do not see the stubs.
    .target(name: "PureWebP", path: "Stubs/PureWebP"),
    .systemLibrary(name: "CZlib", path: "Stubs/CZlib"),
    .target(name: "WebPExport", dependencies: ["PureWebP", "CZlib"], path: "Stubs/WebPExport"),
    .target(
      name: "WebPPlatform", dependencies: ["PureWebP", "WebPExport", "CoreGraphics", "UIKit"],
      path: "Stubs/WebPPlatform"),
  ]
    + libraries.map { .target(name: $0, dependencies: ["UIKit"], path: "Stubs/\($0)", swiftSettings: strict) }
    + libraries.map {
      .target(
        name: "\($0)WebP", dependencies: ["PureWebP", "WebPPlatform", .init(stringLiteral: $0)], path: $0,
        swiftSettings: strict)
    } + [
      .testTarget(
        name: "IntegrationTests",
        dependencies: libraries.map { .init(stringLiteral: "\($0)WebP") } + ["WebPExport"], path: "Tests",
        // Testing has an overlay for Apple's CoreGraphics, which the stub is not.
        swiftSettings: strict + [.unsafeFlags(["-Xfrontend", "-disable-cross-import-overlays"])])
    ],
  swiftLanguageModes: [.v6]
)
