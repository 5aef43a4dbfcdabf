import Foundation
import TestComparison
import TestSupport
import Testing

/// Other programs, which check the files independently.
enum Tool {
  /// Evaluates a Python expression for each file, and returns one line for each. In the expression, `i` is the image
  /// that Pillow opened.
  static func pillow(_ expression: String, of files: [[UInt8]]) throws -> [Substring] {
    let folder = try TemporaryFolder.make()
    for (index, file) in files.enumerated() { try Data(file).write(to: folder.appendingPathComponent("\(index)")) }
    let program = """
      import sys; from PIL import Image
      for number in range(int(sys.argv[2])):
        i = Image.open(sys.argv[1] + '/' + str(number)); print(\(expression))
      """
    let result = try FinishedProcess(named: "python3", ["-W", "ignore", "-c", program, folder.path, "\(files.count)"])
    let lines = result.text.split(separator: "\n")
    try #require(result.status == 0 && lines.count == files.count, "\(result.text)\(result.errors)")
    return lines
  }
}
