import ArgumentParser
import CommandSystem

/// The result of an input.
struct FileResult: Sendable {
  let input: String
  /// Indicates whether the outputs were written.
  var isWritten = false
  /// Messages for people, in order.
  var messages: [String] = []
  private(set) var failure: Failure?

  init(_ input: String, _ failure: Failure? = nil) {
    self.input = input
    if let failure { add(failure) }
  }

  mutating func add(_ failure: Failure) {
    self.failure = failure
    messages.append("\(failure)")
  }
}

/// Prints the results of a batch in order, and counts them.
struct BatchReport {
  private(set) var count = 0
  private(set) var written = 0
  private(set) var failed = 0
  /// The number of files that are truncated or corrupt.
  private(set) var corrupt = 0
  private(set) var exitCode: Int32 = 0
  private var isDiskFull = false
  private var json: JSONOutput?
  /// The failure of standard output.
  private var outputFailure: Failure?

  init(json: JSONOutput?) { self.json = json }

  /// Adds a result.
  ///
  /// - Returns: false if no more inputs are to be begun.
  mutating func add(_ result: FileResult) -> Bool {
    count += 1
    if result.isWritten { written += 1 }
    // A full disk is reported once, although several jobs may find it full.
    let isKnown = isDiskFull && result.failure?.endsBatch == true
    if !isKnown { for message in result.messages { printError(message) } }
    if let failure = result.failure {
      failed += 1
      if ["truncated", "corrupt", "unsupported"].contains(failure.kind) { corrupt += 1 }
      isDiskFull = isDiskFull || failure.endsBatch
      exitCode = max(exitCode, failure.exitCode)
    }
    do throws(Failure) { try json?.append(jsonObject(ofFile: result.input, result.failure)) } catch {
      outputFailure = error
    }
    return !isDiskFull && outputFailure == nil
  }

  /// Completes the output.
  ///
  /// - Throws: `ExitCode` if it could not be written.
  func finish() throws {
    ProgressLine.clear()
    do throws(Failure) {
      if let outputFailure { throw outputFailure }
      try json?.finish()
    } catch {
      throw reported(error)
    }
  }
}
