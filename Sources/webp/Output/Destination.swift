import CommandSystem
import PureWebP
import SystemPackage
import WebPExport

/// The destination that -o specifies. All commands use the same rule:
///
/// | operand | outputs |
/// |---|---|
/// | `-` | standard output |
/// | a folder, or a path that ends in a slash | files in the folder, which is created if it does not exist |
/// | another path, if the command line has one output | this file; its extension specifies the format |
/// | a new path without an extension, if it has several outputs | files in the folder, as with a slash |
enum Destination: Sendable {
  /// Without -o: files next to their inputs.
  case besideInputs
  case standardOutput
  case folder(String)
  case file(String)
  /// The name of each output follows from its input. Only `decode` has patterns.
  case pattern(NamePattern)

  /// - Parameters:
  ///   - operand: the operand of -o.
  ///   - hasSeveralOutputs: whether the command line may have several outputs.
  ///   - subcommand: the subcommand, for errors.
  init(_ operand: String?, hasSeveralOutputs: Bool, of subcommand: String) throws(UsageError) {
    guard let operand else {
      self = .besideInputs
      return
    }
    let kind = operand == "-" ? .other : FileKind(operand)
    if operand == "-" {
      self = .standardOutput
    } else if operand.endsInSlash || kind == .folder {
      self = .folder(operand)
    } else if !hasSeveralOutputs {
      self = .file(operand)
    } else if kind == .nothing && operand.pathExtension.isEmpty {
      self = .folder(operand)
    } else {
      let reason =
        kind == .nothing
        ? "several files need a folder to go to: -o \("\(operand)/".quoted)" : "\(operand) is not a folder"
      throw UsageError(message: reason, subcommand: subcommand)
    }
  }

  /// The folder that is created if it does not exist. Nil if -o names none.
  var folder: String? {
    if case .folder(let path) = self { path } else { nil }
  }

  /// The path that is written even if it exists, because -o names it: a file, or `-`. Nil if the names of the outputs
  /// are derived from the inputs.
  var namedPath: String? {
    switch self {
    case .besideInputs, .folder, .pattern: nil
    case .standardOutput: "-"
    case .file(let path): path
    }
  }

  /// Returns the format of the outputs.
  ///
  /// - Parameters:
  ///   - option: the format that an option specifies.
  ///   - input: an input, for examples in messages.
  ///   - subcommand: the subcommand, for errors.
  func format(_ option: WebP.FileFormat?, of input: String, _ subcommand: String) throws(UsageError) -> WebP.FileFormat
  {
    let path =
      switch self {
      case .file(let path): path
      case .pattern(let pattern): pattern.text
      case .besideInputs, .standardOutput, .folder: ""
      }
    guard option == nil, !path.pathExtension.isEmpty else { return option ?? .png }
    guard let format = path.namedFormat else {
      throw UsageError(message: unwritable(path, of: input), subcommand: subcommand)
    }
    return format
  }
}

/// Explains why an output with this name cannot be written.
func unwritable(_ path: String, of input: String) -> String {
  switch path.pathExtension.lowercased() {
  case "webp": return "\(path): webp does not encode; use cwebp of libwebp"
  case "jpg", "jpeg":
    let pipe = "webp decode --upright --background white -f ppm -o - \(input.quoted) | cjpeg > \(path.quoted)"
    return "\(path): webp does not write JPEG files, but cjpeg does: \(pipe)"
  case "gif", "mp4":
    let isGIF = path.pathExtension.lowercased() == "gif"
    let png = "\(path).png".quoted
    let options =
      isGIF
      ? "-filter_complex 'split[a][b];[a]palettegen[p];[b][p]paletteuse' -enc_time_base 1/100 -final_delay 10"
      : "-vf 'pad=ceil(iw/2)*2:ceil(ih/2)*2' -pix_fmt yuv420p -enc_time_base 1/1000"
    let lines =
      "webp decode --background white -o \(png) \(input.quoted) && "
      + "ffmpeg -i \(png) \(options) -fps_mode passthrough \(path.quoted)"
    return "\(path): webp does not write \(isGIF ? "GIF" : "MP4") files, but ffmpeg does: \(lines)"
  default:
    let known = WebP.FileFormat.allCases.map(\.rawValue).joined(separator: ", ")
    return "\(path): unknown output format; specify one with --format: \(known)"
  }
}

extension String {
  /// The file format that the path's extension indicates.
  var namedFormat: WebP.FileFormat? { WebP.FileFormat(fileExtension: pathExtension) }
}

/// Returns the path without extension of an output whose name -o does not specify. It is derived from the input's name,
/// and is next to the input or in `folder`.
func unnamedOutput(of input: String, in folder: String?) -> FilePath {
  var path = FilePath(argument: input == "-" ? "stdin" : input)
  path.extension = nil
  guard let folder, let name = path.lastComponent else { return path }
  return FilePath(argument: folder).appending(name)
}

/// The message for an output that would replace a file.
func existsAlready(_ path: String) -> String { "\(path) exists already; --force replaces it, -o names another output" }

/// The inputs of a command line by their outputs.
struct OutputOwners {
  let subcommand: String
  private var owners: [ContiguousArray<UInt8>: String] = [:]

  init(subcommand: String) { self.subcommand = subcommand }

  /// Adds an output.
  ///
  /// - Parameter advice: the end of the message about equal outputs.
  /// - Returns: false if the same input has this output already, because the command line names it twice.
  /// - Throws: `UsageError` if another input has this output.
  mutating func add(_ input: String, output: String, advice: String) throws(UsageError) -> Bool {
    let path = FilePath(argument: output)
    let components = path.components.filter { $0.kind != .currentDirectory }
    let key = FilePath(root: path.root, components).argument.systemBytes
    guard let owner = owners.updateValue(input, forKey: key) else { return true }
    if owner == input || FileIdentity(owner).map({ $0 == FileIdentity(input) }) == true { return false }
    throw UsageError(message: "\(owner) and \(input) have the same output \(output); \(advice)", subcommand: subcommand)
  }
}
