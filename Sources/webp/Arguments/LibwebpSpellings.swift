import PureWebP
import WebPExport

/// Rewrites options that are spelled as libwebp's and other tools spell them.
///
///     -nofancy        --no-fancy
///     -pam            --format=pam
///     -crop 1 2 3 4   --crop=1,2,3,4     (ArgumentParser supports one operand per option.)
///     -resize 30 0    --resize=30x0
func withoutLibwebpSpellings(_ words: [String]) -> [String] {
  var result: [String] = []
  var rest = words[...]
  /// Takes at most `count` numbers. If one is missing, the next option must not be taken in its place.
  func numbers(_ count: Int, separator: String) -> String {
    let numbers = rest.prefix(count).prefix { Int($0) != nil }
    rest = rest.dropFirst(numbers.count)
    return numbers.joined(separator: separator)
  }
  while let word = rest.popFirst() {
    switch word {
    case "--": return result + [word] + rest
    case "-crop": result.append("--crop=" + numbers(4, separator: ","))
    case "-resize", "-scale": result.append("--resize=" + numbers(2, separator: "x"))
    case "-mt", "-noasm", "-incremental": break  // They do not change the output.
    case "-nodither": result.append("--dither=0")
    case "-dither", "-flip", "-quiet", "-summary", "-version": result.append("-" + word)
    case "-nofancy": result.append("--no-fancy")
    case "-nofilter": result.append("--no-filter")
    case "-alpha_dither": result.append("--alpha-dither")
    case "--out": result.append("--output")
    case "-diag": result.append("--diagnosis")
    case "-bitstream_info": result.append("--bitstream-info")
    default:
      let format = word.hasPrefix("-") ? WebP.FileFormat(rawValue: String(word.drop { $0 == "-" })) : nil
      result.append(format.map { "--format=\($0.rawValue)" } ?? word)
    }
  }
  return result
}
