// Decodes images from flash memory, row by row, into a frame buffer that is smaller than they are. Prints the CRC-32 of
// all decoded pixels, and the peak of the memory that the decoder used.

/// A display of 80 × 60 pixels, 16 bits each: 5 bits of red, 6 of green, 5 of blue.
struct FrameBuffer {
  static let width = 80
  static let height = 60
  var pixels = ContiguousArray<UInt16>(repeating: 0, count: width * height)

  /// Draws the row of an image that is scaled to the size of the display.
  ///
  /// - Parameters:
  ///   - y: the index of the row.
  ///   - image: the size of the image.
  ///   - row: the RGBA pixels of the row.
  mutating func draw(_ y: Int, of image: WebPCompact.ImageInfo, _ row: Span<UInt8>) {
    // The lines of the display for which this row is the nearest row of the image.
    func firstLine(_ y: Int) -> Int { (y * Self.height + image.height - 1) / image.height }
    let lines = firstLine(y)..<firstLine(y + 1)
    for line in lines {
      for x in 0..<Self.width {
        let offset = 4 * (x * image.width / Self.width)
        let (red, green, blue) = (UInt16(row[offset]), UInt16(row[offset + 1]), UInt16(row[offset + 2]))
        pixels[line * Self.width + x] = (red & 0xF8) << 8 | (green & 0xFC) << 3 | blue >> 3
      }
    }
  }
}

struct CRC32 {
  private var state: UInt32 = 0xFFFF_FFFF
  var sum: UInt32 { ~state }

  mutating func add(_ bytes: Span<UInt8>) {
    for index in bytes.indices {
      state ^= UInt32(bytes[index])
      for _ in 0..<8 { state = state & 1 == 1 ? state >> 1 ^ 0xEDB8_8320 : state >> 1 }
    }
  }
}

private func show(_ name: StaticString, _ file: Span<UInt8>) throws(WebPCompact.DecodeError) {
  let image = try WebPCompact.info(file)
  var display = FrameBuffer()
  var crc = CRC32()
  let usedBefore = unsafe heap.startMeasuring()
  fillStack()
  try WebPCompact.decodeRows(file) { y, row in
    display.draw(y, of: image, row)
    crc.add(row)
  }
  let (heapSize, stackSize) = unsafe (heap.peak - usedBefore, usedStack())
  write(name)
  write(": ", image.width, " x ", image.height, ", CRC-32 ")
  write(crc.sum)
  write(", heap ", heapSize, " bytes, stack ", stackSize, " bytes, frame buffer ")
  write("", 2 * display.pixels.count, " bytes\n")
}

/// Called by the reset handler. Decodes both images, and ends the emulation.
@_cdecl("run")
public func run() {
  do throws(WebPCompact.DecodeError) {
    try show("lossy", unsafe file(lossyStart(), lossyEnd()).span)
    try show("lossless", unsafe file(losslessStart(), losslessEnd()).span)
  } catch {
    write(error.detail)
    write("\n")
    end(isFailure: true)
  }
  end(isFailure: false)
}

private func file(_ start: UInt, _ end: UInt) -> UnsafeBufferPointer<UInt8> {
  unsafe UnsafeBufferPointer(start: UnsafePointer(bitPattern: start), count: Int(end - start))
}
