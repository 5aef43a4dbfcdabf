import Foundation

/// Prints a line at once, so that it is there even if the next file should crash the decoder.
func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// What a run has found.
struct Tally {
  var quiet = false
  var agreed = 0
  var differed = 0
  var skipped = 0

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

  /// Whether files were compared, and none differs.
  var holds: Bool { agreed > 0 && differed == 0 }

  func finish(_ what: String) {
    say("\(what): \(agreed) as they must be, \(differed) differ" + (skipped > 0 ? ", \(skipped) not compared" : ""))
  }
}
