import ConformanceSupport
import PureWebP
import WebPExport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// libwebp's WebPIDecoder.
@safe struct LibwebpIncremental {
  private typealias Make = @convention(c) (UnsafeRawPointer?, Int, UnsafeMutableRawPointer) -> OpaquePointer?
  private typealias Append = @convention(c) (OpaquePointer, UnsafeRawPointer?, Int) -> CInt
  private typealias Delete = @convention(c) (OpaquePointer) -> Void
  private typealias GetRGB =
    @convention(c) (
      OpaquePointer, UnsafeMutablePointer<CInt>, UnsafeMutablePointer<CInt>, UnsafeMutablePointer<CInt>,
      UnsafeMutablePointer<CInt>
    ) -> UnsafeRawPointer?

  private let make: Make
  private let append: Append
  private let delete: Delete
  private let getRGB: GetRGB

  init?(_ library: UnsafeMutableRawPointer) {
    guard let make = unsafe dlsym(library, "WebPIDecode"), let append = unsafe dlsym(library, "WebPIAppend"),
      let delete = unsafe dlsym(library, "WebPIDelete"), let getRGB = unsafe dlsym(library, "WebPIDecGetRGB")
    else { return nil }
    unsafe self.make = unsafeBitCast(make, to: Make.self)
    unsafe self.append = unsafeBitCast(append, to: Append.self)
    unsafe self.delete = unsafeBitCast(delete, to: Delete.self)
    unsafe self.getRGB = unsafeBitCast(getRGB, to: GetRGB.self)
  }

  /// The state after the first bytes of a file.
  struct Shown {
    /// The VP8StatusCode: 0, `suspended`, or an error.
    var status: Int
    var rows = 0
    /// The CRC-32 of the rows, as RGBA.
    var sum: UInt32 = 0

    static let suspended = 5
    var isError: Bool { status != 0 && status != Self.suspended }
  }

  /// - Parameter config: a WebPDecoderConfig for RGBA.
  func shown(_ start: ArraySlice<UInt8>, _ config: UnsafeMutableRawPointer) -> Shown {
    guard let decoder = unsafe make(nil, 0, config) else { return Shown(status: 1) }
    defer { unsafe delete(decoder) }
    var shown = Shown(status: unsafe start.withUnsafeBytes { unsafe Int(append(decoder, $0.baseAddress, $0.count)) })
    var (rows, width, height, stride): (CInt, CInt, CInt, CInt) = (0, 0, 0, 0)
    guard let pixels = unsafe getRGB(decoder, &rows, &width, &height, &stride) else { return shown }
    shown.rows = Int(rows)
    var bytes = ContiguousArray<UInt8>()
    for row in 0..<Int(rows) {
      unsafe bytes.append(
        contentsOf: UnsafeRawBufferPointer(start: pixels + row * Int(stride), count: 4 * Int(width)))
    }
    shown.sum = crc32(bytes.span)
    return shown
  }
}
