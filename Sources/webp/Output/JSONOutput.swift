import CommandSystem

/// The objects that --json or --json-lines prints. Each is written immediately.
struct JSONOutput {
  /// Indicates whether the objects are elements of an array, which is closed even if a signal ends the process.
  let isArray: Bool
  private var isEmpty = true
  private var hasFailed = false

  init(isArray: Bool) { self.isArray = isArray }

  mutating func append(_ object: String) throws(Failure) {
    let text = isArray ? "\(isEmpty ? "[" : ",")\n  \(object)" : object + "\n"
    isEmpty = false
    do { try UnfinishedOutput.write(text, end: isArray ? "\n]\n" : nil) } catch {
      hasFailed = true
      throw Failure(writing: "-", error)
    }
  }

  func finish() throws(Failure) {
    guard isArray && !hasFailed else { return }
    do { try UnfinishedOutput.write(isEmpty ? "[]\n" : "\n]\n", end: nil) } catch { throw Failure(writing: "-", error) }
  }
}
