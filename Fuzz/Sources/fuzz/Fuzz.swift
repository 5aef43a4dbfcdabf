// The main program, which replaces libFuzzer's `main` and selects the target by name.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The function that libFuzzer calls with each input; see libFuzzer's FuzzerInterface.h.
private typealias TestOneInput = @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ argumentCount: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>, _ test: TestOneInput
) -> CInt

/// Set once, before the first input.
private nonisolated(unsafe) var target = Target.still

@main
struct Fuzz {
  static func main() {
    guard CommandLine.arguments.count > 1, let chosen = Target(rawValue: CommandLine.arguments[1]) else {
      print("usage: fuzz \(Target.allCases.map(\.rawValue).joined(separator: "|")) [libFuzzer's arguments]")
      exit(2)
    }
    unsafe target = chosen
    // libFuzzer interprets arguments that are not options as folders, so the target's name is removed.
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
