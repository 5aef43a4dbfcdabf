extension WebP.Metadata {
  /// The orientation that ``exif`` specifies for the pixels; nil if it specifies none. See ``WebP/Image/oriented(_:)``.
  ///
  /// Setting this property changes the orientation in ``exif`` and, if the XMP packet has a TIFF orientation, in
  /// ``xmp``. All other fields stay as they are. If there is no readable Exif block, a block with only the orientation
  /// is created. Setting nil removes the orientation from both.
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

  /// The metadata for the pixels that ``WebP/Image/oriented(_:)`` returns. If Exif or XMP specifies an orientation, it
  /// is replaced with ``WebP/Orientation/up``. All other fields stay as they are.
  ///
  /// The writers of WebPExport call this method for an image that ``WebP/Image/oriented(_:)`` returned.
  public func upright() -> Self {
    var upright = self
    upright.setXMPOrientation(.up)
    if var block = exif.flatMap({ ExifBlock($0) }), block.replaceOrientation(with: .up) { upright.exif = block.bytes }
    return upright
  }

  /// Sets the orientation in the XMP packet, if it has one. Nil removes it.
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
