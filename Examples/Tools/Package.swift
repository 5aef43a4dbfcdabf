// swift-tools-version: 6.2
import PackageDescription

// Small programs that use only the documented API.
let package = Package(
  name: "Tools",
  platforms: [.macOS(.v14)],
  dependencies: [.package(name: "PureWebP", path: "../..", traits: [])],
  targets: ["animation-tool", "progressive-viewer", "batch-converter"].map { name in
    .executableTarget(
      name: name,
      dependencies: [
        .product(name: "PureWebP", package: "PureWebP"), .product(name: "WebPExport", package: "PureWebP"),
        .product(name: "WebPLoading", package: "PureWebP"),
      ])
  },
  swiftLanguageModes: [.v6]
)
