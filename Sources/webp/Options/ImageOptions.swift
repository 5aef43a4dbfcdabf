import ArgumentParser
import PureWebP
import WebPExport

/// The part of the image to decode, its size, orientation and colors, as options of a command.
struct ImageOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Decode a rectangle of the stored image, relative to its top left corner.", valueName: "x,y,w,h"))
  var crop: WebP.Rectangle?

  @Option(
    help: ArgumentHelp(
      "Scale after cropping, such as to 320x240 or 50%. 320x, 320 and x240 keep the aspect ratio.", valueName: "wxh"))
  var resize: NewSize?

  @Option(
    help: ArgumentHelp(
      """
      Shrink to the largest size of the same aspect ratio within a box, such as 320x240. 320 is 320x320. decode \
      accepts several boxes, such as 320,640.
      """, valueName: "wxh"))
  var fit: Boxes?

  @Option(
    help: ArgumentHelp(
      "Shrink to the smallest size of the same aspect ratio that covers a box, such as 320x240.", valueName: "wxh"))
  var fill: Boxes?

  @Flag(help: "Let --fit and --fill enlarge, too.")
  var enlarge = false

  @Flag(help: "Flip the stored image vertically.")
  var flip = false

  @Flag(help: "Rotate the image as its Exif specifies. Exif and XMP of the output then have orientation 1.")
  var upright = false

  @Option(
    help: ArgumentHelp(
      "Blend transparent pixels with a color: a name of CSS's basic colors such as white, or RRGGBB.",
      valueName: "color"))
  var background: Color?

  @Flag(help: "Give the output the modification time of the input.")
  var keepTime = false

  @Flag(help: "PNG: Store RGB or RGBA, even if gray or a palette suffices.")
  var keepColors = false

  func validate() throws {
    let names = [("--resize", resize != nil), ("--fit", fit != nil), ("--fill", fill != nil)].filter(\.1).map(\.0)
    if names.count > 1 { throw ValidationError("\(names[0]) cannot be combined with \(names[1])") }
    if enlarge && fit == nil && fill == nil { throw ValidationError("--enlarge needs --fit or --fill") }
  }

  /// The boxes of --fit or --fill.
  var boxes: [Box] { (fit ?? fill)?.boxes ?? [] }

  /// Returns options with crop, size, flip and orientation for decoding an image.
  ///
  /// - Parameter box: one of ``boxes``. Nil is the first one.
  func applied(to options: WebP.DecodeOptions, for info: WebP.ImageInfo, box: Box? = nil) -> WebP.DecodeOptions {
    var options = options
    options.crop = crop
    options.flipsVertically = flip
    options.isUpright = upright
    let part = WebP.Size(width: crop?.width ?? info.width, height: crop?.height ?? info.height)
    options.size =
      resize?.size(for: part.oriented(upright ? info.orientation : .up))
      ?? (box ?? boxes.first).map { box in
        fit == nil
          ? .fill(width: box.width, height: box.height, enlarges: enlarge)
          : .fit(width: box.width, height: box.height, enlarges: enlarge)
      }
    return options
  }

  /// Returns a message about the parts of the input that an output does not contain, or nil if there are none.
  static func message(on losses: [WebP.Loss]) -> String? {
    guard !losses.isEmpty else { return nil }
    let texts = losses.map { loss in
      switch loss {
      case .alpha: "alpha (--background blends it with a color)"
      case .orientation: "orientation (--upright rotates the pixels)"
      case .profile(.unsupported): "ICC profile"
      case .profile(let reason): "ICC profile (\(reason))"
      case .frames, .framesAfterError, .exif, .xmp, .chunk: "\(loss)"
      }
    }
    return "left out \(texts.joined(separator: ", "))"
  }
}
