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

extension Conformance {
  /// The names and bytes of the still images and animations in a table of references.
  static func files<Line: TableLine>(in table: String, of line: Line.Type) -> [(name: String, bytes: [UInt8])] {
    ((try? Self.table(table, of: line)) ?? []).compactMap { reference in
      (try? vector(reference.file)).map { (reference.file, Array($0)) }
    }
  }
}
