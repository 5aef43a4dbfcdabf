/// Seconds with three decimals, as C's %.3f prints them, and an s.
func seconds(_ time: Double) -> String {
  let milliseconds = Int((time * 1000).rounded(.toNearestOrEven))
  let fraction = String(milliseconds % 1000)
  return "\(milliseconds / 1000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction)s"
}
