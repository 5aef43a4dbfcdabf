import ConformanceSupport
import PureWebP
import Testing

/// Proves that composed frames equal the output of libwebp's animation decoder.
/// Expected values: Conformance/references/animations.tsv, which libwebp wrote.
@Suite struct AnimationConformanceTests {
  private static let references = Result { try Conformance.table("animations.tsv", of: AnimationReference.self) }

  @Test func framesMatchLibwebp() throws {
    let references = try Self.references.get()
    #expect(references.count > 400)
    for reference in references { try reference.expectNoDifferences() }
  }

  @Test func framesDoNotDependOnTheOrderOfRequests() throws {
    for reference in try Self.references.get() {
      let differences = reference.differencesOfSingleFrames(of: try Conformance.vector(reference.file))
      #expect(differences.isEmpty, "\(reference.file)")
    }
  }
}
