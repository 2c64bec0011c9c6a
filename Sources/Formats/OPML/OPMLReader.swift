import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import SourceFolders
import XMLStream

extension FormatID {
  /// Outlines in OPML.
  public static let opml = FormatID(rawValue: "opml")
}

extension DiagnosticCode {
  /// A file is not OPML, or is damaged.
  static let notOPML = DiagnosticCode(
    "OPM0101", "not-opml", .error, "The file has the name of an outline, but is damaged or not OPML.",
    why: "its content cannot be read reliably", fix: "export it again from the program that made it")
  /// Outlines are checked off.
  static let checkedOutlines = DiagnosticCode(
    "OPM0102", "checked-outlines", .warning, "Outlines of a checklist are checked off.",
    why: "ticks belong to a charter, not to a checklist", fix: "nothing needs to be done")
  /// An outline is a comment.
  static let commentedOutline = DiagnosticCode(
    "OPM0103", "commented-outline", .warning, "An outline is a comment and was left out, including all outlines in it.",
    why: "isComment marks outlines that should not be read", fix: "remove isComment to import the outline")
  /// FleetKit does not read an attribute.
  static let unreadAttribute = DiagnosticCode(
    "OPM0104", "unread-attribute", .warning, "FleetKit does not recognize an attribute of an outline.",
    why: "programs add their own attributes, which are not read", fix: "nothing needs to be done")
  /// A date cannot be read.
  static let outlineDate = DiagnosticCode(
    "OPM0105", "outline-date", .warning, "An outline has a date that cannot be read.",
    why: "OPML requires dates in RFC 822 format", fix: "write it as Mon, 05 Jan 2026 10:11:12 GMT")

  static let opml = [notOPML, checkedOutlines, commentedOutline, unreadAttribute, outlineDate]
}

/// The format of OPML 2.0 outlines, from Workflowy, Dynalist, OmniOutliner and other programs.
///
/// - Source: formats/opml.md; opml.org/spec2.opml
public struct OPMLFormat: Format {
  /// Creates the format.
  public init() {}

  /// The format's names and capabilities.
  public var descriptor: FormatDescriptor { Self.descriptor }

  private static let descriptor = FormatDescriptor(
    .opml, title: "Outline (OPML)", page: "opml", extensions: ["opml"], mediaType: "text/x-opml",
    keeps: Set(Feature.allCases).subtracting([
      .charters, .executions, .queue, .attachments, .practiceSessions, .foreign,
    ]), codes: DiagnosticCode.opml)

  /// Recognizes an outline by its name or by its root element.
  public func recognises(_ source: Source, head: FileHead) -> Bool {
    descriptor.extensions.contains(source.pathExtension) || hasSignature(head)
  }

  /// Whether the file is XML with the root element `opml`.
  public func hasSignature(_ head: FileHead) -> Bool {
    head.contains(UInt8(ascii: "<")) && String(decoding: head, as: UTF8.self).contains("<opml")
  }

  /// Returns the collection that the file belongs to.
  public func home(of source: Source) -> SourceHome? { SourceFolder.home(of: source) }

  /// Opens an outline.
  /// - Throws: `RunFailure`: 2 if the file cannot be read, 5 if it is damaged, 69 if libxml2 is missing.
  public func reader(of source: Source, context: RunContext) throws -> any ContentReader {
    let home = self.home(of: source)
    let file = source.isStandardInput ? try Self.kept(context) : source
    let shape = try OutlineShape(of: file)
    return try DraftReader(
      of: file,
      idScope: [home?.name ?? "-", "opml", home?.path ?? ""],
      traits: SourceTraits(isWrittenByHand: true, expressible: shape.isOwn ? nil : Self.foreign), context: context
    ) { try OutlineReader(file, shape, findings: $0) }
  }

  /// Saves standard input as a file, because the input is read twice.
  private static func kept(_ context: RunContext) throws -> Source {
    let folder = try TemporaryFolder()
    context.keep(folder)
    try StandardInput.copy(to: folder.path + "/outline.opml")
    return Source(folder.path + "/outline.opml", name: "-")
  }

  /// The fields that other programs' outlines can express.
  private static let foreign = FieldCoverage(
    item: ["kind", "content_type", "content_data", "title", "description", "tags"], document: ["sections"],
    section: ["title", "items"], step: ["id", "title", "itemDescription", "tags"])

  /// Creates an outline.
  /// - Throws: `RunFailure` with status 4 if a file of that name exists.
  public func writer(to target: Target, context: RunContext) throws -> any ContentWriter {
    try OutlineWriter(target, context: context)
  }
}

/// The nesting of a file's outlines. It is determined in a separate pass, because the meaning of an outline depends on
/// it.
struct OutlineShape: Sendable {
  /// Whether FleetKit wrote the file.
  fileprivate(set) var isOwn = false
  /// The file's title.
  fileprivate(set) var title = ""
  fileprivate(set) var created: String?
  fileprivate(set) var modified: String?
  fileprivate var deepest = 0
  /// Whether top-level outlines are items. If not, the file is one checklist.
  fileprivate var hasItems: Bool { isOwn || deepest > 2 }

  init(of source: Source) throws {
    let finder = ShapeFinder()
    let file = try OutlineFile(source, finder)
    while try file.read() { try Interruption.check() }
    self = finder.shape
    if title.isEmpty {
      let name = source.path.split(separator: "/").last ?? "Outline"
      title = source.name == "-" ? "Outline" : String(name.prefix { $0 != "." })
    }
  }

  fileprivate init() {}
}

private final class ShapeFinder: XMLHandler {
  private(set) var shape = OutlineShape()
  private var depth = 0
  /// The depth of the current comment; 0 outside of comments.
  private var comment = 0
  private var path: [String] = []
  private var text = ""

  func begin(_ name: XMLName, _ attributes: XMLAttributes) throws {
    text = ""
    if path.isEmpty {
      guard name.is("opml") else { throw OutlineProblem(message: "its root element is '\(name.text)', not 'opml'") }
      shape.isOwn = attributes["fk:version"] != nil
    }
    guard name.is("outline") else { return path.append(name.text) }
    depth += 1
    if comment == 0, attributes["isComment"]?.elementsEqual("true".utf8) ?? false { comment = depth }
    if comment == 0 { shape.deepest = max(shape.deepest, depth) }
    path.append("")
  }

  func end(_ name: XMLName) throws {
    if name.is("outline") {
      if comment == depth { comment = 0 }
      depth -= 1
    }
    if path.count == 3, path[1] == "head" {
      let value = text.trimmingCharacters(in: .whitespacesAndNewlines)
      switch path[2] {
      case "title": shape.title = value
      case "dateCreated": shape.created = value
      case "dateModified": shape.modified = value
      default: break
      }
    }
    path.removeLast()
    text = ""
  }

  func text(_ bytes: Span<UInt8>) throws {
    if path.count == 3, path[1] == "head", text.utf8.count < 4096 { text += String(decoding: bytes) }
  }
}

/// The reason why a file is not an outline.
struct OutlineProblem: Error { let message: String }

/// Feeds a file's bytes to a parser.
final class OutlineFile {
  let size: Int
  private(set) var done = 0
  let parser: XMLStreamParser
  private let source: Source
  private let descriptor: Int32
  private var isAtEnd = false
  private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 64)

  init(_ source: Source, _ handler: any XMLHandler) throws {
    self.source = source
    parser = try XMLStreamParser(handler)
    descriptor = open(source.path, O_RDONLY | O_CLOEXEC)
    var status = stat()
    size = descriptor >= 0 && fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    guard descriptor >= 0 else { throw RunFailure(.failed, "read '\(source.name)': \(SystemError.last)") }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    room.deallocate()
  }

  /// Reads and parses a part of the file. Returns false at the end.
  /// - Throws: `RunFailure`: 5 if the XML is damaged, 2 if it contains something that is refused.
  func read() throws -> Bool {
    if isAtEnd { return false }
    let got = FileRead.some(descriptor, into: room)
    guard got >= 0 else { throw RunFailure(.failed, "read '\(source.name)': \(SystemError.last)") }
    done += got
    do {
      if got > 0 {
        try parser.feed(room.assumingMemoryBound(to: UInt8.self).span.extracting(first: got))
      } else {
        isAtEnd = true
        try parser.finish()
      }
    } catch let problem as XMLProblem {
      throw failure(problem)
    } catch let problem as OutlineProblem {
      throw failure(parser.problem(problem.message, isRefusal: true))
    }
    return !isAtEnd
  }

  private func failure(_ problem: XMLProblem) -> RunFailure {
    let place = Place(file: source.name, line: problem.line, column: problem.column)
    return RunFailure(
      problem.isRefusal ? .failed : .mismatch, Diagnostic(.notOPML, problem.message, at: place),
      message: "read '\(source.name)': \(problem.message) (line \(problem.line), column \(problem.column))")
  }
}

/// Creates drafts from a file's outlines.
///
/// An outline that contains outlines is a section, and an outline without children is a step. Deeper outlines become
/// part of their step's text. Because the meaning of an outline depends on whether it has a child, one outline is held
/// back. Memory is bounded by an item.
final class OutlineReader: DraftSource {
  private let builder: OutlineBuilder
  private let file: OutlineFile
  private var isAtEnd = false

  /// - Parameter findings: the log for findings; nil if the source positions of texts are recorded instead.
  init(_ source: Source, _ shape: OutlineShape, findings: DiagnosticLog?) throws {
    builder = OutlineBuilder(source, shape, findings: findings)
    file = try OutlineFile(source, builder)
    builder.parser = file.parser
  }

  var progress: (done: Int, total: Int?) { (file.done, file.size) }

  func next() throws -> SourceDraft? {
    while builder.items.isEmpty, !isAtEnd {
      if try !file.read() {
        isAtEnd = true
        builder.finish()
      }
    }
    return builder.items.isEmpty ? nil : .item(builder.items.removeFirst())
  }
}

private final class OutlineBuilder: XMLHandler {
  /// The finished items.
  var items: [ItemDraft] = []
  /// The parser, which owns this object. It provides positions in the file.
  weak var parser: XMLStreamParser?
  private let shape: OutlineShape
  private let findings: DiagnosticLog?
  private let name: String
  private var item: ItemDraft?
  private var list = ChecklistDraft()
  private var deck = DeckDraft()
  /// Whether the last section was added for steps that are outside any section.
  private var isLoose = false
  /// The second-level outline that may become a section.
  private var waiting: StepDraft?
  private var depth = 0
  /// The depth of the current comment; 0 outside of comments.
  private var comment = 0
  private var hasChecked = false
  /// The titles of the last step and of its ancestors, with their levels.
  private var above: [(level: Int, title: [UInt8])] = []
  private var unread: Set<String> = []

  init(_ source: Source, _ shape: OutlineShape, findings: DiagnosticLog?) {
    self.shape = shape
    self.findings = findings
    name = source.name
    guard !shape.hasItems else { return }
    var item = ItemDraft(.checklist, title: SourcedText(bytes: Array(shape.title.utf8), range: 0..<0), range: 0..<0)
    item.body = .checklist(list)
    item.language = language(item.title)
    item.created = date(shape.created)
    item.updated = date(shape.modified) ?? item.created
    begin(item)
  }

  /// Finishes the drafts at the end of the file.
  func finish() {
    if !shape.hasItems { endItem() }
  }

  // MARK: Elements

  func begin(_ name: XMLName, _ attributes: XMLAttributes) throws {
    guard name.is("outline") else { return }
    depth += 1
    if comment > 0 { return }
    if attributes["isComment"]?.elementsEqual("true".utf8) ?? false {
      comment = depth
      report(.commentedOutline, "this outline is a comment")
      return
    }
    let level = shape.hasItems ? depth : depth + 1
    check(attributes, isItem: level == 1)
    switch level {
    case 1: begin(draft(attributes))
    case 2 where item?.type == .flashcardDeck: deck.cards.append(card(attributes))
    case 2 where item?.type == .checklist: waiting = step(attributes)
    case 3 where item?.type == .checklist:
      if let waiting { beginSection(waiting) }
      waiting = nil
      guard let last = list.sections.indices.last else { return }
      let step = step(attributes)
      list.sections[last].steps.append(step)
      above = [(level, step.title.bytes)]
    default: if !addTask(attributes, level) { addDetail(attributes) }
    }
  }

  func end(_ name: XMLName) throws {
    guard name.is("outline") else { return }
    defer { depth -= 1 }
    if comment > 0 {
      if comment == depth { comment = 0 }
      return
    }
    switch shape.hasItems ? depth : depth + 1 {
    case 1: endItem()
    case 2:
      guard let step = waiting else {
        isLoose = false
        return
      }
      waiting = nil
      if shape.isOwn { return beginSection(step) }
      if !isLoose { beginSection(StepDraft(title: item?.title ?? step.title, range: step.range)) }
      isLoose = true
      list.sections[list.sections.count - 1].steps.append(step)
    default: break
    }
  }

  func text(_ bytes: Span<UInt8>) throws {}

  // MARK: Drafts

  private func begin(_ draft: ItemDraft) {
    item = draft
    list = ChecklistDraft()
    deck = DeckDraft()
    isLoose = false
    hasChecked = false
  }

  private func endItem() {
    guard var draft = item else { return }
    item = nil
    guard draft.body != nil else { return items.append(draft) }
    switch draft.type {
    case .checklist: draft.body = .checklist(list)
    case .flashcardDeck: draft.body = .deck(deck)
    case .practiceGuide: draft.body = .guide
    }
    items.append(draft)
  }

  private func beginSection(_ step: StepDraft) {
    above = []
    var section = SectionDraft(title: step.title, range: step.range)
    section.id = step.id
    section.description = step.details
    section.members = step.members
    // A section cannot have tags.
    if !step.tags.isEmpty { reportUnread("category", "of a section") }
    list.sections.append(section)
    isLoose = false
  }

  private func draft(_ attributes: XMLAttributes) -> ItemDraft {
    let word = attributes.text("type")?.lowercased() ?? ""
    let type: ContentType =
      switch word {
      case "practice_guide", "guide": .practiceGuide
      case "flashcard_deck", "deck": .flashcardDeck
      default: .checklist
      }
    var draft = ItemDraft(type, title: title(attributes), range: range)
    draft.body = attributes["fk:document"]?.elementsEqual("none".utf8) ?? false ? nil : .guide
    draft.id = value(attributes, "fk:id")
    draft.language = value(attributes, "fk:language") ?? language(draft.title)
    draft.tags = tags(attributes)
    var note = value(attributes, "_note")
    addLink(attributes, to: &note)
    if type == .practiceGuide {
      draft.guide = note
      draft.description = value(attributes, "fk:description")
    } else {
      draft.description = note
    }
    draft.created = value(attributes, "fk:created") ?? date(attributes.text("created"))
    draft.updated = value(attributes, "fk:updated") ?? draft.created
    draft.members = value(attributes, "fk:members")
    draft.documentMembers = value(attributes, "fk:in-document")
    return draft
  }

  private func step(_ attributes: XMLAttributes) -> StepDraft {
    var step = StepDraft(title: title(attributes), range: range)
    step.id = value(attributes, "fk:id")
    step.details = value(attributes, "_note")
    addLink(attributes, to: &step.details)
    step.isRequired = attributes["fk:required"].map { Self.isTrue($0.span) } ?? false
    step.isOptional = attributes["fk:optional"].map { Self.isTrue($0.span) } ?? false
    step.minutes = value(attributes, "fk:minutes")
    step.tags = tags(attributes)
    step.members = value(attributes, "fk:members")
    return step
  }

  /// The attributes that show that an outline can be checked off.
  private static let taskMarks: [StaticString] = ["_complete", "complete", "_status", "checkbox"]

  /// Adds a step's subtask as a separate step with the title `Parent › Child`.
  /// - Returns: false if the outline is not a task, or if the titles above it are too long to be repeated.
  private func addTask(_ attributes: XMLAttributes, _ level: Int) -> Bool {
    while let last = above.last, last.level >= level { above.removeLast() }
    guard item?.type == .checklist, let section = list.sections.indices.last, !above.isEmpty,
      Self.taskMarks.contains(where: { attributes[$0] != nil })
    else { return false }
    let titles = above.map(\.title)
    guard titles.reduce(0, { $0 + $1.count }) <= 400 else { return false }
    var step = step(attributes)
    above.append((level, step.title.bytes))
    step.title.bytes = Array((titles + [step.title.bytes]).joined(separator: StepDraft.Nesting.separator))
    step.title.stretches = []
    list.sections[section].steps.append(step)
    return true
  }

  private func addLink(_ attributes: XMLAttributes, to text: inout SourcedText?) {
    guard let url = attributes["url"] ?? attributes["htmlUrl"] ?? attributes["xmlUrl"] else { return }
    append("<" + String(decoding: url, as: UTF8.self) + ">", to: &text)
  }

  private func card(_ attributes: XMLAttributes) -> CardDraft {
    var card = CardDraft(
      front: title(attributes), back: value(attributes, "_note") ?? SourcedText(bytes: [], range: range), range: range)
    card.id = value(attributes, "fk:id")
    card.hint = value(attributes, "fk:hint")
    card.tags = tags(attributes)
    card.members = value(attributes, "fk:members")
    return card
  }

  /// Adds an outline inside a step, a card or a guide as a line of its text.
  private func addDetail(_ attributes: XMLAttributes) {
    let top: Int
    switch item?.type {
    case .checklist: top = 4
    case .flashcardDeck: top = 3
    default: top = 2
    }
    let level = max(0, (shape.hasItems ? depth : depth + 1) - top)
    var line = String(repeating: "  ", count: level) + "- " + title(attributes).string
    if let note = attributes.text("_note") {
      let indentation = "\n" + String(repeating: "  ", count: level + 1)
      line += indentation + note.replacing("\n", with: indentation)
    }
    switch item?.type {
    case .checklist:
      guard let section = list.sections.indices.last, let step = list.sections[section].steps.indices.last else {
        return
      }
      append(line, to: &list.sections[section].steps[step].details)
    case .flashcardDeck:
      guard let card = deck.cards.indices.last else { return }
      var back: SourcedText? = deck.cards[card].back
      append(line, to: &back)
      deck.cards[card].back = back ?? deck.cards[card].back
    default:
      var guide = item?.guide
      append(line, to: &guide)
      item?.guide = guide
    }
  }

  private func append(_ line: String, to text: inout SourcedText?) {
    let old = text?.bytes ?? []
    text = SourcedText(
      bytes: old + (old.isEmpty ? [] : [0x0A]) + Array(line.utf8), range: text?.range ?? range)
  }

  // MARK: Values

  /// The range of the current tag, if places are requested.
  private var range: Range<Int> { findings == nil ? parser?.sourceRange ?? 0..<0 : 0..<0 }

  private func value(_ attributes: XMLAttributes, _ name: StaticString) -> SourcedText? {
    guard let bytes = attributes[name] else { return nil }
    let place = findings == nil ? parser?.sourceRange(ofAttribute: name) : nil
    return SourcedText(bytes: Array(bytes), range: place ?? range)
  }

  /// Returns an outline's text. Workflowy and Dynalist write HTML in this attribute.
  private func title(_ attributes: XMLAttributes) -> SourcedText {
    guard var text = value(attributes, "text") ?? value(attributes, "title") else {
      return SourcedText(bytes: [], range: range)
    }
    if !shape.isOwn, text.bytes.contains(0x3C) || text.bytes.contains(0x26) {
      text = SourcedText(bytes: Array(Self.plain(text.string).utf8), range: text.range)
    }
    return text
  }

  private func tags(_ attributes: XMLAttributes) -> [SourcedText] {
    guard let all = value(attributes, "category") else { return [] }
    return all.string.split(separator: ",").map { category in
      let tag = category.trimmingCharacters(in: .whitespaces)
      // Other programs write categories as paths.
      let name = !shape.isOwn && tag.hasPrefix("/") ? String(tag.dropFirst()) : tag
      return SourcedText(bytes: Array(name.utf8), range: all.range)
    }
  }

  private func language(_ title: SourcedText) -> SourcedText? {
    LetterLanguage.infer(title.bytes.span, in: 0..<title.bytes.count).map {
      SourcedText(bytes: Array($0.utf8), range: title.range)
    }
  }

  private func date(_ text: String?) -> SourcedText? {
    guard let text, !text.isEmpty else { return nil }
    guard let time = Timestamp.parse(text)?.0 ?? OutlineDate.parse(text) else {
      report(.outlineDate, "'\(text.prefix(60))' is not a date")
      return nil
    }
    return SourcedText(bytes: Array(time.iso8601.utf8), range: range)
  }

  private static func isTrue(_ value: Span<UInt8>) -> Bool {
    ["true", "checked", "yes", "1"].contains(String(decoding: value.extracting(first: 8)).lowercased())
  }

  /// Converts an outline's HTML to text. Emphasis and links become Markdown, and other tags are removed.
  private static func plain(_ html: String) -> String {
    var text = html
    for (tag, mark) in [("b", "**"), ("i", "*"), ("code", "`"), ("s", "~~"), ("u", ""), ("mark", "")] {
      text = text.replacing("<\(tag)>", with: mark).replacing("</\(tag)>", with: mark)
    }
    text = text.replacing(/<a href="([^"]*)"[^>]*>(.*?)<\/a>/) { "[\($0.output.2)](\($0.output.1))" }
    text = text.replacing(/<\/?(?:span|time|div|p|font)(?: [^>]*)?>/, with: "").replacing("<br>", with: "\n")
    for (name, letter) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&nbsp;", " "), ("&amp;", "&")] {
      text = text.replacing(name, with: letter)
    }
    return text
  }

  // MARK: Findings

  private static let known: Set<String> = [
    "text", "title", "_note", "type", "created", "category", "url", "htmlUrl", "xmlUrl", "isComment", "_complete",
    "complete", "_status", "checkbox",
  ]

  private func check(_ attributes: XMLAttributes, isItem: Bool) {
    guard findings != nil else { return }
    for (name, value) in attributes {
      if name.is("_complete") || name.is("complete") || name.is("_status"), Self.isTrue(value.span), !hasChecked {
        hasChecked = true
        report(.checkedOutlines, "this outline is checked off; ticks are not imported")
      }
      if shape.isOwn { continue }
      if !isItem, name.is("created") { reportUnread("created", "of a section or a step") }
      let text = name.text
      if !Self.known.contains(text) { reportUnread(text, "") }
    }
  }

  private func reportUnread(_ name: String, _ place: String) {
    guard unread.count < 100, unread.insert(name + place).inserted else { return }
    let what = place.isEmpty ? "'\(name)'" : "'\(name)' \(place)"
    report(.unreadAttribute, "\(what) is not read, here and elsewhere in the file")
  }

  private func report(_ code: DiagnosticCode, _ message: String) {
    guard let findings else { return }
    let position = parser?.position
    findings.report(Diagnostic(code, message, at: Place(file: name, line: position?.line, column: position?.column)))
  }
}

/// Parses and renders dates in OPML's format.
///
/// - Source: RFC 822, section 5; years may have four digits
enum OutlineDate {
  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

  /// Parses a date such as `Mon, 05 Jan 2026 10:11:12 GMT`; returns nil for any other string.
  static func parse(_ text: String) -> Timestamp? {
    var words = text.split(whereSeparator: { $0 == " " || $0 == "," }).map(String.init)
    if let first = words.first, first.first?.isLetter == true { words.removeFirst() }
    guard words.count >= 4, let day = Int(words[0]), var year = Int(words[2]),
      let month = months.firstIndex(of: words[1].prefix(3).lowercased())
    else { return nil }
    if year < 100 { year += year < 70 ? 2000 : 1900 }
    let zone = words.count > 4 ? words[4] : "GMT"
    let named = ["EST": "-05:00", "EDT": "-04:00", "CST": "-06:00", "CDT": "-05:00", "PST": "-08:00", "PDT": "-07:00"]
    var offset = named[zone] ?? "Z"
    if zone.count == 5, let sign = zone.first, "+-".contains(sign) { offset = zone.prefix(3) + ":" + zone.suffix(2) }
    let time = words[3].count == 5 ? words[3] + ":00" : words[3]
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return Timestamp.parse("\(year)-\(two(month + 1))-\(two(day))T\(time)\(offset)")?.0
  }

  /// Renders a time without its milliseconds.
  static func text(_ time: Timestamp) -> String {
    let iso = Array(time.iso8601)
    let day = Int((Double(time.milliseconds) / 86_400_000).rounded(.down))
    let month = Int(String(iso[5...6])) ?? 1
    let name = months[(month + 11) % 12].capitalized
    return "\(days[((day % 7) + 7) % 7]), \(String(iso[8...9])) \(name) \(String(iso[0...3])) "
      + "\(String(iso[11...18])) GMT"
  }
}
