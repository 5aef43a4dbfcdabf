import Foundation
import PureWebP

/// The memory of an image while it is decoded: at most two bitmaps. Views show the rows so far without a copy.
///
///     first rows      A is delivered, and B receives its rows; decoding continues in B
///     more rows       B is delivered; as soon as nothing retains A, it receives the rows that it lacks
///
/// A bitmap that a `CGImage` or a pending event retains is never written to. If both are retained, decoding waits for
/// more bytes. After the last byte, it does not wait, and the decoder copies the pixels.
struct Bitmaps {
  /// The bitmaps that were delivered, and their numbers of finished rows. The decoder uses the last one.
  private var delivered: [(memory: PixelMemory, finishedRows: Int)] = []
  /// Indicates whether the decoder's pixels were delivered.
  private var isShared = false

  /// Returns the pixels of an image that is not complete, without copying them.
  mutating func deliver(_ image: WebP.Image, finishedRows: Int) -> DrawablePixels {
    let memory = PixelMemory(image.pixels)
    delivered.append((memory, finishedRows))
    isShared = true
    return DrawablePixels(image, memory, isOpaque: false)
  }

  /// Moves a decoder to a bitmap that nothing retains.
  ///
  /// - Parameter isLast: whether all bytes have arrived.
  /// - Returns: whether the decoder may continue.
  mutating func prepare(_ decoder: inout WebP.StreamingDecoder, isLast: Bool) -> Bool {
    guard isShared else { return true }
    if delivered.count == 1 {
      decoder.move(to: nil, finishedRows: 0)
    } else if isKnownUniquelyReferenced(&delivered[0].memory) {
      let free = delivered.removeFirst()
      decoder.move(to: free.memory.take(), finishedRows: free.finishedRows)
    } else {
      return isLast
    }
    isShared = false
    return true
  }
}

/// The memory of pixels, which `CGImage` reads. It is retained by the data that was made of it.
///
/// `@unchecked Sendable` is safe because the pixels do not change while anything else retains the object.
package final class PixelMemory: @unchecked Sendable {
  private var pixels: ContiguousArray<UInt8>

  init(_ pixels: ContiguousArray<UInt8>) { self.pixels = pixels }

  /// The pixels without a copy. The address is valid until the data is released, because an array that does not change
  /// does not move.
  var data: NSData {
    unsafe pixels.withUnsafeBytes { bytes in
      unsafe NSData(
        bytesNoCopy: UnsafeMutableRawPointer(mutating: bytes.baseAddress!), length: bytes.count,
        deallocator: { [self] start, _ in unsafe precondition(isStored(at: start), "the pixels have moved") })
    }
  }

  private func isStored(at start: UnsafeRawPointer) -> Bool {
    unsafe pixels.withUnsafeBytes { unsafe $0.baseAddress == start }
  }

  /// Removes the pixels from an object that nothing else retains.
  func take() -> ContiguousArray<UInt8> {
    var taken = ContiguousArray<UInt8>()
    swap(&taken, &pixels)
    return taken
  }
}
