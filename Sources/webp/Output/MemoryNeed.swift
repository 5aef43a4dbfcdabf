import CommandSystem
import PureWebP

/// Throws a `Failure` if the resource limits of the process do not permit the memory for an image.
///
/// The decoder would end the process, and with it the batch. The need is documented in Documentation/Limits.md.
///
/// - Parameters:
///   - input: the file.
///   - info: its headers.
///   - options: the options for decoding it.
///   - copies: the number of images of the output size that are in memory at the same time.
func checkMemory(
  for input: String, _ info: WebP.ImageInfo, _ options: WebP.DecodeOptions, copies: Int
) throws(Failure) {
  guard let available = availableMemory, let size = try? options.outputSize(for: info) else { return }
  let pixels = Double(size.width) * Double(size.height) * (info.hasAlpha || info.isAnimated ? 4 : 3) * Double(copies)
  // Canvases are composed in the size of the file.
  let canvases = info.isAnimated ? Double(info.width) * Double(info.height) * 8 : 0
  let threads = min(options.threads.count, processorCount)
  let need = pixels + canvases + Double(4 << 20) + Double(threads - 1) * Double(14 << 20)
  guard need > Double(available) else { return }
  let needed = byteSize(Int(min(need, 1e18)))
  throw Failure(input, "needs \(needed) of memory; the limits of the process (ulimit) leave \(byteSize(available))")
}
