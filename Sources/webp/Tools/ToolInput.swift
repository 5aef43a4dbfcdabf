import CommandSystem
import PureWebP

/// All bytes of a file, or with `-` of standard input; says what libwebp's tools say if there are none.
func readToolInput(_ path: String) -> [UInt8]? {
  if path == "-" {
    if let bytes = try? FileDescriptor.standardInput.readAll(limit: WebP.Limits().maximumBytes) { return bytes }
    printError("Could not read from stdin.")
    return nil
  }
  guard let file = try? FileDescriptor.reading(path) else {
    printError("cannot open input file '\(path)'")
    return nil
  }
  defer { try? file.close() }
  guard let bytes = try? file.readAll(limit: WebP.Limits().maximumBytes), !bytes.isEmpty else {
    printError("Could not read 0 bytes of data from file \(path)")
    return nil
  }
  return bytes
}
