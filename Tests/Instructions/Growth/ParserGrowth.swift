import Foundation
import PureWebP

/// Runs each parser and encoder on inputs of one, two and four times a length. `Tests/Instructions/check` counts the
/// instructions of each call of `measuredRun`, and prints the names that this program prints. An argument selects those
/// whose names contain it.
@main
enum ParserGrowth {
  static func main() {
    let filter = CommandLine.arguments.dropFirst().first ?? ""
    for parser in coreParsers + headerParsers + encoders where filter.isEmpty || parser.name.contains(filter) {
      print(parser.name)
      let inputs = [1, 2, 4].map { parser.run($0 * parser.count) }
      inputs[0]()  // initializes what is initialized once
      for input in inputs {
        measuredRun {}  // ends the count of what precedes it
        measuredRun(input)
      }
    }
  }
}

struct MeasuredParser {
  let name: String
  /// The number of repetitions in the shortest input.
  let count: Int
  /// Makes an input with a number of repetitions, and returns a closure that parses it.
  let run: (Int) -> () -> Void

  init(_ name: String, _ count: Int, _ run: @escaping (Int) -> () -> Void) {
    (self.name, self.count, self.run) = (name, count, run)
  }
}

@inline(never)
func measuredRun(_ body: () -> Void) {
  body()
}

func repeated(_ text: String, _ count: Int) -> [UInt8] { Array(String(repeating: text, count: count).utf8) }

func littleEndian(_ value: Int, _ count: Int = 4) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

func chunk(_ fourCC: String, _ payload: [UInt8]) -> [UInt8] {
  Array(fourCC.utf8) + littleEndian(payload.count) + payload + (payload.count % 2 == 1 ? [0] : [])
}

func riff(_ chunks: [UInt8]) -> [UInt8] { chunk("RIFF", Array("WEBP".utf8) + chunks) }
