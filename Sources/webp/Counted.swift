/// How many there are of something: `1 frame`, `2 frames`.
func counted(_ number: Int, _ name: String) -> String { "\(number) \(name)\(number == 1 ? "" : "s")" }
