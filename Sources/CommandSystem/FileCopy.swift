/// What came in the way of a copy when the file that it goes to was no more what it had been.
struct UnfinishedCopy: Error, CustomStringConvertible {
  let reason: String
  /// The file that was to be copied.
  let source: String

  var description: String { "\(reason); what is there now is not whole, but \(source) is" }
}

/// Writes what the unfinished file has over what another one has.
///
/// Its end is written first: if there is no room for that, the other file is left as it was. Otherwise the unfinished file
/// stays until its copy is whole, whatever ends the process, which then tells where it is.
///
/// - Throws: `SystemError` if nothing has changed, `UnfinishedCopy` if something has.
func copyUnfinished(_ from: String, to: String) throws {
  let source = try FileDescriptor.reading(from)
  defer { try? source.close() }
  let target = try FileDescriptor.writing(to)
  defer { try? target.close() }
  let oldSize = try target.size
  func unfinished(_ reason: SystemError) -> UnfinishedCopy {
    UnfinishedFile.end()
    return UnfinishedCopy(reason: reason.description, source: from)
  }
  let interruption = UnfinishedCopy(reason: "interrupted", source: from)
  UnfinishedFile.keep(saying: "\(Failure(writing: to, interruption))".shown + "\n")
  do throws(SystemError) {
    try source.copy(from: oldSize, to: target)
  } catch {
    do throws(SystemError) { try target.truncate(to: oldSize) } catch { throw unfinished(error) }
    UnfinishedFile.keepNoMore()
    throw error
  }
  do throws(SystemError) {
    try source.copy(from: 0, to: target)
    try target.truncate(to: source.size)
    try target.synchronize()
  } catch {
    throw unfinished(error)
  }
  UnfinishedFile.keepNoMore()
}
