import PureWebP

// Chunks and metadata.

private let tiff = "xmlns:t=\"http://ns.adobe.com/tiff/1.0/\""

/// Sets and removes the orientation in an XMP packet.
private func xmp(_ name: String, _ text: @escaping (Int) -> String) -> MeasuredParser {
  MeasuredParser("XMP: \(name)", 2000) { count in
    let metadata = WebP.Metadata(xmp: Array(text(count).utf8))
    return {
      var changed = metadata.upright()
      changed.orientation = nil
    }
  }
}

/// A TIFF structure whose first directory has these entries.
private func exif(_ entries: [[UInt8]]) -> [UInt8] {
  Array("II".utf8) + littleEndian(42, 2) + littleEndian(8) + littleEndian(entries.count, 2) + entries.joined()
    + littleEndian(0)
}

private func entry(_ tag: Int, _ type: Int, _ value: Int) -> [UInt8] {
  littleEndian(tag, 2) + littleEndian(type, 2) + littleEndian(1) + littleEndian(value)
}

/// VP8X, with the flag of animations.
private let extended = chunk("VP8X", [2, 0, 0, 0, 0, 0, 0, 0, 0, 0])
private let animation = chunk("ANIM", [0, 0, 0, 0, 0, 0])
/// A frame of one pixel.
private let frame = chunk(
  "ANMF",
  [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 100, 0, 0, 2]
    + chunk("VP8L", [0x2F, 0, 0, 0, 0x10, 0x07, 0x10, 0x11, 0x11, 0x88, 0x88, 0xFE, 0x07]))

private func chunks(_ name: String, _ parse: @escaping ([UInt8]) -> Void) -> [MeasuredParser] {
  let bodies: [(String, [UInt8], [UInt8])] = [
    ("unknown chunks", extended + animation, chunk("abcd", [])), ("frames", extended + animation, frame),
    ("frames without images", extended + animation, chunk("ANMF", [UInt8](repeating: 0, count: 16))),
    ("chunks before the image", chunk("VP8X", [UInt8](repeating: 0, count: 10)), chunk("ALPH", [])),
    ("profiles", extended + animation, chunk("ICCP", [1])),
  ]
  return bodies.map { title, head, unit in
    MeasuredParser("\(name): \(title)", 50) { count in
      let file = riff(head + repeatElement(unit, count: count).joined())
      return { parse(file) }
    }
  }
}

var coreParsers: [MeasuredParser] {
  [
    xmp("attributes") { "<x \(tiff)" + String(repeating: " t:Orientation=\"\"", count: $0) + "/>" },
    xmp("elements") { "<x \(tiff)>" + String(repeating: "<t:Orientation>6</t:Orientation>", count: $0) },
    xmp("prefixes") {
      "<x"
        + (0..<$0).map { " xmlns:t\($0)=\"http://ns.adobe.com/tiff/1.0/\" t\($0):Orientation=\"6\"" }.joined() + "/>"
    },
    xmp("other prefixes") { "<x \(tiff)" + (0..<$0).map { " t\($0):Orientation=\"6\"" }.joined() + "/>" },
    xmp("quotes") { String(repeating: "<a b='<a b=\"", count: $0) },
    xmp("comments") { String(repeating: "<!--<![CDATA[<?<a>", count: $0) },
    xmp("open elements") { String(repeating: "<t:Orientation ", count: $0) + String(repeating: ">", count: $0) },
    MeasuredParser("Exif: orientations", 1000) { count in
      let metadata = WebP.Metadata(exif: exif(Array(repeating: entry(0x0112, 3, 6), count: count) + [entry(256, 3, 1)]))
      return {
        var changed = metadata.upright()
        changed.orientation = nil
      }
    },
    MeasuredParser("Exif: prefixes", 1000) { count in
      let metadata = WebP.Metadata(exif: repeated("Exif\0\0", count) + exif([entry(0x0112, 3, 6)]))
      return { _ = metadata.upright() }
    },
    MeasuredParser("Exif: entries before the orientation", 1000) { count in
      let metadata = WebP.Metadata(exif: exif(Array(repeating: entry(256, 3, 1), count: count)))
      return {
        var changed = metadata
        changed.orientation = .down
      }
    },
  ] + chunks("info") { _ = try? WebP.info($0) } + chunks("metadata") { _ = WebP.metadata($0) }
    + chunks("Animation") { _ = try? WebP.Animation($0) }
    + chunks("StreamingAnimation, each byte") {
      var animation = WebP.StreamingAnimation()
      for byte in $0 { _ = try? animation.append([byte]) }
    }
    + chunks("StreamingDecoder, each byte") {
      var decoder = WebP.StreamingDecoder()
      for byte in $0 { _ = try? decoder.append([byte]) }
    }
}
