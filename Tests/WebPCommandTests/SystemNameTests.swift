import CommandSystem
import Foundation
import Testing

/// Proves that file names are converted to strings and back without changes, including names that are not UTF-8.
/// Expected values: the original bytes, for valid, invalid and truncated sequences.
@Suite struct SystemNameTests {
  /// UTF-8, and invalid sequences: truncated, overlong, surrogates, beyond Unicode, and the code points that represent
  /// invalid bytes.
  static let names: [[UInt8]] = [
    [UInt8]("plain.webp".utf8), [UInt8]("café 😀".utf8), [0x63, 0xE9, 0x2E], [0xFF], [0x80, 0x80], [0xC3], [0xE2, 0x82],
    [0xF0, 0x9F, 0x98, 0x2F, 0x61], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xEF, 0xBF, 0xBD],
    [0xF4, 0x8F, 0xBF, 0xA9], [0xF4, 0x8F, 0xBE, 0x80, 0xE9], [UInt8](1...255), [],
  ]

  @Test(arguments: names)
  func bytesAreRestored(_ bytes: [UInt8]) {
    let name = String(systemBytes: bytes)
    #expect(Array(name.systemBytes) == bytes)
    guard let text = String(bytes: bytes, encoding: .utf8) else { return }
    if !text.unicodeScalars.contains(where: { $0.value > 0x10_FF7F }) { #expect(name == text) }
  }

  @Test func differentBytesGiveDifferentStrings() {
    #expect(Set(Self.names.map { String(systemBytes: $0) }).count == Self.names.count)
  }

  #if os(Linux)
    /// Other systems reject such file names.
    @Test func filesWithInvalidNamesAreReadAndWritten() throws {
      let command = try Command(with: "encoder-cwebp-q75.webp")
      let result = try command.shell(
        """
        set -e; name=$(printf 'caf\\351'); other=$(printf 'caf\\352'); mkdir $name.d
        cp a.webp $name.webp; cp a.webp $other.webp
        ./webp decode $name.webp; ./webp decode $name.webp $other.webp -o $name.d
        ./webp decode a.webp -o a.png
        cmp $name.png a.png; cmp $name.d/$name.png a.png; cmp $name.d/$other.png a.png
        ./webp info $name.webp
        ./webp info $other.webp >&2 --json
        """)
      result.expectSuccess()
      #expect(result.output.starts(with: Data("caf".utf8) + [0xE9] + Data(".webp: 67 × 45".utf8)))
      // The name is given in Base64, too.
      let name = Data(Array("caf".utf8) + [0xEA] + Array(".webp".utf8)).base64EncodedString()
      #expect(result.errors.contains(#""file": "caf\#u{FFFD}.webp", "fileBase64": "\#(name)""#))
      let missing = try command.shell("./webp info $(printf 'caf\\353') 2>&1")
      #expect(missing.output == Data("webp: caf".utf8) + [0xEB] + Data(": No such file or directory\n".utf8))
    }
  #endif
}
