import ArgumentParser
import ConformanceSupport
import Dispatch
import Foundation
import PureWebP

private let decodes = 64
/// The memory that threads and the allocator retain, in KiB.
private let ownMemory = 16 << 10

/// Decodes many files at the same time, as a server does. Compares time, memory and pixels with sequential decoding.
struct LoadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "load", abstract: "Runs 64 decodes at the same time, and the same sequentially.")

  @OptionGroup var paths: FileArguments

  func run() throws {
    let files = try paths.files().map(Conformance.read)
    guard !files.isEmpty else { throw ValidationError("no *.webp files found") }
    guard residentKiB() != nil else { throw ValidationError("memory can be measured only on Linux") }
    var single = WebP.DecodeOptions()
    single.threads = .one

    // Decodes sequentially on one thread, and measures the memory of each file.
    resetPeak()
    let base = residentKiB(peak: true) ?? 0
    var expected: [Verdict] = []
    let alone = files.map { file -> Int in
      resetPeak()
      let before = residentKiB() ?? 0
      expected.append(Verdict(file, options: single))
      return max(0, (residentKiB(peak: true) ?? 0) - before)
    }
    guard expected.allSatisfy({ $0.status == 0 }) else { throw ValidationError("not all files can be decoded") }
    let serial = time {
      for index in 0..<decodes { _ = Verdict(files[index % files.count], options: single) }
    }

    resetPeak()
    let verdicts = Verdicts(count: decodes)
    let together = time {
      let group = DispatchGroup()
      for index in 0..<decodes {
        DispatchQueue.global().async(group: group) {
          verdicts.set(index, Verdict(files[index % files.count]))
        }
      }
      group.wait()
    }
    let peak = (residentKiB(peak: true) ?? 0) - base
    let sum = (0..<decodes).reduce(0) { $0 + alone[$1 % files.count] }
    let areSame = (0..<decodes).allSatisfy { verdicts[$0] == expected[$0 % files.count] }
    say(
      "\(decodes) decodes: \(seconds(serial)) sequentially, \(seconds(together)) at the same time, ratio "
        + "\(String(format: "%.2f", together / serial)); \(areSame ? "equal pixels" : "DIFFERENT PIXELS"); "
        + "\(peak / 1024) MiB, sum of single decodes \(sum / 1024) MiB")
    guard areSame, peak <= sum + ownMemory else { throw ExitCode.failure }
  }

  private func seconds(_ time: Double) -> String { String(format: "%.2f s", time) }

  private func time(_ body: () -> Void) -> Double {
    let start = DispatchTime.now().uptimeNanoseconds
    body()
    return Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
  }

  /// Resets the peak of the process's memory.
  private func resetPeak() {
    try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
  }
}

/// An array of verdicts that many threads write to.
private final class Verdicts: @unchecked Sendable {
  private let lock = NSLock()
  private var verdicts: [Verdict?]

  init(count: Int) { verdicts = Array(repeating: nil, count: count) }

  func set(_ index: Int, _ verdict: Verdict) { lock.withLock { verdicts[index] = verdict } }

  subscript(_ index: Int) -> Verdict? { lock.withLock { verdicts[index] } }
}
