import Content
import Foundation
import Interchange
import JSONText
import MarkdownSyntax
import MarkdownText
import Validation
import YAMLText

/// Parses notes: the front matter, the note's type, and its steps or cards.
struct NoteParser {
  /// The extent to which types may be inferred.
  let infer: ReadingOptions.Inference
  /// The name of the source folder. It counts as evidence, so that a note in `checklists/` is recognized by the folder
  /// name even if only that folder is read.
  var folder = ""
  /// Whether positions in the front matter are needed, so that the full YAML parser reads it immediately.
  var isExact = false

  /// Reads a note.
  /// - Parameters:
  ///   - text: the whole note in UTF-8, without a byte order mark.
  ///   - path: the note's path in its vault.
  func parse(_ text: Span<UInt8>, path: String) -> ParsedNote {
    let block = FrontMatterBlock(text)
    let body = block?.body ?? 0..<text.count
    var note = ParsedNote(body: body, judgement: NoteClassification(type: .practiceGuide, certainty: 100), title: "")
    note.frontMatterBlock = block?.block
    note.frontMatter = block?.content
    if let block, block.kind == .toml {
      let toml = TOMLFrontMatter(Array(text.extracting(block.content)))
      note.metadata = NoteMetadata(toml.json)
      for entry in toml.entries where note.keyRanges[entry.key] == nil {
        let start = block.content.lowerBound
        note.keyRanges[entry.key] = start + entry.value.lowerBound..<start + entry.value.upperBound
      }
    } else if let block {
      let yaml = text.extracting(block.content)
      if !isExact, let plain = Self.plain(yaml) {
        note.metadata = NoteMetadata(plain)
      } else {
        readYAML(yaml, block, text, &note)
      }
    }
    note.tree.read(text, in: body)
    judge(&note, text, path)
    read(&note, text, path)
    if note.metadata.member("language") == nil {
      note.inferredLanguage = LetterLanguage.infer(text, in: body)
    }
    return note
  }

  /// Reads front matter that consists of plain lines, which is the most common form. Positions are not recorded,
  /// because they are rarely needed.
  static func plain(_ yaml: Span<UInt8>) -> JSONDocument? {
    var json = ByteBuffer(capacity: yaml.count + 128)
    return PlainMapping.write(yaml, into: &json) ? try? JSONDocument(parsing: json.bytes.span) : nil
  }

  private func readYAML(
    _ yaml: Span<UInt8>, _ block: FrontMatterBlock, _ text: Span<UInt8>, _ note: inout ParsedNote
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

  private func judge(_ note: inout ParsedNote, _ text: Span<UInt8>, _ path: String) {
    if let type = note.metadata.type {
      note.judgement = NoteClassification(
        type: type, certainty: 100, isDeclared: true,
        reasons: [Explanation.Reason("the front matter declares the type", weight: 100, line: note.frontMatterLine)])
    } else {
      note.judgement = NoteClassifier.judge(
        text, body: note.body, tree: note.tree, path: folder.isEmpty ? path : folder + "/" + path,
        title: note.metadata.title,
        infer: infer)
    }
  }

  private func read(_ note: inout ParsedNote, _ text: Span<UInt8>, _ path: String) {
    let name = VaultFile.stem(of: path)
    let hasDescription = note.metadata.member("description") != nil
    switch note.judgement.type {
    case .checklist:
      guard note.tree.isRead else {
        // A guide can hold all the note's content.
        note.judgement.type = .practiceGuide
        note.judgement.couldBe = .checklist
        note.judgement.isDeclared = false
        note.judgement.reasons.insert(
          Explanation.Reason("the note is too large to be read as a list", weight: 100), at: 0)
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
      note.title = String(decoding: text.extracting(heading))
    } else {
      note.title = name
    }
  }
}

/// A parsed note: the content of its front matter, its classification, and its body.
///
/// It holds no bytes of the file except the steps and cards. A guide's text is the range `body` of the note's text.
struct ParsedNote: Sendable {
  /// The range between the fences of the front matter; nil if the note has no front matter.
  var frontMatter: Range<Int>?
  /// The range of the whole front matter, including the fences; nil if the note has no front matter.
  var frontMatterBlock: Range<Int>?
  /// The ranges of the values, by key, if the front matter is not YAML.
  var keyRanges: [String: Range<Int>] = [:]
  /// The line number of the first line in the front matter.
  var frontMatterLine = 2
  /// The front matter as JSON with positions; nil if the front matter is missing or not YAML.
  var yaml: YAMLDocument?
  /// The reason why the front matter is not YAML.
  var yamlError: YAMLError?
  /// The content of the front matter.
  var metadata = NoteMetadata()
  /// The range of everything after the front matter.
  var body: Range<Int>
  /// The blocks of the body; empty if the body exceeds the limit for notes with lists or cards.
  var tree = MarkdownTree()
  /// The classification of the note, with the evidence.
  var judgement: NoteClassification
  /// The ids that an earlier section or step already has; they are ignored.
  var repeatedIDs: [Range<Int>] = []
  /// The boxes of a checklist that are not steps.
  var boxesInDetails: [Range<Int>] = []
  /// The words that look like a step attribute but are not a known attribute.
  var unknownAttributes: [StepNotation.Unread] = []
  /// Whether the body has text that is in no value of the record, such as a rule between steps.
  var hasUnusedText = false
  /// The parts of the body that are not in the checklist.
  var leftOut: [OmittedPart] = []
  /// The content of the body.
  var content = DraftBody.guide
  /// The title.
  var title: String
  /// The range of the heading that is the title; nil if the title has another source.
  var heading: Range<Int>?
  /// The language that was recognized by the note's letters; nil if the note declares a language, or if the letters
  /// indicate no language other than English.
  var inferredLanguage: String?

  /// The times from the vault that are missing in the note.
  private(set) var times = NoteSupplement.Times()

  /// Adds the values that the vault stores for the note.
  /// - Parameter text: the text of the note.
  mutating func add(_ supplement: NoteSupplement, _ text: @autoclosure () -> [UInt8]) {
    times = supplement.times(of: text())
    if let json = times.documentCreated { metadata.complete("createdAt", json) }
    if let json = times.documentUpdated { metadata.complete("updatedAt", json) }
    if supplement.parts.isEmpty { return }
    switch content {
    case .guide: return
    case .checklist(var checklist):
      supplement.parts.fillIDs(in: &checklist)
      content = .checklist(checklist)
    case .deck(var deck):
      supplement.parts.fillIDs(in: &deck)
      content = .deck(deck)
    }
  }

  /// The description in the body; nil if the body has no description, or if the front matter has one.
  var bodyDescription: SourcedText? {
    guard metadata.member("description") == nil else { return nil }
    switch content {
    case .guide: return nil
    case .checklist(let checklist): return checklist.description
    case .deck(let deck): return deck.description
    }
  }
}

/// The classification of a note, with the evidence.
struct NoteClassification: Sendable {
  /// The recognized type.
  var type: ContentType
  /// The certainty in percent.
  var certainty: Int
  /// Whether the note itself declares its type.
  var isDeclared = false
  /// The evidence, in order of decreasing weight.
  var reasons: [Explanation.Reason] = []
  /// Another possible type for which the evidence was too weak.
  var couldBe: ContentType?
}

/// Reads the notes of a vault on two threads in alternating stretches, and returns the stretches in order.
///
/// Memory is bounded by a few stretches for each thread. A small number of notes is read on the calling thread.
final class NotePieces {
  private let pieces: OrderedMap<NotePiece>?
  /// The stretches for `serial` to read, with the next one first.
  private var stretches: ArraySlice<Range<Int>>
  private let serial: (Range<Int>) throws -> NotePiece

  /// The number of note bytes in a stretch.
  private static let stretchBytes = 1 << 19
  /// The maximum number of notes in a stretch, which limits the number of files to open.
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

  /// Returns the next stretch; nil at the end.
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
