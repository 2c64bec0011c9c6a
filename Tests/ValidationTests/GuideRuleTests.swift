import Diagnostics
import Foundation
import TestSupport
import Testing
import Validation

/// Cases of the guide rules that are more difficult than the examples on their pages.
@Suite struct GuideRuleTests {
  @Test func aDeadLinkIsShownAtItsTarget() throws {
    let probe = try TextProbe.guide("Text\n\nSee [[Nowhere#Part|there]].\n", "LNT0304")
    #expect(probe.findings.count == 1)
    #expect(probe.findings.first?.message.quoted == ["Nowhere"])
    // The body is one line of JSON, and the link's target begins after `See [[`.
    let place = try #require(probe.findings.first?.place)
    #expect((place.endColumn ?? 0) - (place.column ?? 0) == "Nowhere#Part".count)
  }

  @Test(arguments: [
    "[[anchoring-in-the-med]]", "[[Guides/Anchoring in the Med.md|x]]", "[[ANCHORING IN THE MED#chain & rode]]",
    "[[0D0939BC-A71B-49F8-B06C-C047F24F4730]]", "[x](../Anchoring%20in%20the%20Med.md#chain--rode)", "[x](#own-part)",
    "[[#Own part]]", "[[Anchoring in the Med#Deep#Chain & rode]]", "[[Anchoring in the Med#^block1]]", "[x](photo.pdf)",
    "[x](mailto:a@b.org)", "[x](https://e.org/a.md)", "![[Anchoring in the Med]]", "[x](the second one)",
    "[[Fu\u{308}nf]]",
  ])
  func theseLinksLeadSomewhere(_ link: String) throws {
    let json = """
      [{"content_type":"practice_guide","title":"A","content_data":{"markdown":\(TextProbe.quoted("## Own part\n\n" + link))}},
       {"id":"0D0939BC-A71B-49F8-B06C-C047F24F4730","content_type":"practice_guide","title":"Anchoring in the Med",
        "content_data":{"markdown":"## Chain & rode\\n\\nx\\n"}},
       {"content_type":"checklist","title":"Fünf","content_data":{}}]
      """
    #expect(try TextProbe(json, "LNT0304").findings.map(\.message) == [])
  }

  @Test(arguments: [
    "[x]()", "[x]( )", "[x](#)", "![]()", "[[ ]]", "[[#]]", "[x](JavaScript:alert(1))", "[x](http://exa mple.com)",
    "[x](http:/a)", "[x](https://)", "<https:///a>", "[x](my file.md)", "![x](old pump.jpg)",
  ])
  func theseLinksLeadNowhere(_ link: String) throws {
    let found = try TextProbe.guide("a \(link) b", "LNT0304", "LNT0305").findings
    #expect(found.count == 1, "\(found.map(\.message))")
  }

  @Test func filesBesideTheGuideAreFound() throws {
    let scratch = Scratch()
    let markdown = """
      [a](../notes/My%20Page.md#Part) [b](./gone.md) ![](media/p.png) ![](media/q.png) [[Beside]] ![[p.png]] \
      [c](/etc/hosts.md) [d](../../../../../../../../../../../../notes/x.md)
      """
    let guide = """
      {"content_type":"practice_guide","title":"A","content_data":{"markdown":\(TextProbe.quoted(markdown))}}
      """
    for folder in ["notes", "guides/media"] {
      try FileManager.default.createDirectory(atPath: scratch[folder], withIntermediateDirectories: true)
    }
    let file = try scratch.write("guides/a.json", guide)
    for name in ["notes/My Page.md", "guides/media/p.png", "guides/Beside.md", "guides/p.png"] {
      _ = try scratch.write(name, "x")
    }
    let alone = try RuleRun(paths: [file], rules: ["LNT0304", "LNT0305"])
    let pages = [["gone"], ["hosts"], ["x"]]
    #expect(alone.messages.map(\.quoted) == pages + [["q.png"]])
    let other = try scratch.write("guides/b.json", "{\"content_type\":\"checklist\",\"title\":\"B\"}")
    let both = try RuleRun(paths: [file, other], rules: ["LNT0304"])
    #expect(both.messages.map(\.quoted) == pages)
    // When only one file is checked, the advice is to check more files.
    #expect(alone.entries.first?.finding.fix != both.entries.first?.finding.fix)
  }

  @Test func attachmentsCountWhereverTheyStand() throws {
    let json = """
      {"format":"fleetkit.bundle","version":1,
       "items":[{"content_type":"practice_guide","title":"A","content_data":{
         "markdown":"![](media/Filter%20old.JPG) ![[pump.png]] ![](gone.png)"}}],
       "attachments":[{"kind":"attachment","id":"1","path":"x/filter old.jpg"},
         {"kind":"attachment","id":"2","file_name":"pump.png"},{"kind":"attachment","id":null,"name":7}]}
      """
    #expect(try TextProbe(json, "LNT0305").findings.map(\.message).map { $0.contains("gone.png") } == [true])
  }

  @Test func fixesRewriteTheWholeBody() throws {
    let probe = try TextProbe.guide("Выход\n=====\r\n\r\n+ один\n  + два\n\nЧасть\n---\n##Три\n", "LNT0308")
    #expect(probe.findings.count == 3)
    #expect(probe.fixedTexts == Array(repeating: "# Выход\r\n\r\n- один\n  - два\n\n## Часть\n## Три\n", count: 3))
    let again = try TextProbe.guide(probe.fixedTexts.first ?? "", "LNT0308")
    #expect(again.findings.isEmpty)
  }

  @Test func eachKindOfForeignMarkdownIsReportedOnce() throws {
    let probe = try TextProbe.guide("- [ ] a\n- [ ] b\n- [x] c\n\n<b>d</b>\n", "LNT0308")
    #expect(probe.findings.map(\.message.numbers) == [[2], [1]] && probe.findings[1].message.contains("HTML"))
    #expect(probe.fixes.isEmpty)
  }

  @Test func aGuideFullOfMistakesIsNotReportedLineByLine() throws {
    let jumps = String(repeating: "# a\n\n### b\n\nx\n\n", count: 500)
    #expect(try TextProbe.guide(jumps, "LNT0301").findings.count == 20)
    #expect(try TextProbe.guide(String(repeating: "[[a]] [b](c.md)\n", count: 500), "LNT0304").findings.count == 100)
    #expect(try TextProbe.guide(String(repeating: "![](a.png)\n", count: 500), "LNT0305").findings.count == 100)
  }

  @Test func devicesOnBoardHaveNoCertificate() throws {
    for address in ["http://192.168.1.1/", "http://plotter.local:80/x", "http://openplotter/"] {
      #expect(try TextProbe.title("Open \(address)", "LNT0307").findings.isEmpty)
    }
    #expect(try TextProbe.title("Open HTTP://e.org/1.", "LNT0307").findings.count == 1)
  }

  @Test func guidesWithoutBodyHaveNoFindings() throws {
    for data in [
      "null", "{}", "{\"markdown\":null}", "{\"markdown\":\"\"}", "{\"markdown\":7}", "{\"markdown\":[\"# a\"]}",
    ] {
      let json = "{\"content_type\":\"practice_guide\",\"title\":\"A\",\"content_data\":\(data)}"
      #expect(try TextProbe(json, "LNT0301", "LNT0303", "LNT0304", "LNT0308", "LNT0309").findings.isEmpty)
    }
  }
}
