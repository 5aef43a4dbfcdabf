// swift-tools-version: 6.2
import Foundation
import PackageDescription

// Runs the code for Apple's platforms on any system, over doubles of Apple's frameworks. APPLE_PLATFORM=macOS selects
// AppKit, every other value UIKit.
//
// A double has the declarations that the sources use, with the nullability and isolation of the SDK, and behaves as the
// cited documentation and headers state. Tests do not prove that the doubles agree with Apple's systems. README.md
// lists the behavior that remains unproven.
let kit = ProcessInfo.processInfo.environment["APPLE_PLATFORM"] == "macOS" ? "AppKit" : "UIKit"
let strict: [SwiftSetting] = [.strictMemorySafety(), .treatAllWarnings(as: .error)]

let package = Package(
  name: "AppleStubs",
  targets: [
    .target(name: "CoreGraphics"),
    .target(name: "ObjectiveC"),
    .target(name: "QuartzCore", dependencies: ["CoreGraphics", "ObjectiveC"]),
    .target(name: kit, dependencies: ["CoreGraphics", "QuartzCore"]),
    .target(name: "os", dependencies: ["CoreGraphics"]),
    .target(name: "ImageIO", dependencies: ["CoreGraphics"]),
    .target(name: "WebKit", dependencies: ["ObjectiveC"]),
    .target(name: "Accessibility", dependencies: ["CoreGraphics"]),
    .target(name: "Combine"),
    .target(name: "SwiftUI", dependencies: ["CoreGraphics", "Combine"]),
    // `Package` is a link to the sources of PureWebP, because its targets do not see the declarations above.
    .target(name: "WebPFormat", path: "Package/WebPFormat"),
    .target(name: "PureWebP", dependencies: ["WebPFormat"], path: "Package/PureWebP"),
    .systemLibrary(name: "CZlib", path: "Package/CZlib"),
    .target(name: "WebPExif", dependencies: ["PureWebP"], path: "Package/WebPExif"),
    .target(
      name: "WebPExport", dependencies: ["PureWebP", "WebPExif", "WebPFormat", "CZlib"], path: "Package/WebPExport"),
    .target(
      name: "WebPLoading", dependencies: ["PureWebP", "WebPExport", "CoreGraphics", "ImageIO"],
      path: "Package/WebPLoading", exclude: ["PrivacyInfo.xcprivacy"], swiftSettings: strict),
    .target(
      name: "WebPWebView", dependencies: ["PureWebP", "WebPExport", "WebPLoading", "WebKit"],
      path: "Package/WebPWebView", resources: [.embedInCode("PageScript.js")], swiftSettings: strict),
    .target(
      name: "WebPPlatform",
      dependencies: [
        "PureWebP", "WebPExport", "WebPLoading", "Accessibility", "Combine", "CoreGraphics", "QuartzCore", "SwiftUI",
        "os", .init(stringLiteral: kit),
      ],
      // `Sources` is a link to the sources. DisplayLink.swift replaces the file that needs the Objective-C runtime.
      path: "WebPPlatform", exclude: ["Sources/DisplayLink.swift"], swiftSettings: strict),
    .target(name: "LoadingTestSupport", dependencies: ["PureWebP", "WebPLoading"], path: "TestSupport/Loading"),
    .testTarget(
      name: "PlatformTests",
      dependencies: [
        "PureWebP", "WebPExport", "WebPPlatform", "WebPLoading", "WebPWebView", "LoadingTestSupport", "Accessibility",
        "SwiftUI",
        "WebKit", "ImageIO", "os", .init(stringLiteral: kit),
      ],
      path: "Tests/\(kit)",
      // Testing has an overlay for Apple's CoreGraphics, which the double is not.
      swiftSettings: strict + [.unsafeFlags(["-Xfrontend", "-disable-cross-import-overlays"])]),
  ],
  swiftLanguageModes: [.v6]
)
