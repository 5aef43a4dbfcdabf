// swift-tools-version: 6.2
import Foundation
import PackageDescription

// Type-checks Apple-only code on any system, against hand-written declarations of the APIs that it uses.
// APPLE_PLATFORM=macOS selects AppKit, every other value UIKit.
//
// A successful build shows that the sources agree with these declarations, not that the declarations agree with
// Apple's. For code that is only compiled without FoundationNetworking, `.ci/apple` uses Foundation.swift.
let kit = ProcessInfo.processInfo.environment["APPLE_PLATFORM"] == "macOS" ? "AppKit" : "UIKit"
let strict: [SwiftSetting] = [.strictMemorySafety(), .treatAllWarnings(as: .error)]

let package = Package(
  name: "AppleStubs",
  targets: [
    .systemLibrary(name: "CGTypes"),
    .target(name: "CoreGraphics", dependencies: ["CGTypes"]),
    .target(name: "ObjectiveC"),
    .target(name: "QuartzCore", dependencies: ["CoreGraphics", "ObjectiveC"]),
    .target(name: kit, dependencies: ["CoreGraphics", "QuartzCore"]),
    .target(name: "ImageIO", dependencies: ["CoreGraphics"]),
    .target(name: "WebKit", dependencies: ["ObjectiveC"]),
    .target(name: "Combine"),
    .target(name: "SwiftUI", dependencies: ["CoreGraphics", "Combine"]),
    // `Package` is a link to the sources of PureWebP, because its targets do not see the declarations above.
    .target(name: "WebPFormat", path: "Package/WebPFormat"),
    .target(name: "PureWebP", dependencies: ["WebPFormat"], path: "Package/PureWebP"),
    .systemLibrary(name: "CZlib", path: "Package/CZlib"),
    .target(name: "WebPExport", dependencies: ["PureWebP", "CZlib"], path: "Package/WebPExport"),
    .target(
      name: "WebPLoading", dependencies: ["PureWebP", "WebPExport", "CoreGraphics", "ImageIO", "WebKit"],
      path: "Package/WebPLoading", exclude: ["PrivacyInfo.xcprivacy"],
      resources: [.embedInCode("Pages/PageScript.js")], swiftSettings: strict),
    .target(
      name: "WebPPlatform",
      dependencies: ["PureWebP", "WebPExport", "WebPLoading", "CoreGraphics", "SwiftUI", .init(stringLiteral: kit)],
      path: "Package/WebPPlatform",
      // The attribute `@objc`.
      swiftSettings: strict + [.unsafeFlags(["-Xfrontend", "-enable-objc-interop"])]),
  ],
  swiftLanguageModes: [.v6]
)
