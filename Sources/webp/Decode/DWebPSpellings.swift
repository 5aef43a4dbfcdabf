/// Rewrites dwebp's options that have several operands, because ArgumentParser supports one operand per option.
///
///     -crop 1 2 30 40   --crop=1,2,30,40
///     -resize 30 0      --resize=30x0
///     -scale 30 0       --resize=30x0
func withoutDWebPSpellings(_ arguments: [String]) -> [String] {
  var result: [String] = []
  var rest = arguments[...]
  while let argument = rest.popFirst() {
    switch argument {
    case "-crop":
      result.append("--crop=" + rest.prefix(4).joined(separator: ","))
      rest = rest.dropFirst(4)
    case "-resize", "-scale":
      result.append("--resize=" + rest.prefix(2).joined(separator: "x"))
      rest = rest.dropFirst(2)
    case "--":
      return result + [argument] + rest
    default:
      result.append(argument)
    }
  }
  return result
}
