import ConformanceSupport
import Testing

extension TableLine {
  /// Expects that the result for the vector equals the reference.
  func expectNoDifferences(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let differences = try differences()
    #expect(differences.isEmpty, "\(file)", sourceLocation: sourceLocation)
  }
}

extension Reference: CustomTestStringConvertible {
  public var testDescription: String { file }
}
