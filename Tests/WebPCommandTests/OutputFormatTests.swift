import Foundation
import PureWebP
import TestComparison
import Testing
import WebPExport

/// Proves that other programs read the pixels of each output format.
/// Expected values: the pixels that Pillow reads from the WebP file, and the files of dwebp.
@Suite struct OutputFormatTests {
  private let command = try! Command()

  /// How another program compares the written file with the WebP file.
  private enum Reader {
    /// A Python expression. Pillow has opened the files as `file` and `webp`.
    case pillow(String)
    /// The option with which dwebp writes the same file.
    case dwebp(String)
  }

  /// There is no default, so that a new format needs a reader. Pillow reads neither PAM nor planes.
  private func reader(of format: WebP.FileFormat) -> Reader {
    switch format {
    case .png, .bmp, .tiff: .pillow("file.mode == 'RGBA' and file.tobytes() == webp.tobytes()")
    case .ppm: .pillow("file.tobytes() == webp.convert('RGB').tobytes()")
    case .alphaPGM: .pillow("file.tobytes() == webp.getchannel('A').tobytes()")
    case .pam: .dwebp("-pam")
    case .pgm: .dwebp("-pgm")
    case .yuv: .dwebp("-yuv")
    }
  }

  @Test(.needsPillow, .needs("dwebp"), arguments: WebP.FileFormat.allCases)
  func otherProgramsReadThePixels(format: WebP.FileFormat) throws {
    try command.bring("encoder-cwebp-alpha-q20.webp", as: "a.webp")
    let written = try command.webp("decode", "-f", format.rawValue, "a.webp", "-o", "written")
    written.expectSuccess()
    switch reader(of: format) {
    case .pillow(let isEqual):
      let program = "from PIL import Image; file, webp = map(Image.open, ['written', 'a.webp']); print(\(isEqual))"
      #expect(try command.shell("python3 -c \"\(program)\"").text == "True\n")
    case .dwebp(let option):
      #expect(try command.shell("dwebp -quiet \(option) a.webp -o - | cmp - written").status == 0)
    }
  }
}
