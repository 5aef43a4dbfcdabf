// swift-format-ignore-file: AlwaysUseLowerCamelCase, because the names are libwebp's

// The functions of webp/types.h.
//
// Unsafe code: pointers are passed to the C library, and not accessed.

public import CWebP

@c @implementation public func WebPMalloc(_ size: Int) -> UnsafeMutableRawPointer? {
  // Larger sizes are negative numbers, or exceed libwebp's limit for one allocation on 64-bit processors.
  0...1 << 34 ~= size ? unsafe webp_malloc(size) : nil
}

@c @implementation public func WebPFree(_ memory: UnsafeMutableRawPointer?) { unsafe webp_free(memory) }

// MARK: Pointers

/// The first of several bytes, which are not changed.
public typealias CBytes = UnsafePointer<UInt8>
/// The first of several bytes.
public typealias CPixels = UnsafeMutablePointer<UInt8>
/// The place for a number.
public typealias CNumber = UnsafeMutablePointer<Int32>
/// The place for the start of a plane.
public typealias CPlane = UnsafeMutablePointer<CPixels?>
public typealias CBuffer = UnsafeMutablePointer<WebPDecBuffer>
public typealias CConfig = UnsafeMutablePointer<WebPDecoderConfig>
public typealias CFeatures = UnsafeMutablePointer<WebPBitstreamFeatures>
public typealias CFrame = UnsafeMutablePointer<WebPIterator>
public typealias CChunk = UnsafeMutablePointer<WebPChunkIterator>
