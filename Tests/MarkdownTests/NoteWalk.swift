import Content
import Interchange
import JSONText
import MarkdownSyntax
import MarkdownText
import Testing
import YAMLText

@testable import Markdown

/// Passes a file's bytes to all code that reads notes, and checks that all places are inside the note.
enum NoteWalk {
  /// The results of a walk.
  struct Outcome {
    var isText = false
    /// The first place outside the note; nil if all places are inside it.
    var stray: String?
  }

  static func run(_ file: [UInt8], path: String, infer: ReadingOptions.Inference) -> Outcome {
    file.withUnsafeBufferPointer { bytes in
      var outcome = Outcome()
      guard let decoded = DecodedText.decode(bytes.span) else { return outcome }
      outcome.isText = true
      decoded.withText(of: bytes) { text in walk(text.span, path, infer, &outcome) }
      return outcome
    }
  }

  private static func walk(
    _ text: Span<UInt8>, _ path: String, _ infer: ReadingOptions.Inference, _ outcome: inout Outcome
  ) {
    var places = Places(count: text.count)
    var body = 0..<text.count
    var title: String?
    if let block = FrontMatterBlock(text) {
      body = block.body
      places.check(block.content, "front matter")
      places.check(block.body, "body")
      let content = Array(text.extracting(block.content))
      if let document = try? YAMLDocument(parsing: content.span) {
        title = document.json.root["title"]?.string
      }
      for entry in LenientFrontMatter.entries(text, content: block.content) {
        places.check(entry.range, "lenient value")
        places.check([entry.key] + entry.values, "lenient")
      }
      if var editor = FrontMatterEditor(content), editor.set("zz", "1"), editor.remove("zz") {
        if !editor.keys.allSatisfy({ editor.lines(of: $0) != nil }) { outcome.stray = "a key without lines" }
      }
    }
    var tree = MarkdownTree()
    let isRead = tree.read(text, in: body)
    let judgement = NoteClassifier.judge(text, body: body, tree: tree, path: path, title: title, infer: infer)
    if !(0...100).contains(judgement.certainty) { outcome.stray = "certainty \(judgement.certainty)" }
    if isRead {
      for block in tree.blocks where block.start > text.count || block.lines.upperBound > tree.lines.count {
        outcome.stray = "block at \(block.start)"
      }
      for hasDescription in [false, true] {
        let result = ChecklistReader.read(
          text, body: body, tree: tree, title: title ?? "T", hasDescription: hasDescription)
        places.check(result, "checklist")
      }
    }
    _ = DeckReader.recognise(text, body: body)
    places.check(DeckReader.read(text, body: body), "deck")
    outcome.stray = outcome.stray ?? places.stray
  }

  /// Records the first place outside the note.
  private struct Places {
    let count: Int
    var stray: String?

    init(count: Int) { self.count = count }

    mutating func check(_ range: Range<Int>, _ what: String) {
      if range.lowerBound < 0 || range.upperBound > count { stray = "\(what): \(range) of \(count)" }
    }

    mutating func check(_ texts: [SourcedText?], _ what: String) {
      for text in texts.compactMap({ $0 }) {
        check(text.range, what)
        for at in stride(from: 0, to: text.bytes.count, by: max(1, text.bytes.count / 4)) {
          check(text.source(of: at..<at + 1), what + ", a part")
        }
      }
    }

    mutating func check(_ result: ChecklistReader.Result, _ what: String) {
      check([result.title, result.checklist.description], what)
      for range in result.checklist.ticked { check(range, what + ", tick") }
      for section in result.checklist.sections {
        check(section.range, what + ", section")
        check(
          [section.id, section.title, section.icon, section.description, section.sortOrder, section.members],
          what + ", section")
        for step in section.steps {
          check(step.range, what + ", step")
          check([step.id, step.title, step.details, step.minutes, step.sortOrder, step.members], what + ", step")
          check(step.tags, what + ", tags")
        }
      }
    }

    mutating func check(_ deck: DeckDraft, _ what: String) {
      check([deck.description], what)
      for card in deck.cards {
        check(card.range, what + ", card")
        check([card.id, card.front, card.back, card.hint, card.source], what + ", card")
        check([card.sortOrder, card.review, card.members], what + ", card")
        check(card.tags, what + ", tags")
      }
    }
  }
}
