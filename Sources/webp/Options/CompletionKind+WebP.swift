import ArgumentParser

extension CompletionKind {
  /// Completes the names of WebP files and of folders.
  static var webPFile: Self { .file(extensions: ["webp"]) }
}
