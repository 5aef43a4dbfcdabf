import ArgumentParser

extension CompletionKind {
  /// WebP files, and the folders that lead to them.
  static var webPFile: Self { .file(extensions: ["webp"]) }
}
