@testable import PureWebP

/// Returns the error that a closure throws. Nil if it throws none.
func decodeError<Result>(_ body: () throws -> Result) -> WebP.DecodeError? {
  do {
    _ = try body()
    return nil
  } catch {
    return error as? WebP.DecodeError
  }
}
