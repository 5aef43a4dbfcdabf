extension WebP {
  /// The bytes of a file's metadata chunks, as they are in the file (RFC 9649, section 2.7.1.4 to 2.7.1.6).
  public struct Metadata: Hashable, Sendable {
    /// An ICC profile.
    public var icc: [UInt8]?
    /// Exif, as a TIFF structure.
    public var exif: [UInt8]?
    /// XMP, as XML in UTF-8.
    public var xmp: [UInt8]?

    public init(icc: [UInt8]? = nil, exif: [UInt8]? = nil, xmp: [UInt8]? = nil) {
      self.icc = icc
      self.exif = exif
      self.xmp = xmp
    }

    public var isEmpty: Bool { icc == nil && exif == nil && xmp == nil }
  }
}
