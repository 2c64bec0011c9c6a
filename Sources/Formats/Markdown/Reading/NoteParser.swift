import Content
import Foundation
import Interchange
import JSONText
import MarkdownSyntax
import MarkdownText
import Validation
import YAMLText

/// Reads notes: front matter, what the note is, its steps or cards.
struct NoteParser {
  /// How much may be inferred.
  let infer: ReadingOptions.Inference
  /// What the folder is called in which the vault lies: a note in `checklists/` is one as well when that folder is all
  /// that is read.
  var folder = ""
  /// Whether places in the front matter will be asked for, so that it is read by the whole reader at once.
  var isExact = false

  /// Reads a note.
  /// - Parameters:
  ///   - text: the whole note in UTF-8, without a byte order mark.
  ///   - path: the note's path in its vault.
  func parse(_ text: UnsafeBufferPointer<UInt8>, path: String) -> ParsedNote {
    let block = FrontMatterBlock(text)
    let body = block?.body ?? 0..<text.count
    var note = ParsedNote(body: body, judgement: Judgement(type: .practiceGuide, certainty: 100), title: "")
    note.frontMatterBlock = block?.block
    note.frontMatter = block?.content
    if let block, block.kind == .toml {
      let toml = TOMLFrontMatter(Array(text[block.content]))
      note.metadata = NoteMetadata(toml.json)
      for entry in toml.entries where note.keyRanges[entry.key] == nil {
        let start = block.content.lowerBound
        note.keyRanges[entry.key] = start + entry.value.lowerBound..<start + entry.value.upperBound
      }
    } else if let block {
      let yaml = UnsafeBufferPointer(rebasing: text[block.content])
      if !isExact, let plain = Self.plain(yaml) {
        note.metadata = NoteMetadata(plain)
      } else {
        readYAML(yaml, block, text, &note)
      }
    }
    note.tree.read(text.span, in: body)
    judge(&note, text, path)
    read(&note, text, path)
    if note.metadata.member("language") == nil {
      note.inferredLanguage = LetterLanguage.infer(text, in: body)
    }
    return note
  }

  /// Front matter of plain lines, which most is, without the places that no one asks for yet.
  static func plain(_ yaml: UnsafeBufferPointer<UInt8>) -> JSONDocument? {
    var json = ByteBuffer(capacity: yaml.count + 128)
    return PlainMapping.write(yaml, into: &json) ? try? JSONDocument(parsing: json.bytes) : nil
  }

  private func readYAML(
    _ yaml: UnsafeBufferPointer<UInt8>, _ block: FrontMatterBlock, _ text: UnsafeBufferPointer<UInt8>,
    _ note: inout ParsedNote
  ) {
    do throws(YAMLError) {
      let document = try YAMLDocument(parsing: yaml, firstLine: note.frontMatterLine)
      note.yaml = document
      note.metadata = NoteMetadata(document.json)
    } catch {
      note.yamlError = error
      note.metadata = NoteMetadata(lenient: text, content: block.content)
      for entry in LenientFrontMatter.entries(text, content: block.content) {
        note.keyRanges[entry.key.string] = note.keyRanges[entry.key.string] ?? entry.range
      }
    }
  }

  private func judge(_ note: inout ParsedNote, _ text: UnsafeBufferPointer<UInt8>, _ path: String) {
    if let type = note.metadata.type {
      note.judgement = Judgement(
        type: type, certainty: 100, isDeclared: true,
        reasons: [Explanation.Reason("the front matter says so", weight: 100, line: note.frontMatterLine)])
    } else {
      note.judgement = NoteJudge.judge(
        text, body: note.body, tree: note.tree, path: folder.isEmpty ? path : folder + "/" + path,
        title: note.metadata.title,
        infer: infer)
    }
  }

  private func read(_ note: inout ParsedNote, _ text: UnsafeBufferPointer<UInt8>, _ path: String) {
    let name = VaultFile.stem(of: path)
    let hasDescription = note.metadata.member("description") != nil
    switch note.judgement.type {
    case .checklist:
      guard note.tree.isRead else {
        // Nothing of it is lost in a guide.
        note.judgement.type = .practiceGuide
        note.judgement.couldBe = .checklist
        note.judgement.isDeclared = false
        note.judgement.reasons.insert(
          Explanation.Reason("it is too large to be read as a list", weight: 100), at: 0)
        break
      }
      let result = ChecklistReader.read(
        text, body: note.body, tree: note.tree, title: note.metadata.title ?? name,
        titleIsName: note.metadata.title == nil, hasDescription: hasDescription)
      var checklist = result.checklist
      note.repeatedIDs = checklist.dropRepeatedIDs()
      note.boxesInDetails = result.unread
      note.unknownAttributes = result.unknown
      note.leftOut = result.leftOut
      note.hasUnusedText = !result.skipped.isEmpty || !note.repeatedIDs.isEmpty
      note.content = .checklist(checklist)
      note.heading = result.title?.range
      note.title = note.metadata.title ?? result.title.map(\.string) ?? name
      return
    case .flashcardDeck:
      var deck = DeckReader.read(text, body: note.body)
      note.hasUnusedText = hasDescription && deck.description != nil
      if hasDescription { deck.description = nil }
      note.content = .deck(deck)
    case .practiceGuide: break
    }
    if let title = note.metadata.title {
      note.title = title
    } else if let heading = FirstHeading.find(text, in: note.tree) {
      note.heading = heading
      note.title = String(decoding: text[heading], as: UTF8.self)
    } else {
      note.title = name
    }
  }
}

/// A note, read: what its front matter says, what it was taken for, and its body.
///
/// Holds no bytes of the file but those of steps and cards; a guide's text is `body` of the note's text.
struct ParsedNote: Sendable {
  /// The text between the fences of the front matter; nil when the note has none.
  var frontMatter: Range<Int>?
  /// All of the front matter, fences included; nil when the note has none.
  var frontMatterBlock: Range<Int>?
  /// Where the values of keys are in the text, where the front matter is no YAML.
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
  /// Boxes of a checklist that are no steps.
  var boxesInDetails: [Range<Int>] = []
  /// What looks like an attribute of a step and is none that is known.
  var unknownAttributes: [StepNotation.Unread] = []
  /// Whether the body has text that is in no value of the record, such as a rule between steps.
  var hasUnusedText = false
  /// What is in the body and not in the checklist.
  var leftOut: [LeftOut] = []
  /// What is in the body.
  var content = DraftBody.guide
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

  /// The description that is in the body; nil when the front matter has one or there is none.
  var bodyDescription: SourcedText? {
    guard metadata.member("description") == nil else { return nil }
    switch content {
    case .guide: return nil
    case .checklist(let checklist): return checklist.description
    case .deck(let deck): return deck.description
    }
  }
}

/// What a note was taken for, and why.
struct Judgement: Sendable {
  /// What it is.
  var type: ContentType
  /// How sure that is, in percent.
  var certainty: Int
  /// Whether the note says itself what it is.
  var isDeclared = false
  /// The evidence, weightiest first.
  var reasons: [Explanation.Reason] = []
  /// A type that it may be as well, where the evidence was too weak.
  var couldBe: ContentType?
}

/// Reads the notes of a vault on two threads, stretches of them in turn, given out in order.
///
/// Memory is bounded by a few stretches for each thread. A few notes are read where they are asked for.
final class NotePieces {
  private let pieces: OrderedMap<NotePiece>?
  /// The stretches that are read by `serial`, the next one first.
  private var stretches: ArraySlice<Range<Int>>
  private let serial: (Range<Int>) throws -> NotePiece

  /// How many bytes of notes make a stretch.
  private static let stretchBytes = 1 << 19
  /// How many notes a stretch has at most: each is a file to be opened.
  private static let stretchNotes = 256

  init(_ notes: [VaultFile], makeReader: @escaping @Sendable () -> NoteReader) {
    let stretches = Self.stretches(notes)
    let reader = makeReader()
    serial = { try reader.read(notes[$0]) }
    if stretches.count > 1, ProcessInfo.processInfo.activeProcessorCount > 1 {
      self.stretches = []
      pieces = OrderedMap(stretches, threads: 2, ahead: 6) { _ in
        let reader = makeReader()
        return { stretch, pieces in _ = pieces.send(try reader.read(notes[stretch])) }
      }
    } else {
      self.stretches = stretches[...]
      pieces = nil
    }
  }

  /// The next stretch; nil at the end.
  func next() throws -> NotePiece? { try pieces?.next() ?? stretches.popFirst().map(serial) }

  private static func stretches(_ notes: [VaultFile]) -> [Range<Int>] {
    var stretches: [Range<Int>] = []
    var start = 0
    var size = 0
    for index in notes.indices {
      size += notes[index].size
      if size >= stretchBytes || index - start + 1 >= stretchNotes {
        stretches.append(start..<index + 1)
        start = index + 1
        size = 0
      }
    }
    if start < notes.count { stretches.append(start..<notes.count) }
    return stretches
  }
}
