import Foundation
import Testing

/// Proves that each product for apps declares the APIs for which Apple requires a reason, and no others.
/// Expected values: the list in Apple's article "Describing use of required reason API".
@Suite struct PrivacyManifestTests {
  private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../Sources").standardizedFileURL

  /// The names of the APIs of each category, as regular expressions.
  private static let categories = [
    "FileTimestamp": [
      "creationDate(Key)?", "modificationDate", "fileModificationDate", "contentModificationDate(Key)?",
      "f?getattrlist(bulk|at)?", "[fl]?stat", "fstatat",
    ],
    "SystemBootTime": ["systemUptime", "mach_absolute_time"],
    "DiskSpace": [
      "volumeAvailableCapacity\\w*", "volumeTotalCapacity(Key)?", "systemFreeSize", "systemSize", "f?statv?fs",
    ],
    "ActiveKeyboards": ["activeInputModes"],
    "UserDefaults": ["UserDefaults", "AppStorage"],
  ]

  @Test(arguments: [
    "PureWebP", "PureWebPCompact", "WebPExif", "WebPExport", "WebPLoading", "WebPWebView", "WebPPlatform",
  ])
  func usedInterfacesAreDeclared(product: String) throws {
    let folder = Self.sources.appendingPathComponent(product)
    let code = try swiftFiles(in: folder).map { try String(contentsOf: $0, encoding: .utf8) }
    #expect(!code.isEmpty)
    let lines = code.joined(separator: "\n").split(separator: "\n")
      .filter { !$0.drop { $0 == " " }.starts(with: "//") }.joined(separator: "\n")
    let used = Self.categories.filter { _, names in
      names.contains { lines.range(of: "\\b\($0)\\b", options: .regularExpression) != nil }
    }
    #expect(try declaredCategories(in: folder) == used.keys.sorted())
  }

  /// Returns the Swift files, with those in linked folders.
  private func swiftFiles(in folder: URL) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).flatMap { file in
      let file = file.resolvingSymlinksInPath()
      if try file.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true { return try swiftFiles(in: file) }
      return file.pathExtension == "swift" ? [file] : []
    }
  }

  // swift-format-ignore: AlwaysUseLowerCamelCase
  private struct Manifest: Decodable {
    struct Entry: Decodable {
      let NSPrivacyAccessedAPIType: String
      let NSPrivacyAccessedAPITypeReasons: [String]
    }

    let NSPrivacyTracking: Bool
    let NSPrivacyAccessedAPITypes: [Entry]
  }

  /// Returns the categories of the product's privacy manifest, of which each has a reason. None without a manifest.
  private func declaredCategories(in folder: URL) throws -> [String] {
    let file = folder.appendingPathComponent("PrivacyInfo.xcprivacy")
    guard FileManager.default.fileExists(atPath: file.path) else { return [] }
    let manifest = try PropertyListDecoder().decode(Manifest.self, from: Data(contentsOf: file))
    #expect(!manifest.NSPrivacyTracking)
    return try manifest.NSPrivacyAccessedAPITypes.map { entry in
      #expect(!entry.NSPrivacyAccessedAPITypeReasons.isEmpty)
      let prefix = "NSPrivacyAccessedAPICategory"
      try #require(entry.NSPrivacyAccessedAPIType.hasPrefix(prefix))
      return String(entry.NSPrivacyAccessedAPIType.dropFirst(prefix.count))
    }.sorted()
  }
}
