import Foundation
import Testing

@testable import WebPLoading
@testable import WebPPages

/// Proves that a style sheet replaces a link only where browsers recognize the link. Elsewhere, it could become markup.
/// Expected values: pages that the tests write, following the HTML Living Standard, sections 13.2.5 and 13.2.6.5.
@Suite struct LiveLinkTests {
  /// In the pages, {+} is a link that must be replaced, and {-} is a link that must be unchanged.
  private func expectLinks(_ page: String) throws {
    func filled(_ live: String) -> String {
      let link = "<link rel=stylesheet href=a.css>"
      return page.replacingOccurrences(of: "{+}", with: live.isEmpty ? link : live)
        .replacingOccurrences(of: "{-}", with: link)
    }
    let replacements = PageReplacements(
      base: try #require(URL(string: "http://site/")), image: { _ in nil }, styleSheet: { _ in "sheet" })
    let rewritten = HTMLRewriter.rewrite(Array(filled("").utf8), replacements)
    #expect(String(decoding: rewritten, as: UTF8.self) == filled("<style>sheet</style>"))
  }

  @Test(
    arguments: [
      "<svg>{-}</svg>{+}", "<MATH>{-}</math >{+}", "<svg/>{+}", "<svg></math>{-}</svg>{+}",
      "<svg><math></math>{-}</svg>{+}", "<svg><svg>{-}</svg>{-}</svg>{+}", "<svg></svgs>{-}</svg/>{+}",
      "<svg><title>Words</title>{-}<style>a{b:c}</style></svg>{+}",
    ])
  func linksInForeignContentAreKept(page: String) throws { try expectLinks(page) }

  /// How browsers parse these elements depends on the elements that are open. Therefore links after them are not
  /// replaced.
  @Test(
    arguments: [
      "<svg><![CDATA[>{-}</svg>{-}]]></svg>{-}", "<svg><script><!--</script></svg>{-}--></script></svg>{-}",
      "<svg><p><script/></svg>{-}</script>{-}", "<svg><style><p title='</style></svg>{-}'></style></svg>{-}",
      "<svg></math><style><p title='</style>{-}'></style></svg>{-}",
    ])
  func linksAfterAmbiguousContentAreKept(page: String) throws { try expectLinks(page) }

  @Test(
    arguments: [
      "<?x {-}{+}", "<!x {-}{+}", "<!{-}{+}", "</ {-}{+}", "</?{-}{+}", "</1 a='{-}{+}", "<!doctype html {-}{+}",
      "<!DOCTYPE html PUBLIC '{-}{+}", "<! -- {-}{+}", "<!- {-}{+}", "<![CDATA[{-}{+}", "<!>{+}", "<?>{+}", "</>{+}",
      "< {+}", "<1 {+}", "<={+}", "<<!{-}{+}", "<!-->{+}", "<!--->{+}", "<!-- > {-} -->{+}", "<!-- --!>{+}", "<!x",
      "</", "<?", "<!",
    ])
  func linksInCommentsAreKept(page: String) throws { try expectLinks(page) }

  @Test(
    arguments: [
      "<p></p title='{-}'>{+}", "</p title={-}{+}", "</P/x title=\"{-}\" >{+}", "<title></title x='{-}'>{+}",
      "<style></style x='{-}'>{+}", "<script></script x='{-}'>{+}", "<svg></svg title='>{-}'>{+}", "</p title='{-}",
    ])
  func linksInEndTagsAreKept(page: String) throws { try expectLinks(page) }

  @Test(
    arguments: [
      "<script><!-- write('<script>x()</script>'); write('{-}') //--></script>{+}",
      "<script><!-- <script>{-}</script>{-}</script>{+}", "<SCRIPT><!--<Script/>{-}</script\n>{-}</SCRIPT>{+}",
      "<script><!-- <script {-}</SCRIPT/>{-}--><script>{-}</script>{+}", "<script><!-- {-}</script>{+}",
      "<script><!--><script>{-}</script>{+}", "<script><!---><script>{-}</script>{+}",
      "<script><!-- <scripts>{-}</script>{+}", "<script><!-- <script-></script>{+}",
      "<script>'<script>{-}'</script>{+}", "<script><!-- <script> {-} --> {-}</script>{+}",
      "<script><!-- <script></scripts>{-}</script>{-}</script>{+}",
      "<script><!-- <script> <!-- </script>{-}</script>{+}", "<script><! -- <script></script>{+}",
      "<script><!- - <script></script>{+}", "<script>--><script></script>{+}",
      "<script><!-- <script></script --><script></script>{+}", "<script><!-- <script></script --></script>{+}",
      "<script><!-- <script>{-}</script>{-}", "<script><!-- <script></script-->{-}</script>{+}",
      "<style><!-- <style></style>{+}", "<textarea><!-- <script></textarea>{+}",
    ])
  func linksInScriptsAreKept(page: String) throws { try expectLinks(page) }
}
