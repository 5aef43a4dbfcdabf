import Foundation
import TestSupport

/// The package's executables.
enum Programs {
  /// Runs a program to its end.
  static func run(_ name: String, _ arguments: [String]) async throws -> FinishedProcess {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(with: Result { try FinishedProcess(Products.url(name), arguments) })
      }
    }
  }
}
