// The planes without a header: Y, U, V, and A if the format has it.

import PureWebP

enum YUVWriter {
  static func write(_ image: WebP.Image, to sink: TypedSink) throws(WebP.ExportError) {
    for plane in image.layout.planes { try image.write(plane, to: sink) }
  }
}
