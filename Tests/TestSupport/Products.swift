import Foundation

/// The package's executables, which are in the folder of the test bundle.
public enum Products {
  private final class Marker {}

  public static func url(_ name: String) -> URL {
    // On systems other than Apple's, the bundle of a class is the folder of the program.
    let bundle = Bundle(for: Marker.self).bundleURL
    let folder = bundle.pathExtension == "xctest" ? bundle.deletingLastPathComponent() : bundle
    return folder.appendingPathComponent(name)
  }
}
