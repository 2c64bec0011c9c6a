import Testing

@testable import Markdown

/// Findings about front matter that is probably mistaken.
@Suite struct FrontMatterFindingsTests {
  @Test(arguments: [
    ("type: chekclist", "MKD0122 2:7", "type: checklist"), ("type: Guides", "MKD0122 2:7", "type: guide"),
    ("checklistType: pre_chartr", "MKD0122 2:16", "checklistType: pre_charter"),
    ("visibility: privat", "MKD0122 2:13", "visibility: private"),
    ("titel: Engine", "MKD0122 2:1", "rename the key to 'title'"),
    ("tgas: [a]", "MKD0122 2:1", "rename the key to 'tags'"),
    ("content_type: chekclist", "MKD0102 2:15", "content_type: checklist"),
  ])
  func wordsNearToKnownOnes(_ line: String, _ finding: String, _ fix: String) {
    let text = "---\n\(line)\n---\nText.\n"
    #expect(NoteHelp.findings(text) == [finding])
    #expect(NoteHelp.all(text).first?.fix == fix)
  }

  @Test(arguments: [
    "type: log", "type: dock", "type: checklist", "checklistType: wintering", "visibility: public", "data: 1",
    "title: a\ntitel: b", "tape: 5", "boat: Maia", "tags: [a]\ntgas: [b]", "nav: x", "aliases: [a]",
  ])
  func otherWordsStay(_ lines: String) { #expect(NoteHelp.findings("---\n\(lines)\n---\nText.\n").isEmpty) }

  @Test func aMisspelledValueIsKept() {
    let note = NoteHelp.parse("---\nvisibility: privat\ntype: guide\n---\nText.\n")
    #expect(note.metadata.member("visibility")?.json == Array("\"privat\"".utf8))
  }

  @Test(arguments: [
    ("\n\n---\ntype: checklist\n---\n\nText.\n", "MKD0123 3:1"),
    ("\u{FEFF}---\ntype: checklist\n---\nText.\n", "MKD0123 1:2"),
    ("<!-- by\n me -->\n---\ntitle: a\n---\nText.\n", "MKD0123 3:1"),
    ("# Engine\n\n---\ntags: [a]\n---\nText.\n", "MKD0123 3:1"),
    (" ---\ntype: guide\n ---\n---\nText.\n", "MKD0123 1:2"),
    ("\n+++\ntitle = \"a\"\n+++\nText.\n", "MKD0123 2:1"),
  ])
  func frontMatterThatDoesNotBeginTheNote(_ text: String, _ finding: String) {
    #expect(NoteHelp.findings(text) == [finding])
  }

  @Test(arguments: [
    "---\ntype: guide\n---\nText.\n", "Text.\n\n---\ntype: guide\n---\n", "\n---\nText: more\n---\n", "\n---\n\n---\n",
    "# A\n\n---\n", "",
  ])
  func otherRulesAreRules(_ text: String) { #expect(NoteHelp.findings(text).isEmpty) }

  @Test(arguments: [
    ("31.02.2026", "MKD0124"), ("2026-02-30", "MKD0124"), ("20260231", "MKD0124"), ("31 February 2026", "MKD0124"),
    ("2026-03-01 25:00", "MKD0124"), ("31/13/2026", "MKD0124"), ("[[2026-06-31]]", "MKD0124"),
    ("November 16", "MKD0103"), ("05/01/2026", "MKD0103"), ("99999999", "MKD0103"), ("2026", "MKD0103"),
  ])
  func datesThatDoNotExist(_ date: String, _ code: String) {
    let quoted = date.hasPrefix("[") ? "\"\(date)\"" : date
    #expect(NoteHelp.findings("---\nlang: en\ncreated: \(quoted)\n---\nText.\n") == ["\(code) 3:10"])
  }
}
