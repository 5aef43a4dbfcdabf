/// The options of dwebp that are rewritten before ArgumentParser parses the command line.
let dwebpSpellings = ["-crop", "-resize", "-scale"]

/// Rewrites dwebp's options that have several operands, because ArgumentParser supports one operand per option.
///
///     -crop 1 2 30 40   --crop=1,2,30,40
///     -resize 30 0      --resize=30x0
///     -scale 30 0       --resize=30x0
func withoutDWebPSpellings(_ arguments: [String]) -> [String] {
  var result: [String] = []
  var rest = arguments[...]
  /// Takes at most `count` numbers. If one is missing, the next option must not be taken in its place.
  func numbers(_ count: Int, separator: String) -> String {
    let numbers = rest.prefix(count).prefix { Int($0) != nil }
    rest = rest.dropFirst(numbers.count)
    return numbers.joined(separator: separator)
  }
  while let argument = rest.popFirst() {
    switch argument {
    case "-crop":
      result.append("--crop=" + numbers(4, separator: ","))
    case "-resize", "-scale":
      result.append("--resize=" + numbers(2, separator: "x"))
    case "--":
      return result + [argument] + rest
    default:
      result.append(argument)
    }
  }
  return result
}
