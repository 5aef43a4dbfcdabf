// swift-tools-version: 6.2
import Foundation
import PackageDescription

// Type-checks the parts that are for Apple's systems alone, on any system: against declarations written by hand of what
// they use. APPLE_PLATFORM=macOS has AppKit, everything else UIKit.
//
// This shows that the sources agree with these declarations, not that the declarations agree with Apple's. What is
// compiled only where there is no FoundationNetworking is left out: some lines of WebPLoading/URLProtocol.
let kit = ProcessInfo.processInfo.environment["APPLE_PLATFORM"] == "macOS" ? "AppKit" : "UIKit"
let strict: [SwiftSetting] = [.strictMemorySafety(), .treatAllWarnings(as: .error)]

let package = Package(
  name: "AppleStubs",
  targets: [
    .systemLibrary(name: "CGTypes"),
    .target(name: "CoreGraphics", dependencies: ["CGTypes"]),
    .target(name: kit, dependencies: ["CoreGraphics"]),
    .target(name: "WebKit"),
    .target(name: "SwiftUI", dependencies: ["CoreGraphics"]),
    // Links to the package's own sources.
    .target(name: "PureWebP"),
    .systemLibrary(name: "CZlib"),
    .target(name: "WebPExport", dependencies: ["PureWebP", "CZlib"]),
    .target(name: "WebPLoading", dependencies: ["PureWebP", "WebPExport", "WebKit"], swiftSettings: strict),
    .target(
      name: "WebPPlatform",
      dependencies: ["PureWebP", "WebPLoading", "CoreGraphics", "SwiftUI", .init(stringLiteral: kit)],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
