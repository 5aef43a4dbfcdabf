import ArgumentParser
import PureWebP

/// The part of the image to decode, its size and its orientation, as options of a command.
struct GeometryOptions: ParsableArguments {
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
      "Shrink to the largest size of the same aspect ratio within a box, such as 320x240. 320 is 320x320.",
      valueName: "wxh"))
  var fit: Box?

  @Option(
    help: ArgumentHelp(
      "Shrink to the smallest size of the same aspect ratio that covers a box, such as 320x240.", valueName: "wxh"))
  var fill: Box?

  @Flag(help: "Let --fit and --fill enlarge, too.")
  var enlarge = false

  @Flag(name: [.long, .customLong("flip", withSingleDash: true)], help: "Flip the image vertically.")
  var flip = false

  @Flag(help: "Orient the image as its Exif specifies. The output has orientation 1.")
  var upright = false

  func validate() throws {
    let names = [("--resize", resize != nil), ("--fit", fit != nil), ("--fill", fill != nil)].filter(\.1).map(\.0)
    if names.count > 1 { throw ValidationError("\(names[0]) cannot be combined with \(names[1])") }
    if enlarge && fit == nil && fill == nil { throw ValidationError("--enlarge needs --fit or --fill") }
  }

  /// Returns the orientation to apply to the image. Returns nil without --upright, or if the metadata does not specify
  /// an orientation.
  func orientation(_ metadata: WebP.Metadata) -> WebP.Orientation? { upright ? metadata.orientation : nil }

  /// Sets crop, size and flip in the options for decoding an image. After decoding, the image must be passed to
  /// `oriented(_:_:)`.
  func apply(to options: inout WebP.DecodeOptions, for info: WebP.ImageInfo, orientation: WebP.Orientation?) {
    options.crop = crop
    let (width, height) = (orientation ?? .up).orientedSize(
      width: crop?.width ?? info.width, height: crop?.height ?? info.height)
    let size =
      resize?.size(forWidth: width, height: height) ?? fit?.fitting(enlarges: enlarge)
      ?? fill?.filling(enlarges: enlarge)
    options.size = size?.storedSize(for: orientation ?? .up)
    options.flipsVertically = flip && orientation == nil
  }

  /// Returns the decoded image with its orientation applied. If --flip is specified too, the oriented image is flipped.
  func oriented(_ image: WebP.Image, _ orientation: WebP.Orientation?) -> WebP.Image {
    guard let orientation else { return image }
    let oriented = image.oriented(orientation)
    return flip ? oriented.oriented(.downMirrored) : oriented
  }
}
