import JSONText
import TestSupport
import Testing
import YAMLText

@testable import Markdown

@Suite struct FrontMatterEditorTests {
  private func editor(_ text: String) throws -> FrontMatterEditor {
    try #require(FrontMatterEditor(Array(text.utf8)), "\(text)")
  }

  private func text(_ editor: FrontMatterEditor) -> String { String(decoding: editor.bytes, as: UTF8.self) }

  /// (text before the edit, key, value, text after the edit)
  @Test(arguments: [
    ("title: A\n", "title", "B", "title: B\n"),
    ("title: A   # why\nz: 1\n", "title", "\"B # c\"", "title: \"B # c\"   # why\nz: 1\n"),
    ("title: A\r\nz: 1\r\n", "title", "B", "title: B\r\nz: 1\r\n"),
    ("title:\nz: 1\n", "title", "B", "title: B\nz: 1\n"),
    ("title:    # none\nz: 1\n", "title", "B", "title: B    # none\nz: 1\n"),
    ("\"title\" :  'A b'\nz: 1\n", "title", "B", "\"title\" :  B\nz: 1\n"),
    ("tags:\n  - a\n  # why\n  - b\n\n# about z\nz: 1\n", "tags", "[c]", "tags: [c]\n\n# about z\nz: 1\n"),
    ("text: |\n  a\n\n  b\nz: 1\n", "text", "c", "text: c\nz: 1\n"),
    ("text: >-\n  a\n  b", "text", "c", "text: c"),
    ("title: \"two\n  lines\" # c\nz: 1\n", "title", "B", "title: B\nz: 1\n"),
    ("ключ: 'да' # é\nz: 1\n", "ключ", "нет", "ключ: нет # é\nz: 1\n"),
    ("a: 1\nc: 3\n", "b", "2", "a: 1\nb: 2\nc: 3\n"),
    ("b: 1\nc: 3\n", "a", "2", "a: 2\nb: 1\nc: 3\n"),
    ("a: 1\n\n# about c\nc: 3\n", "b", "2", "a: 1\nb: 2\n\n# about c\nc: 3\n"),
    ("c: 1\na: 3\n", "b", "2", "c: 1\na: 3\nb: 2\n"),
    ("a: 1\r\nc: 3", "d", "2", "a: 1\r\nc: 3\r\nd: 2\r\n"),
    ("", "a", "2", "a: 2\n"),
    ("# nothing yet\n", "a", "2", "# nothing yet\na: 2\n"),
    ("a: 1\n", "yes", "2", "a: 1\n\"yes\": 2\n"),
    ("a: {b: 1} # c\n", "a", "{b: 2}", "a: {b: 2} # c\n"),
    ("a: !!str 1\nb: 2\n", "a", "2", "a: 2\nb: 2\n"),
    ("text: |+\n  x\n\n", "z", "1", "text: |+\n  x\n\nz: 1\n"),
  ])
  func sets(_ before: String, _ key: String, _ value: String, _ after: String) throws {
    var editor = try editor(before)
    let isDone = editor.set(key, value)
    #expect(isDone)
    #expect(text(editor) == after)
    #expect(text(editor).utf8.elementsEqual(after.utf8))
  }

  @Test func removes() throws {
    var editor = try editor("# top\na: 1\ntags:\n- x\n- y\n\n# about z\nz: 1 # one\n")
    #expect(editor.keys == ["a", "tags", "z"])
    #expect(editor.value(of: "z")?.text == "1")
    #expect(editor.value(of: "tags")?.elements.count == 2)
    #expect(editor.value(of: "none") == nil)
    #expect(editor.lines(of: "tags") == 11..<25)
    let done2 = editor.remove("tags")
    #expect(done2)
    #expect(text(editor) == "# top\na: 1\n\n# about z\nz: 1 # one\n")
    let done3 = editor.remove("none")
    #expect(done3)
    let done4 = editor.remove("a")
    #expect(done4)
    let done5 = editor.remove("z")
    #expect(done5)
    #expect(text(editor) == "# top\n\n# about z\n")
    #expect(editor.keys.isEmpty)
  }

  @Test(arguments: [
    "{a: 1}\n", "- a\n", "null\n", "~", "a: b: c\n", "a: 1\na: 2\n", " a: 1\n", "? a\n: 1\n", "a: 1\rb: 2\r", "text\n",
  ])
  func refusesWhatHasNoLinesOfItsOwn(_ text: String) {
    #expect(FrontMatterEditor(Array(text.utf8)) == nil)
  }

  @Test func refusesChangesThatChangeMore() throws {
    var editor = try editor("a: &x [1]\nb: *x\n")
    let done6 = editor.remove("a")
    #expect(!done6)
    let done7 = editor.set("a", "2")
    #expect(!done7)
    let done8 = editor.set("b", "2\nc: 3")
    #expect(!done8)
    let done9 = editor.set("b", "[1")
    #expect(!done9)
    let done10 = editor.set("b", "*y")
    #expect(!done10)
    #expect(text(editor) == "a: &x [1]\nb: *x\n")
    let done11 = editor.set("b", "2")
    #expect(done11)
    let done12 = editor.set("a", "1")
    #expect(done12)
    #expect(text(editor) == "a: 1\nb: 2\n")
  }

  /// After any edit, the data of the front matter differs only in the edited key, and only lines of that key differ.
  @Test func anyEditChangesOneKey() throws {
    var random = SeededRandom(seed: 31)
    var edits = 0
    for _ in 0..<1500 {
      let (before, keys) = Self.frontMatter(&random)
      var editor = try editor(before)
      #expect(editor.keys == keys)
      let old = try YAMLDocument(parsing: before).json.root.members
      let key = random.below(3) == 0 ? random.pick(["new", "Zeit", "ключ", "on", "a a"]) : random.pick(keys)
      let json = try JSONDocument(parsing: random.json(depth: 2))
      let yaml = json.withNode(json.root.tokenIndex) { YAMLScalar.value($0) }
      let removes = random.below(4) == 0
      let isDone = removes ? editor.remove(key) : editor.set(key, yaml)
      guard isDone else {
        #expect(text(editor) == before)
        continue
      }
      edits += 1
      let new = try YAMLDocument(parsing: text(editor)).json.root.members
      let others = old.filter { $0.name != key }
      #expect(others.map(\.name) == new.filter { $0.name != key }.map(\.name))
      for (name, value) in others {
        #expect(new.first { $0.name == name }?.value.text == value.text, "\(before)\n→\n\(text(editor))")
      }
      let changed = new.first { $0.name == key }?.value.text
      #expect(removes ? changed == nil : changed == (try YAMLDocument(parsing: yaml).json.root.text))
      Self.expectOneChange(before, text(editor))
    }
    // Almost all generated front matter can be edited.
    #expect(edits >= 1490)
  }

  /// Expects that all changed lines are consecutive, so that comments and other keys are unchanged.
  private static func expectOneChange(_ before: String, _ after: String) {
    let old = before.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let new = after.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let head = zip(old, new).prefix { $0 == $1 }.count
    let tail = min(
      zip(old.reversed(), new.reversed()).prefix { $0 == $1 }.count, min(old.count, new.count) - head)
    let removed = old[head..<old.count - tail]
    #expect(new.count - tail - head <= 1 || removed.isEmpty, "\(before)\n→\n\(after)")
    let lost = removed.filter { $0.hasPrefix("#") }
    #expect(lost.isEmpty, "\(before)\n→\n\(after)")
  }

  /// Returns front matter as people write it, and its keys.
  private static func frontMatter(_ random: inout SeededRandom) -> (String, [String]) {
    let end = random.pick(["\n", "\n", "\r\n"])
    var keys = ["title", "tags", "über", "created", "x-y", "дата", "aliases", "a b", "long"].filter { _ in
      random.below(3) > 0
    }
    if random.below(2) == 0 { keys.sort { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) } }
    if keys.isEmpty { keys = ["title"] }
    var text = ""
    for key in keys {
      if random.below(4) == 0 { text += random.pick(["# a comment", "", "#", "# key: value"]) + end }
      text += random.pick([key, key, "\"\(key)\"", "'\(key)'"]) + ":"
      text +=
        random.pick([
          " plain words", " 12", "", " # nothing", " \"quoted # text\" # c", " [a, 'b', 3]", " {a: 1, b: [2]}",
          " 'it''s'",
          "\(end)- a\(end)- b", "\(end)  - a # why\(end)  # more\(end)  - b: 1\(end)    c: 2",
          " |\(end)  block\(end)\(end)  # text",
          " >-\(end)  folded\(end)  text", " two\(end)  lines", " \"two\(end)  lines\" # c",
          "\(end)  a: 1\(end)  b:\(end)    - x",
          " 2026-01-05", " ~", " Ж é 😀 # Ж",
        ]) + end
    }
    if random.below(4) == 0 { text += "# the end" + end }
    return (text, keys)
  }
}
