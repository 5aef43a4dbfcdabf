import Foundation
import TestSupport
import Testing

/// Proves that `webp inline` finds and runs the program webp-inline, and reports errors by the name that the user typed.
/// Expected values: texts that are written in the tests. `InlineCommandTests` proves which pages the program writes.
@Suite struct InlineTests {
  let command = try! Command()

  /// The tests call the command by a link whose folder has no other program.
  @Test func theHelperIsFoundThroughALink() throws {
    let help = try command.shell("PATH=/usr/bin:/bin ./webp inline --help")
    #expect(help.status == 0 && help.text.contains("USAGE: webp inline"))
    try command.shell("mkdir bin; ln -s ../webp bin/webp").expectSuccess()
    #expect(try command.shell("PATH=$PWD/bin:/usr/bin:/bin webp inline --help").text == help.text)
  }

  /// Users may also run the program webp-inline directly.
  @Test(arguments: ["webp inline", "webp-inline"])
  func errorsUseTheNameThatWasTyped(_ name: String) throws {
    let path = Products.url("webp").deletingLastPathComponent().path
    let call = "PATH='\(path)':/usr/bin:/bin; \(name)"
    let mistake = try command.shell("\(call) --bogus")
    #expect(mistake.status == 64 && mistake.errors.contains("\n  See '\(name) --help' for more information."))
    #expect(try command.shell("\(call) --help").text.contains("USAGE: \(name) <page>"))
  }

  @Test func aMissingHelperIsReported() throws {
    try command.shell("mkdir bin; cp \"$(readlink webp)\" bin/webp").expectSuccess()
    let result = try command.shell("PATH=/usr/bin:/bin ./bin/webp inline page.html -o -")
    #expect(result.status == 1)
    #expect(result.errors.split(separator: "\n").count == 1)
    #expect(result.errors.contains("swift build -c release --product webp-inline"))
    try command.shell("printf '#!/bin/sh\\necho \"$@\"\\n' > bin/webp-inline; chmod +x bin/webp-inline").expectSuccess()
    #expect(try command.shell("./bin/webp inline page.html -o -").text == "page.html -o -\n")
    try command.shell("mkdir other; mv bin/webp-inline other").expectSuccess()
    #expect(try command.shell("PATH=$PWD/other:$PATH ./bin/webp inline -q").text == "-q\n")
  }

  @Test func aHelperThatIsNotExecutableIsReported() throws {
    try command.shell("mkdir bin; cp \"$(readlink webp)\" bin/webp; touch bin/webp-inline").expectSuccess()
    let result = try command.shell("./bin/webp inline page.html -o -")
    #expect(result.status == 1 && result.errors.hasSuffix("/bin/webp-inline: Permission denied\n"))
  }

  @Test func unreadablePagesAreReported() throws {
    for (page, reason) in [("none.html", "No such file or directory"), (".", "Is a directory")] {
      let result = try command.webp("inline", page, "-o", "out.html")
      #expect(result.status == 1 && result.errors == "webp: \(page): \(reason)\n")
    }
    #expect(try command.files.isEmpty)
  }

  /// No server listens on the port. The error shows that a connection was attempted.
  @Test func schemesMayBeInUpperCase() throws {
    let result = try command.webp("inline", "HTTP://127.0.0.1:9/", "-o", "out.html")
    #expect(result.status == 1 && result.errors.hasPrefix("webp: HTTP://127.0.0.1:9/: "))
    #expect(!result.errors.contains("unsupported URL") && !result.errors.contains("No such file"), "\(result.errors)")
  }

  @Test func aClosedStandardErrorIsIgnored() throws {
    try command.write(#"<img src="missing.webp">"#, to: "page.html")
    let result = try command.shell("./webp inline page.html -o out.html 2>&-")
    #expect(result.status == 0)
    #expect(try command.read("out.html") == command.read("page.html"))
  }
}
