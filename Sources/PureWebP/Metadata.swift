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

    /// A Boolean value that indicates whether there are no chunks.
    public var isEmpty: Bool { icc == nil && exif == nil && xmp == nil && unknown.isEmpty }
  }
}
