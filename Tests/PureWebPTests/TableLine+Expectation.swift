import ConformanceSupport
import Testing

extension TableLine {
  /// Expects that PureWebP's answer for the vector is as it must be.
  func expectNoDifferences(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let differences = try differences()
    #expect(differences.isEmpty, "\(file)", sourceLocation: sourceLocation)
  }
}
