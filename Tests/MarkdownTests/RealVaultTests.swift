import Content
import MarkdownSyntax
import Diagnostics
import Foundation
import MarkdownText
import TestSupport
import Testing

@testable import Markdown

/// Vaults that look like other people's vaults in Obsidian, MkDocs, Jekyll and Hugo.
@Suite struct RealVaultTests {
  private static func put(_ files: [String: String], _ folder: String) throws {
    for (path, text) in files {
      let url = URL(fileURLWithPath: folder + "/" + path)
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
    }
  }

  private func titles(_ folder: String) throws -> (notes: [String], templates: [String]) {
    let walk = try VaultWalk(folder)
    return (walk.notes.map(\.path), walk.templates.map(\.path))
  }

  @Test func foldersThatProgramsMakeAreNoContent() throws {
    let scratch = Scratch()
    try Self.put(
      [
        "web/mkdocs.yml": "site_name: Boat\n", "web/docs/index.md": "Hello\n", "web/site/index.md": "made\n",
        "blog/hugo.toml": "title = 'x'\n", "blog/content/a.md": "a\n", "blog/public/a.md": "made\n",
        "blog/archetypes/default.md": "---\ndate: {{ .Date }}\n---\n", "site/berths.md": "A building site.\n",
        "old/_config.yml": "x: 1\n", "old/_posts/b.md": "b\n", "old/_site/b.md": "made\n", "public/notice.md": "n\n",
      ], scratch["v"])
    #expect(
      try titles(scratch["v"]).notes
        == ["blog/content/a.md", "old/_posts/b.md", "public/notice.md", "site/berths.md", "web/docs/index.md"])
  }

  @Test(arguments: [
    ("templates.json", #"{"folder":"Meta/Templates"}"#), ("templates.json", #"{"folder":"/meta/templates/"}"#),
    ("plugins/templater-obsidian/data.json", #"{"templates_folder":"Meta/Templates"}"#),
  ])
  func templatesThatObsidianNames(_ path: String, _ settings: String) throws {
    let scratch = Scratch()
    try Self.put(
      [
        ".obsidian/" + path: settings, "Meta/Templates/Daily.md": "---\ncreated: {{date}}\n---\n",
        "Meta/Templates of old.md": "kept\n", "Log.md": "From [[Daily]].\n",
      ], scratch["v"])
    let found = try titles(scratch["v"])
    #expect(found.notes == ["Log.md", "Meta/Templates of old.md"])
    #expect(found.templates == ["Meta/Templates/Daily.md"])
    try Vaults.convert(scratch["v"], to: scratch["a.jsonl"])
    #expect(try scratch.text("a.jsonl").contains("{{date}}") == false)
  }

  @Test(arguments: [#"{"folder":""}"#, #"{"folder":".."}"#, #"{"folder":"../x"}"#, "[", "{}", #"{"folder":"None"}"#])
  func settingsThatNameNoFolder(_ settings: String) throws {
    let scratch = Scratch()
    try Self.put([".obsidian/templates.json": settings, "a.md": "a\n", "x/b.md": "b\n"], scratch["v"])
    let found = try titles(scratch["v"])
    #expect(found.notes == ["a.md", "x/b.md"])
    #expect(found.templates.isEmpty)
    #expect(try VaultWalk(scratch["v"]).templateFolders.isEmpty)
  }

  /// Fences with blanks, different line endings than in the rest, and TOML: every byte is restored.
  @Test(arguments: [
    "+++\ntitle = \"Posts\"\ndate = 2024-03-01\n+++\n\n# Posts\n\nText.\n",
    "---  \ntitle: A\n---\t\nText.\n", "---\ntitle: A\r\nx: 1\r\n---\nText.\n", "---\ntitle: A\n...\nText.\n",
    "---\ntitle: A\n---", "---\n---\nText.\n", "---\r\ntitle: A\r\n---\r\n- [ ] a\r\n- [ ] b\r\n",
    "+++\r\ntitle = 'x'\r\n+++\r\n- [ ] a\r\n- [x] b\r\n",
  ])
  func fencesComeBack(_ text: String) throws {
    let scratch = Scratch()
    try Self.put(["notes/a.md": text], scratch["v"])
    try Vaults.convert(scratch["v"], to: scratch["w/"])
    #expect(try scratch.text("w/notes/a.md").utf8.elementsEqual(text.utf8))
    #expect(try Vaults.records(scratch["v"], scratch).count == Vaults.records(scratch["w"], scratch).count)
  }

  private func dead(_ text: String, _ others: [String], files: [String] = []) -> [String] {
    let log = DiagnosticLog()
    let links = VaultLinks(folder: "v", source: "test", findings: log)
    files.forEach(links.file)
    for path in others { links.unread(path) }
    var text = text
    text.withUTF8 {
      links.addNote(path: "guides/Hub.md", id: "ID", title: "Hub", aliases: [], text: $0.span, body: 0..<$0.count)
    }
    links.finish()
    return log.kept.map(\.message)
  }

  @Test(arguments: [
    "![p]({{ \"/assets/p.png\" | relative_url }})", "[a]({{< ref \"a.md\" >}})", "[a]({% link a.md %})",
    "[[<% tp.file.title %>]]", "![[{{title}}.png]]", "see [[1]](#hub)\n\n# Hub\n", "| [[Anchor\\|the anchor]] |",
    "[[boats/]]", "[[boats/small/|small ones]]", "# Engine { #motor }\n\n[m](#motor)",
    "# Engine {: #motor .big }\n\n[m](#motor)", "# Engine {#motor .big}\n\n[m](#motor)",
  ])
  func linksThatAreNotDead(_ text: String) {
    #expect(dead(text, ["Anchor.md", "boats/small/Optimist.md"]) == [])
  }

  @Test(arguments: ["[[Ankor]]", "[[cars/]]", "# Engine { #motor }\n\n[m](#engin)", "[a]({a}.md)"])
  func linksThatAreDead(_ text: String) { #expect(dead(text, ["Anchor.md", "boats/a.md"]).count == 1) }

  // MARK: Checklists and cards

  private func sections(_ text: String) throws -> [String] {
    try ChecklistHelp.read(text).checklist.sections.map { section in
      section.title.string + ": " + section.steps.map(\.title.string).joined(separator: ", ")
    }
  }

  @Test func shortLinesRightAboveListsAreTitles() throws {
    #expect(
      try sections("🧥 Clothes\n- hat\n- gloves\n\nTools\n1. knife\n2. torch\n")
        == ["🧥 Clothes: hat, gloves", "Tools: knife, torch"])
    let sentence = try ChecklistHelp.read("Pack it the evening before.\n- hat\n- gloves\n").checklist
    #expect(sentence.sections.count == 1 && sentence.description?.string == "Pack it the evening before.")
    let apart = try ChecklistHelp.read("Ten minutes before\n\n- hat\n- gloves\n").checklist
    #expect(apart.description?.string == "Ten minutes before")
  }

  @Test func signsOfPeople() throws {
    #expect(
      try sections("✅ lines\n❌ shore power\n🔲 crew\n☑️ gas\n⬜ keys\n") == ["Note: lines, shore power, crew, gas, keys"])
    #expect(
      try sections("Oil ____\nFuel _____ l\nEngine ___ hours\n") == ["Note: Oil, Fuel _____ l, Engine ___ hours"])
    #expect(
      try sections("## **Power** ##\n- [ ] Main switch\n\n## Water\n- [ ] Tap\n") == [
        "Power: Main switch", "Water: Tap",
      ])
  }

  /// In Markdown, these tasks belong to the paragraph above them.
  @Test func tasksIndentedBelowALine() throws {
    #expect(
      try sections("Clothes:\n    - [ ] hat\n    - [x] gloves\n\nTools:\n    - [ ] knife\n")
        == ["Clothes: hat, gloves", "Tools: knife"])
  }

  @Test func boldTitlesComeBack() throws {
    var draft = ChecklistDraft()
    draft.sections = [
      ChecklistHelp.section("**Power**", [ChecklistHelp.step("Switch")]),
      ChecklistHelp.section("**a** and **b**", [ChecklistHelp.step("c")]),
    ]
    let again = try ChecklistHelp.read(ChecklistHelp.written(draft)).checklist
    #expect(again.sections.map(\.title.string) == ["**Power**", "**a** and **b**"])
  }

  @Test func cardsOfSpacedRepetition() {
    func cards(_ text: String) -> (certainty: Int, cards: Int)? {
      var text = text
      return text.withUTF8 { bytes in
        let body = FrontMatterBlock(bytes.span)?.body ?? 0..<bytes.count
        return DeckReader.recognise(bytes.span, body: body).map { ($0.certainty, $0.cards) }
      }
    }
    let lines = "Aground by day?::Three balls\nMasthead arc?::225°\nStern arc?::135°\n"
    #expect(cards("#flashcards/lights\n\n" + lines)?.cards == 3)
    #expect(cards("---\ntags: [boat, flashcards]\n---\n" + lines)?.cards == 3)
    #expect(cards("---\ntags:\n  - flashcards\n---\n" + lines)?.cards == 3)
    #expect(cards("#карточки\n" + lines)?.cards == 3)
    #expect(cards(lines) == nil)
    #expect(cards("My flashcards:\n\nUse std::string or std::vector.\nrating:: 5\n") == nil)
  }
}
