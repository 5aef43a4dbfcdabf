extension WebP.Metadata {
  /// The orientation that ``exif`` specifies for the pixels; nil if it specifies none. See ``WebP/Image/oriented(_:)``.
  ///
  /// Setting it changes this field of ``exif`` and, where the XMP packet has a TIFF orientation, of ``xmp``. All other
  /// fields stay as they are. If there is no Exif block, or one that cannot be read, a block with only the orientation is
  /// created. Nil removes the field from both.
  public var orientation: WebP.Orientation? {
    get { exif.flatMap { ExifBlock($0)?.orientation } }
    set {
      setXMPOrientation(newValue)
      guard var block = exif.flatMap({ ExifBlock($0) }) else {
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

  /// The metadata for the pixels that ``WebP/Image/oriented(_:)`` returns: the orientation is ``WebP/Orientation/up`` in
  /// Exif and in XMP, where they specify one. All other fields stay as they are.
  ///
  /// The writers of WebPExport do this themselves for an image that ``WebP/Image/oriented(_:)`` returned.
  public func upright() -> Self {
    var upright = self
    upright.setXMPOrientation(.up)
    if var block = exif.flatMap({ ExifBlock($0) }), block.replaceOrientation(with: .up) { upright.exif = block.bytes }
    return upright
  }

  /// - Parameter orientation: Nil removes the property.
  private mutating func setXMPOrientation(_ orientation: WebP.Orientation?) {
    guard var packet = xmp else { return }
    for property in XMPOrientation(packet).properties.reversed() {
      if let orientation {
        packet.replaceSubrange(property.value, with: [UInt8(ascii: "0") + UInt8(orientation.rawValue)])
      } else {
        packet.removeSubrange(property.range)
      }
    }
    xmp = packet
  }

  /// The Exif block as PNG and TIFF store it: without the prefixes of JPEG's Exif segment.
  package var exifWithoutPrefix: ArraySlice<UInt8>? { exif.map { $0[ExifBlock.prefixCount(of: $0)...] } }
}
