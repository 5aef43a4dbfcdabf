import ArgumentParser
import ConformanceGenerator
import ConformanceSupport
import Foundation
import PureWebP

/// Decodes many valid and corrupted files in one process: in one call, incrementally, and frame by frame. The memory of
/// the process must not grow.
struct EnduranceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "endurance",
    abstract: "Decodes valid and corrupted files in one process, and checks that its memory does not grow.")

  @Argument(help: "The number of files.")
  var count: UInt32

  /// The allowed growth in KiB. The allocator retains some freed memory.
  private static let tolerance = 4096

  /// The number of times that all files are decoded before memory is measured.
  private static let warmUp = 8

  func run() throws {
    guard residentKiB() != nil else { throw ValidationError("memory can be measured only on Linux") }
    let files = try FileArguments.files([Conformance.vectors.path]).map(Conformance.read)
    for number in 0..<Self.warmUp * files.count { Self.decode(number, of: files) }
    let before = residentKiB() ?? 0
    var highest = before
    var decoded = 0
    for number in 0..<Int(count) {
      decoded += Self.decode(Self.warmUp * files.count + number, of: files) ? 1 : 0
      if number % 100 == 0 { highest = max(highest, residentKiB() ?? 0) }
    }
    let after = residentKiB() ?? 0
    say("\(count) decodes, \(decoded) successful: \(before) KiB before, \(after) after, peak \(highest)")
    if after - before > Self.tolerance { throw ExitCode.failure }
  }

  /// - Returns: whether decoding succeeded.
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

/// Returns the resident memory of the process in KiB, or its peak. Nil on systems other than Linux.
func residentKiB(peak: Bool = false) -> Int? {
  let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
  let line = status.split(separator: "\n").first { $0.hasPrefix(peak ? "VmHWM:" : "VmRSS:") }
  return line?.split(separator: " ").compactMap { Int($0) }.first
}
