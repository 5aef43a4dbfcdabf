import ArgumentParser

/// The form of results for programs, as options of a command.
struct JSONOptions: ParsableArguments {
  @Flag(help: "Print a JSON array of objects. A file with an error has an object with the member error.")
  var json = false

  @Flag(help: "Print the JSON object of each file on a line, when the file is finished.")
  var jsonLines = false

  func validate() throws {
    if json && jsonLines { throw ValidationError("--json cannot be combined with --json-lines") }
  }

  /// Nil if results are text for people.
  var output: JSONOutput? { json || jsonLines ? JSONOutput(isArray: json) : nil }
}
