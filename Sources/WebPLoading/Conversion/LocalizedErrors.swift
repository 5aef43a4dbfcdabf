import Foundation
import PureWebP
import WebPExport

// The texts that `localizedDescription` returns, which would otherwise return the name of the type and a number.

extension WebP.DecodeError: LocalizedError {
  /// The problem and its position in the bytes, in English.
  public var errorDescription: String? { description }
}

extension WebP.ExportError: LocalizedError {
  /// The problem, in English.
  public var errorDescription: String? { description }
}

extension WebP.ConversionError: LocalizedError {
  /// The problem and its position in the bytes, in English.
  public var errorDescription: String? { description }
}
