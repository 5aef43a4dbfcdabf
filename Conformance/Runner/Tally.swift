import ArgumentParser
import Foundation

/// Prints a line at once, so that it is there even if the next file should crash the decoder.
func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// What a run has found.
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

  /// Ends the program, unless files were compared, and none differs.
  func exit() throws(ExitCode) {
    guard agreed > 0, differed == 0 else { throw .failure }
  }

  func finish(_ what: String) {
    say("\(what): \(agreed) as they must be, \(differed) differ" + (skipped > 0 ? ", \(skipped) not compared" : ""))
  }
}
