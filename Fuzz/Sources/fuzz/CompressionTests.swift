import ConformanceGenerator
import FuzzZlib
import PureWebP
import WebPExport

/// Compresses rows to a PNG and decompresses them with zlib. The rows are literals, runs and copies, as the input
/// selects them, so that a short input has long repetitions.
func testCompression(_ input: [UInt8], _ choices: inout Choices) {
  let levels = [WebP.PNGCompression.automatic, .level(1), .level(6), .level(9)]
  let compression = levels[choices.below(levels.count)]
  let types = [WebP.PNGHeader.ColorType.gray, .grayAlpha, .rgb, .rgba]
  let width = 1 + choices.below(choices.oneIn(2) ? 16 : 3000)
  let type = types[choices.below(types.count)]
  let rowBytes = WebP.PNGHeader(width: width, height: 1, colorType: type).bytesPerRow
  var bytes = expanded(input)
  let height = max(1, bytes.count / rowBytes)
  bytes += [UInt8](repeating: 0, count: max(0, height * rowBytes - bytes.count))
  bytes.removeLast(bytes.count - height * rowBytes)

  let header = WebP.PNGHeader(width: width, height: height, colorType: type)
  var file: [UInt8] = []
  do {
    let threads = WebP.Threads.atMost(1 + choices.below(3))
    let writer = try WebP.PNGWriter(header, compression: compression, threads: threads)
    try writer.write(rows: ContiguousArray(bytes).span) { file += $0 }
    try writer.finish { file += $0 }
  } catch {
    check(false, "rows can be written: \(error)")
  }
  let filtered = inflated(imageData(of: file), count: height * (1 + rowBytes))
  check(unfiltered(filtered, rowBytes: rowBytes, pixelBytes: rowBytes / width) == bytes, "the PNG has the rows")
}

/// Each byte of the input selects a literal, a run, or a copy with the distance in the next byte or two.
private func expanded(_ input: [UInt8]) -> [UInt8] {
  var bytes: [UInt8] = []
  var input = input[...]
  while let first = input.popFirst(), bytes.count < 200_000 {
    let count = 1 + Int(first >> 2) * 5
    switch first & 3 {
    case 0:
      bytes += input.prefix(Int(first >> 5) + 1)
      input = input.dropFirst(Int(first >> 5) + 1)
    case 1: bytes += [UInt8](repeating: input.first ?? 0, count: count)
    default:
      let high = first & 3 == 3 ? Int(input.popFirst() ?? 0) << 8 : 0
      let distance = min(1 + high + Int(input.popFirst() ?? 0), bytes.count)
      for _ in 0..<count where distance > 0 { bytes.append(bytes[bytes.count - distance]) }
    }
  }
  return bytes
}

/// The contents of all IDAT chunks.
private func imageData(of file: [UInt8]) -> [UInt8] {
  var (data, start) = ([UInt8](), 8)
  while start + 12 <= file.count {
    let size = file[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
    if file[start + 4..<start + 8].elementsEqual("IDAT".utf8) { data += file[start + 8..<start + 8 + size] }
    start += 12 + size
  }
  return data
}

private func inflated(_ data: [UInt8], count: Int) -> [UInt8] {
  var bytes = [UInt8](repeating: 0, count: count)
  var (written, read) = (uLong(count), uLong(data.count))
  let status = unsafe uncompress2(&bytes, &written, data, &read)
  check(status == Z_OK && Int(written) == count && Int(read) == data.count, "zlib reads the stream: \(status)")
  return bytes
}

/// Reverses the filters (PNG specification, third edition, section 9.2).
private func unfiltered(_ filtered: [UInt8], rowBytes: Int, pixelBytes: Int) -> [UInt8] {
  var above = [UInt8](repeating: 0, count: rowBytes)
  var bytes: [UInt8] = []
  for start in stride(from: 0, to: filtered.count, by: rowBytes + 1) {
    var row = Array(filtered[start + 1...start + rowBytes])
    for index in 0..<rowBytes {
      let (a, c) = index < pixelBytes ? (0, 0) : (Int(row[index - pixelBytes]), Int(above[index - pixelBytes]))
      let b = Int(above[index])
      let nearest = [a, b, c].min { abs(a + b - c - $0) < abs(a + b - c - $1) } ?? 0
      row[index] &+= UInt8([0, a, b, (a + b) / 2, nearest][Int(filtered[start])])
    }
    bytes += row
    above = row
  }
  return bytes
}
