extension FileFormat {
  /// The format as it appears in error messages.
  var title: String {
    switch self {
    case .otherRIFF: "a RIFF file of another type"
    case .jpeg: "a JPEG image"
    case .png: "a PNG image"
    case .gif: "a GIF image"
    case .avif: "an AVIF image"
    case .heif: "a HEIF image"
    case .mp4: "an MP4 video"
    case .jpegXL: "a JPEG XL image"
    case .bmp: "a BMP image"
    case .tiff: "a TIFF image"
    case .pdf: "a PDF document"
    case .svg: "an SVG or XML document"
    case .html: "an HTML page"
    case .webm: "a WebM video"
    case .gzip: "gzip data"
    }
  }
}
