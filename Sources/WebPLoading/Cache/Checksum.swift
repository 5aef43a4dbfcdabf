import Foundation
import WebPExport

extension Data {
  /// CRC-32.
  var checksum: UInt32 {
    var checksum: UInt32 = 0
    // A slice of Data has one region, Data made of pieces several.
    for region in regions { checksum = ContiguousArray(region).withChecksum(after: checksum) }
    return checksum
  }
}

extension ContiguousArray<UInt8> {
  fileprivate func withChecksum(after checksum: UInt32) -> UInt32 { crc32(span, after: checksum) }
}
