import ArgumentParser
import Foundation

/// Prints a line without buffering, so that it is not lost if the next file crashes the decoder.
func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// The results of a run.
struct Tally {
  let quiet: Bool
  private var agreed = 0
  private var differed = 0
  private var skipped = 0

  init(quiet: Bool) { self.quiet = quiet }

  mutating func note(_ file: String, _ differences: [String]?, _ verdict: @autoclosure () -> String = "ok") {
    guard let differences else {
      skipped += 1
      if !quiet { say("\(file)\tnot compared: \(verdict())") }
      return
    }
    if differences.isEmpty {
      agreed += 1
      if !quiet { say("\(file)\t\(verdict())") }
    } else {
      differed += 1
      say("\(file)\tDIFFERS\t\(differences.joined(separator: "; "))")
    }
  }

  /// - Throws: `ExitCode.failure` if a file differs, or if none was compared.
  func exit() throws(ExitCode) {
    guard agreed > 0, differed == 0 else { throw .failure }
  }

  func finish(_ what: String) {
    say("\(what): \(agreed) agree, \(differed) differ" + (skipped > 0 ? ", \(skipped) not compared" : ""))
  }
}
