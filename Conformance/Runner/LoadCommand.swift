import ArgumentParser
import ConformanceSupport
import Dispatch
import Foundation
import PureWebP

private let decodes = 64
/// What threads and the allocator keep for themselves, in KiB.
private let ownMemory = 16 << 10

/// Many decodes at the same time, as on a server: how long they take together and one after another, that their pixels are
/// the same, and what memory they take.
struct LoadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "load", abstract: "64 decodes of files, at the same time and one after another.")

  @OptionGroup var paths: FileArguments

  func run() throws {
    let files = try paths.files().map(Conformance.read)
    guard !files.isEmpty else { throw ValidationError("there are no *.webp") }
    guard residentKiB() != nil else { throw ValidationError("memory in use is only told on Linux") }
    var single = WebP.DecodeOptions()
    single.threads = .one

    // One after another, on one thread; what each takes by itself.
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
      "\(decodes) decodes: \(seconds(serial)) one after another, \(seconds(together)) together, ratio "
        + "\(String(format: "%.2f", together / serial)); \(areSame ? "the same pixels" : "OTHER PIXELS"); "
        + "\(peak / 1024) MiB, the sum of each by itself \(sum / 1024) MiB")
    guard areSame, peak <= sum + ownMemory else { throw ExitCode.failure }
  }

  private func seconds(_ time: Double) -> String { String(format: "%.2f s", time) }

  private func time(_ body: () -> Void) -> Double {
    let start = DispatchTime.now().uptimeNanoseconds
    body()
    return Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
  }

  /// Has the system count the peak of memory anew.
  private func resetPeak() {
    try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
  }
}

/// What many threads write to.
private final class Verdicts: @unchecked Sendable {
  private let lock = NSLock()
  private var verdicts: [Verdict?]

  init(count: Int) { verdicts = Array(repeating: nil, count: count) }

  func set(_ index: Int, _ verdict: Verdict) { lock.withLock { verdicts[index] = verdict } }

  subscript(_ index: Int) -> Verdict? { lock.withLock { verdicts[index] } }
}
