import Foundation

/// The package's executables, which lie beside the bundle of the tests.
public enum Products {
  private final class Marker {}

  public static func url(_ name: String) -> URL {
    // Elsewhere than on Apple's systems the bundle of a class is the folder of the program itself.
    let bundle = Bundle(for: Marker.self).bundleURL
    let folder = bundle.pathExtension == "xctest" ? bundle.deletingLastPathComponent() : bundle
    return folder.appendingPathComponent(name)
  }
}
