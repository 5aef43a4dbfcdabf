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

    /// Indicates whether there are no chunks.
    package var isEmpty: Bool { self == Self() }
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
  /// Exif alone decides how an image is shown. The TIFF orientation that an XMP packet may have is not read.
  ///
  /// Setting this property has the result of ``setOrientation(_:)``. If that method would throw an error, nothing
  /// changes.
  public var orientation: WebP.Orientation? {
    get { exifBlock?.orientation }
    set { try? setOrientation(newValue) }
  }

  /// Sets the orientation in ``exif`` and, if the XMP packet has a TIFF orientation, in ``xmp``. All other fields stay
  /// as they are. If there is no Exif, a block with only the orientation is created.
  ///
  /// - Parameter orientation: Nil removes the orientation from both.
  /// - Throws: `unsupported` if the Exif block is not a TIFF structure, or if its first directory is full. Nothing
  ///   changes then.
  public mutating func setOrientation(_ orientation: WebP.Orientation?) throws(WebP.DecodeError) {
    if var block = exifBlock {
      if let orientation {
        guard block.replaceOrientation(with: orientation) || block.insert(orientation) else {
          throw WebP.DecodeError(.unchangeableExif)
        }
        exif = block.bytes
      } else {
        exif = block.removeOrientation() ? block.bytes : nil
      }
    } else if let orientation {
      guard exif ?? [] == [] else { throw WebP.DecodeError(.unchangeableExif) }
      exif = ExifBlock(orientation).bytes
    }
    setXMPOrientation(orientation)
  }

  /// The metadata of the image that is decoded with ``WebP/DecodeOptions/isUpright``. If ``orientation`` specifies a
  /// transformation, it becomes ``WebP/Orientation/up``, in XMP too. Otherwise nothing changes. All other fields stay
  /// as they are.
  ///
  /// The writers of WebPExport do the same for an image whose ``WebP/Image/appliedOrientation`` is not `up`.
  package func upright() -> Self { describing(orientation) }

  /// The metadata of an image to which an orientation has been applied. If it is a transformation, the orientations in
  /// Exif and XMP become `up`.
  package func describing(_ appliedOrientation: WebP.Orientation?) -> Self {
    var metadata = self
    if appliedOrientation ?? .up != .up {
      metadata.setXMPOrientation(.up)
      if var block = exifBlock, block.replaceOrientation(with: .up) { metadata.exif = block.bytes }
    }
    return metadata
  }

  /// Indicates whether the XMP packet has a TIFF orientation.
  package var hasXMPOrientation: Bool {
    guard let xmp else { return false }
    return !Self.orientations(in: xmp).occurrences.isEmpty
  }

  private static func orientations(in packet: [UInt8]) -> XMPProperty {
    XMPProperty("Orientation", namespace: "http://ns.adobe.com/tiff/1.0/", in: packet)
  }

  /// Sets the orientation in the XMP packet, if it has one. Nil removes it.
  private mutating func setXMPOrientation(_ orientation: WebP.Orientation?) {
    guard let packet = xmp else { return }
    var edits: [(range: Range<Int>, text: [UInt8])] = []
    for property in Self.orientations(in: packet).occurrences.reversed() {
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
