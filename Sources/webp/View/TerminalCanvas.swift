import CommandSystem
import PureWebP
import WebPExport

/// The area of a terminal in which images are drawn.
struct TerminalCanvas: Equatable {
  let kind: TerminalProtocol
  let columns: Int
  let rows: Int
  /// The size of a cell, in image pixels.
  private let cellWidth: Int
  private let cellHeight: Int
  /// Indicates whether the terminal does not report its size in pixels, so that `cellWidth` and `cellHeight` are
  /// assumptions.
  private let isSizeAssumed: Bool

  /// Creates the area for drawing in a terminal.
  ///
  /// - Parameters:
  ///   - kind: the protocol.
  ///   - terminal: the size of the terminal.
  ///   - columns: the maximum number of columns to use, or nil for all columns.
  ///   - reservedRows: the number of rows that must stay free.
  init(_ kind: TerminalProtocol, in terminal: TerminalSize, columns: Int?, reservedRows: Int) {
    self.kind = kind
    self.columns = min(columns ?? .max, terminal.columns)
    rows = max(1, terminal.rows - reservedRows)
    // Half blocks show two pixels in a cell. If the terminal does not report its size in pixels, the cells of the VT340
    // are assumed, which have 10 × 20 pixels.
    (cellWidth, cellHeight) = kind.showsPixels ? terminal.cell ?? (10, 20) : (1, 2)
    isSizeAssumed = terminal.cell == nil
  }

  /// Returns the size to which an image must be scaled, or nil if it fits without scaling.
  func size(for image: WebP.Size) -> WebP.OutputSize? {
    let (areaWidth, areaHeight) = (columns * cellWidth, rows * cellHeight)
    return image.width > areaWidth || image.height > areaHeight ? .fit(width: areaWidth, height: areaHeight) : nil
  }

  /// Returns the bytes that make the terminal show an image and move the cursor below it.
  ///
  /// - Parameters:
  ///   - image: an RGBA image that fits into the area.
  ///   - number: the identifier of the image in the terminal, or nil for none. The image replaces an earlier image with
  ///     the same identifier.
  func drawing(of image: WebP.Image, number: Int? = nil) throws -> ContiguousArray<UInt8> {
    switch kind {
    case .cells, .cells256: return ContiguousArray(cellDrawing(of: image, isIndexed: kind == .cells256).utf8)
    case .sixel: return SixelWriter.bytes(of: image)
    case .kitty:
      var keys = "a=T,f=100,q=2,"
      if let number { keys += "i=\(number)," }
      // This key makes the terminal scale the image. It is not needed if the terminal reports its size in pixels,
      // because the image then has its final size.
      if isSizeAssumed { keys += "c=\(cellColumns(of: image))," }
      return ContiguousArray(kittyCommands(keys, payload: base64(try image.encoded())).utf8)
    case .iterm2:
      let png = try image.encoded()
      let layout = "width=\(cellColumns(of: image));preserveAspectRatio=1"
      return ContiguousArray("\u{1B}]1337;File=inline=1;size=\(png.count);\(layout):\(base64(png))\u{7}\n".utf8)
    }
  }

  /// Moves the cursor from below an image to its first row.
  func moveToTop(of image: WebP.Image) -> ContiguousArray<UInt8> {
    let count = (image.height + cellHeight - 1) / cellHeight
    // Sixels do not draw transparent pixels, so the previous frame must be erased.
    let erasure = kind == .sixel && !image.isOpaque ? "\u{1B}[J" : ""
    return ContiguousArray("\u{1B}[\(count)A\r\(erasure)".utf8)
  }

  private func cellColumns(of image: WebP.Image) -> Int { (image.width + cellWidth - 1) / cellWidth }

  /// Returns the commands for a payload, each with at most 4096 characters of it, as kitty's protocol demands.
  private func kittyCommands(_ keys: String, payload: String) -> String {
    var output = ""
    var rest = Substring(payload)
    var keys = keys
    repeat {
      let part = rest.prefix(4096)
      rest = rest.dropFirst(4096)
      output += "\u{1B}_G\(keys)m=\(rest.isEmpty ? 0 : 1);\(part)\u{1B}\\"
      keys = ""
    } while !rest.isEmpty
    return output + "\n"
  }
}

extension WebP.Image {
  /// Indicates whether no pixel of an RGBA image shows the terminal's background.
  fileprivate var isOpaque: Bool { !Swift.stride(from: 3, to: pixels.count, by: 4).contains { pixels[$0] < 128 } }
}
