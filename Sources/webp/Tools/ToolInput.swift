import CommandSystem
import PureWebP

/// Reads a file, or standard input if the path is `-`. If it cannot be read, prints the message of libwebp's tools, and
/// returns nil.
func readToolInput(_ path: String) -> [UInt8]? {
  let limit = WebP.Limits().maximumBytes
  guard var input = try? InputFile(path) else {
    printError(path == "-" ? "Could not read from stdin." : "cannot open input file '\(path)'")
    return nil
  }
  guard let bytes = try? input.readAll(limit: limit), path == "-" || !bytes.isEmpty else {
    printError(path == "-" ? "Could not read from stdin." : "Could not read 0 bytes of data from file \(path)")
    return nil
  }
  return bytes
}
