import Content
import MarkdownSyntax
import MarkdownText
import YAMLText

/// A note, read: what its front matter says, what it was taken for, and its body.
///
/// Holds no bytes of the file but those of steps and cards; a guide's text is `body` of the note's text.
struct ParsedNote: Sendable {
  /// The text between the fences of the front matter; nil when the note has none.
  var frontMatter: Range<Int>?
  /// All of the front matter, fences included; nil when the note has none.
  var frontMatterBlock: Range<Int>?
  /// Where the values of keys stand in the text, where the front matter is no YAML.
  var keyRanges: [String: Range<Int>] = [:]
  /// The number of the front matter's first line.
  var frontMatterLine = 2
  /// The front matter as JSON with places; nil when it is missing or no YAML.
  var yaml: YAMLDocument?
  /// Why the front matter is no YAML.
  var yamlError: YAMLError?
  /// What the front matter says.
  var metadata = NoteMetadata()
  /// Everything behind the front matter.
  var body: Range<Int>
  /// The blocks of the body; without blocks if the body is larger than notes with lists or cards may be.
  var tree = MarkdownTree()
  /// What the note was taken for, and why.
  var judgement: Judgement
  /// Ids that a section or step above has already, and that do not count.
  var repeatedIDs: [Range<Int>] = []
  /// What stands in the body.
  var content = NoteContent.guide
  /// The title.
  var title: String
  /// The heading that is the title, in the text; nil when the title has another source.
  var heading: Range<Int>?
  /// The language that was taken from the letters; nil when the note says it, or nothing speaks for another than English.
  var inferredLanguage: String?

  /// Times that the note does not have, from its vault.
  private(set) var times = NoteSupplement.Times()

  /// Adds what the vault knows and the note does not contain.
  /// - Parameter text: the text of the note.
  mutating func add(_ supplement: NoteSupplement, _ text: @autoclosure () -> [UInt8]) {
    times = supplement.times(of: text())
    if let json = times.documentCreated { metadata.complete("createdAt", json) }
    if let json = times.documentUpdated { metadata.complete("updatedAt", json) }
    if supplement.parts.isEmpty { return }
    switch content {
    case .guide: return
    case .checklist(var checklist):
      supplement.parts.put(into: &checklist)
      content = .checklist(checklist)
    case .deck(var deck):
      supplement.parts.put(into: &deck)
      content = .deck(deck)
    }
  }

  /// The description that stands in the body; nil when the front matter has one or there is none.
  var bodyDescription: SourcedText? {
    guard metadata.member("description") == nil else { return nil }
    switch content {
    case .guide: return nil
    case .checklist(let checklist): return checklist.description
    case .deck(let deck): return deck.description
    }
  }
}
