import ArgumentParser
import ConformanceGenerator
import ConformanceSupport
import Foundation
import PureWebP

/// Decodes by the ten thousand in one process, good files and damaged ones, at once, in pieces and frame by frame: in the
/// end the process has the memory that it began with.
struct EnduranceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "endurance",
    abstract: "Decodes in one process, good files and damaged ones: memory in use has to stay.")

  @Argument(help: "How many files.")
  var count: UInt32

  /// How much more memory may be in use: what the allocator keeps for the next time.
  private static let tolerance = 4096

  /// How often all files are decoded before memory is looked at.
  private static let warmUp = 8

  func run() throws {
    guard residentKiB() != nil else { throw ValidationError("memory in use is only told on Linux") }
    let files = try FileArguments.files([Conformance.vectors.path]).map(Conformance.read)
    // Until the allocator has seen everything once.
    for number in 0..<Self.warmUp * files.count { Self.decode(number, of: files) }
    let before = residentKiB() ?? 0
    var highest = before
    var decoded = 0
    for number in 0..<Int(count) {
      decoded += Self.decode(Self.warmUp * files.count + number, of: files) ? 1 : 0
      if number % 100 == 0 { highest = max(highest, residentKiB() ?? 0) }
    }
    let after = residentKiB() ?? 0
    say("\(count) decodes, \(decoded) of them good: \(before) KiB before, \(after) after, \(highest) at the most")
    if after - before > Self.tolerance { throw ExitCode.failure }
  }

  /// - Returns: whether there was a picture.
  @discardableResult
  private static func decode(_ number: Int, of files: [[UInt8]]) -> Bool {
    let good = files[number % files.count]
    let file = number / files.count % 2 == 0 ? good : Damage.number(number, of: good)
    switch number % 4 {
    case 0:
      var decoder = WebP.StreamingDecoder(options: .damaged)
      for start in stride(from: 0, to: file.count, by: 500) {
        guard (try? decoder.append(file[start..<min(start + 500, file.count)])) != nil else { return false }
      }
      return (try? decoder.finish()) != nil
    case 1:
      guard let animation = try? WebP.Animation(file, options: .damaged) else { return false }
      return animation.reduce(0) { $0 + $1.image.height } > 0
    default:
      return (try? WebP.decode(file, options: .damaged)) != nil
    }
  }
}

/// How much memory the process has in RAM. Nil where the system does not tell.
func residentKiB(peak: Bool = false) -> Int? {
  let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
  let line = status.split(separator: "\n").first { $0.hasPrefix(peak ? "VmHWM:" : "VmRSS:") }
  return line?.split(separator: " ").compactMap { Int($0) }.first
}
