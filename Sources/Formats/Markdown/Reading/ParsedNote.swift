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

  /// Gives sections and steps without ids those that their vault knows.
  mutating func put(_ ids: PartIDs) {
    guard !ids.isEmpty, case .checklist(var checklist) = content else { return }
    ids.put(into: &checklist)
    content = .checklist(checklist)
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
