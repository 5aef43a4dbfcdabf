internal import WebPFormat

extension WebP {
  /// The metadata chunks of a file, as the file stores them (RFC 9649, sections 2.7.1.4 to 2.7.1.6).
  public struct Metadata: Hashable, Sendable {
    /// A chunk that the format does not define.
    public struct Chunk: Hashable, Sendable {
      /// The name of the chunk.
      public var fourCC: FourCC
      /// The bytes of the chunk, without header and padding.
      public var payload: [UInt8]

      /// Creates a chunk.
      public init(fourCC: FourCC, payload: [UInt8]) {
        self.fourCC = fourCC
        self.payload = payload
      }
    }

    /// An ICC profile.
    public var icc: [UInt8]?
    /// Exif, as a TIFF structure.
    public var exif: [UInt8]?
    /// XMP, as XML in UTF-8.
    public var xmp: [UInt8]?
    /// The chunks that the format does not define, in the order of the file.
    public var unknown: [Chunk]

    /// Creates metadata. The default has no chunks.
    public init(icc: [UInt8]? = nil, exif: [UInt8]? = nil, xmp: [UInt8]? = nil, unknown: [Chunk] = []) {
      self.icc = icc
      self.exif = exif
      self.xmp = xmp
      self.unknown = unknown
    }

    /// Metadata without chunks.
    public static var none: Self { Self() }

    /// Indicates whether there are no chunks.
    public var isEmpty: Bool { self == Self() }
  }
}

extension WebP.Metadata {
  /// A chunk that the format defines.
  package enum Kind: CaseIterable, Sendable {
    case icc, exif, xmp

    init?(_ fourCC: FormatFourCC) {
      guard let kind = Self.allCases.first(where: { $0.fourCC == fourCC }) else { return nil }
      self = kind
    }

    private var fourCC: FormatFourCC {
      switch self {
      case .icc: .iccp
      case .exif: .exif
      case .xmp: .xmp
      }
    }
  }

  package subscript(kind: Kind) -> [UInt8]? {
    get {
      switch kind {
      case .icc: icc
      case .exif: exif
      case .xmp: xmp
      }
    }
    set {
      switch kind {
      case .icc: icc = newValue
      case .exif: exif = newValue
      case .xmp: xmp = newValue
      }
    }
  }
}

extension WebP.Metadata {
  /// The orientation that ``exif`` specifies for the pixels; nil if it specifies none. See ``WebP/Image/oriented(_:)``.
  ///
  /// Setting this property changes the orientation in ``exif`` and, if the XMP packet has a TIFF orientation, in
  /// ``xmp``. All other fields stay as they are. If there is no readable Exif block, a block with only the orientation
  /// is created. Setting nil removes the orientation from both.
  public var orientation: WebP.Orientation? {
    get { exifBlock?.orientation }
    set {
      setXMPOrientation(newValue)
      guard var block = exifBlock else {
        exif = newValue.map { ExifBlock($0).bytes } ?? exif
        return
      }
      if let newValue {
        let isSet = block.replaceOrientation(with: newValue) || block.insert(newValue)
        exif = isSet ? block.bytes : ExifBlock(newValue).bytes
      } else {
        exif = block.removeOrientation() ? block.bytes : nil
      }
    }
  }

  /// The metadata for the pixels that ``WebP/Image/oriented(_:)`` returns. If Exif or XMP specifies an orientation, it
  /// is replaced with ``WebP/Orientation/up``. All other fields stay as they are.
  ///
  /// The writers of WebPExport call this method for an image that ``WebP/Image/oriented(_:)`` returned.
  public func upright() -> Self {
    var upright = self
    upright.setXMPOrientation(.up)
    if var block = exifBlock, block.replaceOrientation(with: .up) { upright.exif = block.bytes }
    return upright
  }

  /// Sets the orientation in the XMP packet, if it has one. Nil removes it.
  private mutating func setXMPOrientation(_ orientation: WebP.Orientation?) {
    guard let packet = xmp else { return }
    var edits: [(range: Range<Int>, text: [UInt8])] = []
    let orientations = XMPProperty("Orientation", namespace: "http://ns.adobe.com/tiff/1.0/", in: packet)
    for property in orientations.occurrences.reversed() {
      let range = orientation == nil ? property.range : property.value
      // An attribute of an element that is removed too precedes the element in the list, but ends within it.
      if let last = edits.last, range.upperBound > last.range.lowerBound { continue }
      edits.append((range, orientation.map { [UInt8(ascii: "0") + UInt8($0.rawValue)] } ?? []))
    }
    var output: [UInt8] = []
    var copied = 0
    for edit in edits.reversed() {
      output += packet[copied..<edit.range.lowerBound]
      output += edit.text
      copied = edit.range.upperBound
    }
    xmp = output + packet[copied...]
  }
}
