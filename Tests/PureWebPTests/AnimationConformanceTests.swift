import ConformanceSupport
import PureWebP
import Testing

/// Composed frames against those of libwebp's animation decoder (Conformance/references).
@Suite struct AnimationConformanceTests {
  private static let references = Result { try Conformance.table("animations.tsv", of: AnimationReference.self) }

  @Test func framesAgreeWithLibwebp() throws {
    let references = try Self.references.get()
    #expect(references.count > 400)
    for reference in references { try reference.expectNoDifferences() }
  }

  @Test func framesInAnyOrderAreTheSame() throws {
    for reference in try Self.references.get() {
      let differences = reference.differencesOfSingleFrames(of: try Conformance.vector(reference.file))
      #expect(differences.isEmpty, "\(reference.file)")
    }
  }
}
