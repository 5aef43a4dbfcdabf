// libFuzzer's side: its own `main` gives way to this one, which says by name what is to be fuzzed.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What libFuzzer calls with each input it makes up; see libFuzzer's FuzzerInterface.h.
private typealias TestOneInput = @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ argumentCount: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>, _ test: TestOneInput
) -> CInt

/// Chosen once, before the first input.
private nonisolated(unsafe) var target = Target.still

@main
struct Fuzz {
  static func main() {
    guard CommandLine.arguments.count > 1, let chosen = Target(rawValue: CommandLine.arguments[1]) else {
      print("usage: fuzz \(Target.allCases.map(\.rawValue).joined(separator: "|")) [libFuzzer's arguments]")
      exit(2)
    }
    unsafe target = chosen
    // libFuzzer takes everything that is no option for a folder: the target's name must not be among it.
    unsafe CommandLine.unsafeArgv[1] = CommandLine.unsafeArgv[0]
    var count = CommandLine.argc - 1
    var arguments = unsafe CommandLine.unsafeArgv + 1
    _ = unsafe runDriver(&count, &arguments) { bytes, count in
      let input = unsafe [UInt8](UnsafeBufferPointer(start: bytes, count: count))
      unsafe target.test(input)
      return 0
    }
  }
}
