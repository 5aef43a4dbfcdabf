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

  @Flag(name: [.long, .customLong("flip", withSingleDash: true)], help: "Flip the image vertically.")
  var flip = false

  @Flag(help: "Orient the image as its Exif specifies. The output has orientation 1.")
  var upright = false

  func validate() throws {
    let names = [("--resize", resize != nil), ("--fit", fit != nil), ("--fill", fill != nil)].filter(\.1).map(\.0)
    if names.count > 1 { throw ValidationError("\(names[0]) cannot be combined with \(names[1])") }
    if enlarge && fit == nil && fill == nil { throw ValidationError("--enlarge needs --fit or --fill") }
  }

  /// The boxes of --fit or --fill.
  var boxes: [Box] { (fit ?? fill)?.boxes ?? [] }

  /// Returns a message if the boxes do not determine the names of the outputs.
  func problem(of pattern: NamePattern?) -> String? {
    if boxes.count > 1, pattern?.hasSize != true {
      return "several sizes need {width} or {height} in the name, such as -o '{name}-{width}.png'"
    }
    guard let pattern, pattern.hasSize else { return nil }
    return !boxes.isEmpty && boxes.allSatisfy(pattern.isComplete)
      ? nil : "{width} and {height} need both sides of --fit or --fill"
  }

  /// Returns options with crop, size and flip for decoding an image. After decoding, the image must be passed to
  /// `oriented(_:_:)`.
  ///
  /// - Parameter box: one of ``boxes``. Nil is the first one.
  func applied(
    to options: WebP.DecodeOptions, for info: WebP.ImageInfo, orientation: WebP.Orientation? = nil, box: Box? = nil
  ) -> WebP.DecodeOptions {
    var options = options
    options.crop = crop
    let (width, height) = (orientation ?? .up).orientedSize(
      width: crop?.width ?? info.width, height: crop?.height ?? info.height)
    let size =
      resize?.size(forWidth: width, height: height)
      ?? (box ?? boxes.first).map { box in
        fit == nil
          ? .fill(width: box.width, height: box.height, enlarges: enlarge)
          : .fit(width: box.width, height: box.height, enlarges: enlarge)
      }
    options.size = size?.storedSize(for: orientation ?? .up)
    options.flipsVertically = flip && orientation == nil
    return options
  }

  /// Returns the decoded image with its orientation applied. If --flip is specified too, the oriented image is flipped.
  func oriented(_ image: WebP.Image, _ orientation: WebP.Orientation?) -> WebP.Image {
    guard let orientation else { return image }
    let oriented = image.oriented(orientation)
    return flip ? oriented.oriented(.downMirrored) : oriented
  }
}

// MARK: Rectangles and sizes as arguments

extension WebP.Rectangle: ExpressibleByArgument {
  /// Parses `x,y,w,h`.
  public init?(argument: String) {
    let numbers = argument.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
    guard numbers.count == 4, let x = numbers[0], let y = numbers[1], let width = numbers[2], let height = numbers[3]
    else { return nil }
    self.init(x: x, y: y, width: width, height: height)
  }
}

/// A box, `wxh` or `n`. One side may be omitted or 0, and is then unbounded. A single number is both sides.
struct Box: Sendable {
  let width: Int?
  let height: Int?

  init?(_ text: Substring) {
    guard let sides = lengths(of: text) else { return nil }
    (width, height) = (sides[0] == 0 ? nil : sides[0], sides.last == 0 ? nil : sides.last)
  }
}

/// Boxes, separated by commas.
struct Boxes: ExpressibleByArgument {
  let boxes: [Box]

  init?(argument: String) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
    boxes = parts.compactMap { Box($0) }
    if boxes.count < parts.count { return nil }
  }
}

/// A size: `wxh`, `w` or `n%`. One side may be omitted or 0, and then follows from the aspect ratio.
enum NewSize: ExpressibleByArgument {
  case sides(width: Int?, height: Int?)
  case percent(Double)

  init?(argument: String) {
    if argument.hasSuffix("%") {
      guard let percent = Double(argument.dropLast()), percent > 0, percent <= 100_000 else { return nil }
      self = .percent(percent)
    } else {
      guard let sides = lengths(of: argument[...])?.map({ $0 == 0 ? nil : $0 }) else { return nil }
      self = .sides(width: sides[0], height: sides.count == 2 ? sides[1] : nil)
    }
  }

  /// Returns the size for an image of this width and height.
  func size(forWidth width: Int, height: Int) -> WebP.OutputSize {
    switch self {
    case .sides(let width, let height): return .exact(width: width, height: height)
    case .percent(let percent):
      let scaled = [width, height].map { max(1, Int((Double($0) * percent / 100).rounded())) }
      return .exact(width: scaled[0], height: scaled[1])
    }
  }
}

/// Returns one or two numbers that are not negative and not all 0, or nil if the text is not `w`, `wxh`, `wx` or `xh`.
private func lengths(of text: Substring) -> [Int]? {
  let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { $0.isEmpty ? 0 : Int($0) ?? -1 }
  return sides.count <= 2 && sides.allSatisfy { $0 >= 0 } && sides.contains { $0 > 0 } ? sides : nil
}

extension WebP.OutputSize {
  /// Returns the size to which the stored image must be scaled, so that the oriented image has this size.
  func storedSize(for orientation: WebP.Orientation) -> Self {
    orientation.swapsWidthAndHeight ? transposed : self
  }
}
