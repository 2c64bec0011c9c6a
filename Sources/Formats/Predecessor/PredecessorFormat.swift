import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import SourceFolders
import XMLStream

extension FormatID {
  /// What the predecessor app stored.
  public static let predecessor = FormatID(rawValue: "predecessor")
}

extension DiagnosticCode {
  /// A file without lists of the app.
  static let notPredecessor = DiagnosticCode(
    "PRE0101", "not-predecessor", .error, "A file has none of the predecessor app's lists, or is damaged.",
    why: "nothing of it can be read with certainty",
    fix: "take the app's .plist out of the backup again, or one JSON file for each list")
  /// A list that cannot be read.
  static let unreadableList = DiagnosticCode(
    "PRE0102", "unreadable-list", .error, "A list of the predecessor app cannot be read.",
    why: "the app stored each list as one JSON text; the other lists are read", fix: "take it from an older backup")
  /// A record that is not as the app wrote it.
  static let unreadableRecord = DiagnosticCode(
    "PRE0103", "unreadable-record", .error,
    "A record of the predecessor app has a value of another type, or lacks one.",
    why: "the app decodes no such record, and half of one would hide the damage",
    fix: "correct the value at the place shown, or take the record from an older backup")
  /// Ticks in a checklist.
  static let ownTicks = DiagnosticCode(
    "PRE0104", "own-ticks", .warning, "A checklist has ticks or notes of its own, which belong to no charter.",
    why: "a checklist keeps no ticks; an execution needs a charter",
    fix: "nothing needs to be done: the checklist's extras keep them")
  /// A word that is not known.
  static let unknownKind = DiagnosticCode(
    "PRE0105", "unknown-checklist-kind", .warning,
    "A checklist is of a kind that is not known; it became a general one.",
    why: "another version of the app may have had more kinds", fix: "set the kind of the checklist in AnyFleet")
  /// Other values of the file.
  static let unreadSettings = DiagnosticCode(
    "PRE0106", "unread-settings", .warning, "The file has values besides the app's lists, which are not read.",
    why: "an app keeps its settings in the same file", fix: "set in AnyFleet what you want to keep of the settings")
  /// A list of another version.
  static let otherVersion = DiagnosticCode(
    "PRE0107", "other-version", .warning, "A list was stored by another version of the app than the one that is known.",
    why: "it was read in the same way; what has no meaning is kept under extras", fix: "compare it with the app")
  /// Two ids for one thing.
  static let idsDiffer = DiagnosticCode(
    "PRE0108", "ids-differ", .warning, "A value has another id than its key; the key counts.",
    why: "the app looks values up by their keys", fix: "nothing needs to be done: extras keep the other id")
  /// Ticks are kept to the second.
  static let fractionCut = DiagnosticCode(
    "PRE0109", "fraction-cut", .note, "Times of ticks have fractions of a second, which were cut.",
    why: "AnyFleet decodes no fraction there", fix: "nothing needs to be done")
  /// One id for two things.
  static let repeatedID = DiagnosticCode(
    "PRE0110", "repeated-part-id", .warning, "Two parts of a record have the same id; the later one got another.",
    why: "a tick of one would tick the other", fix: "nothing needs to be done")

  static let predecessor = [
    notPredecessor, unreadableList, unreadableRecord, ownTicks, unknownKind, unreadSettings, otherVersion, idsDiffer,
    fractionCut, repeatedID,
  ]
}

/// What the app before AnyFleet stored: four lists, in its property list or in JSON files. Read only.
///
/// - Source: formats/predecessor.md
public struct PredecessorFormat: Format {
  /// Makes the format.
  public init() {}

  /// Names and abilities.
  public var descriptor: FormatDescriptor { Self.descriptor }

  private static let descriptor = FormatDescriptor(
    .predecessor, title: "The predecessor app's lists", page: "predecessor", extensions: ["plist"],
    mediaType: "application/x-plist",
    keeps: [
      .checklists, .decks, .ids, .times, .sections, .itemDetails, .reviews, .charters, .executions, .unknownMembers,
    ], writes: false, fromFolders: .recognised, codes: DiagnosticCode.predecessor)

  /// By what is in it: a backup calls the file by a hash, and `.json` and `.plist` are most often something else.
  public func recognises(_ source: Source, head: FileHead) -> Bool {
    guard !source.isStandardInput, !["jsonl", "ndjson"].contains(source.pathExtension) else { return false }
    switch AppFile.kind(of: head.bytes) {
    case .propertyList:
      return hasSignature(head) || (try? AppFile.bytes(of: source)).map(AppList.isNamed(in:)) ?? false
    case .json:
      switch ListProbe.look(at: head.bytes) {
      case .lists: return true
      case .foreign: return false
      case .undecided: break
      }
      if AppList(fileName: source.path) != nil { return true }
      guard head.count >= 4096, let more = try? SourceProbe.head(of: source, count: 1 << 20) else { return false }
      return ListProbe.look(at: more).isLists
    case .other: return false
    }
  }

  /// A property list that names one of the lists, or JSON that begins as one of them.
  public func hasSignature(_ head: FileHead) -> Bool {
    switch AppFile.kind(of: head.bytes) {
    case .propertyList: return AppList.isNamed(in: head.bytes)
    case .json: return ListProbe.look(at: head.bytes).isLists
    case .other: return false
    }
  }

  /// The collection that the file is in.
  public func home(of source: Source) -> SourceHome? { SourceFolder.home(of: source) }

  /// Opens a file of the app.
  /// - Throws: `RunFailure`: 2 when it cannot be read or has none of the lists, 5 when it is damaged, 69 for XML without
  ///   libxml2.
  public func reader(of source: Source, context: RunContext) throws -> any ContentReader {
    let home = self.home(of: source)
    var file = source
    if source.isStandardInput {
      // Places are found by reading it again.
      let folder = try TemporaryFolder()
      context.keep(folder)
      try StandardInput.copy(to: folder.path + "/lists")
      file = Source(folder.path + "/lists", name: "-")
    }
    let again = file
    return try DraftReader(
      of: file,
      idScope: [home?.name ?? "-", "predecessor", home?.path ?? ""], traits: SourceTraits(), context: context,
      mentionsUnknown: false
    ) { PredecessorReader(try AppFile(again), findings: $0) }
  }

  /// Refuses: the app is gone.
  /// - Throws: `RunFailure` with status 64.
  public func writer(to target: Target, context: RunContext) throws -> any ContentWriter {
    throw RunFailure(.usage, "write '\(target.path)': the predecessor app's lists are only read")
  }
}

/// One of the four lists that the app stored.
enum AppList: String, CaseIterable {
  case charters = "CharterStore"
  case checklists = "ChecklistStore"
  case decks = "FlashcardStore"
  case executions = "CharterChecklistStates"

  /// What becomes of its elements.
  var kind: RecordKind {
    switch self {
    case .charters: .charter
    case .checklists, .decks: .item
    case .executions: .execution
    }
  }

  /// The list and the version of a key: `ChecklistStore.v1`.
  static func parse(_ key: String) -> (list: AppList, version: Int)? {
    guard let list = allCases.first(where: { key.hasPrefix($0.rawValue + ".v") }) else { return nil }
    let digits = key.dropFirst(list.rawValue.count + 2)
    guard (1...4).contains(digits.utf8.count), digits.first != "0", digits.utf8.allSatisfy({ $0 &- 0x30 < 10 }),
      let version = Int(digits)
    else { return nil }
    return (list, version)
  }

  /// The list that a file is called by.
  init?(fileName path: String) {
    let name = (path.split(separator: "/").last ?? "").lowercased()
    guard let found = Self.allCases.first(where: { name.contains($0.rawValue.lowercased()) }) else { return nil }
    self = found
  }

  /// Whether bytes have the key of a list in them.
  static func isNamed(in bytes: [UInt8]) -> Bool {
    let data = Data(bytes)
    return allCases.contains { data.range(of: Data(($0.rawValue + ".v").utf8)) != nil }
  }
}

/// Tells from the beginning of a JSON text which list it is, without reading all of it.
///
/// Tolerant: the text may be cut off or damaged. Names of members decide, in any order, because Swift writes them in
/// any order; only names that no other known file has in the same place count.
struct ListProbe {
  enum Answer {
    /// A list; nil for an object that has lists under their keys.
    case lists(AppList?)
    /// Something else for certain.
    case foreign
    case undecided

    var isLists: Bool {
      if case .lists = self { return true }
      return false
    }
  }

  /// Members that records of other formats have, and none of the app's.
  private static let foreign: Set<String> = [
    "kind", "format", "min_reader", "content_type", "content_data", "exportVersion", "formatName", "lyrics", "pieceId",
    "trip_id", "tripId", "start_date", "executions", "sync_operations",
  ]

  /// What was seen of one record.
  private struct Seen {
    var names: Set<String> = []
    /// Whether the kind is one of the app's words.
    var hasKind = false
    /// Whether the day of the start is a number, as Swift writes it.
    var hasNumber = false

    /// The list that the record belongs to.
    var list: AppList? {
      let deck: Set<String> = ["folderName", "displayName", "markdownContent"]
      if names.contains("flashcards"), !names.isDisjoint(with: deck) { return .decks }
      if names.contains("checklistStates") { return .executions }
      let isKind = hasKind || names.contains("charterType") || names.contains("referenceType")
      if names.contains("subsections") || names.contains("sections") && isKind { return .checklists }
      let boat: Set<String> = ["yachtName", "charterCompany"]
      guard names.contains("startDate"), names.contains("name") else { return nil }
      return !names.isDisjoint(with: boat) || hasNumber && names.contains("createdAt") ? .charters : nil
    }
  }

  /// Looks at the beginning of a text.
  static func look(at text: [UInt8]) -> Answer {
    text.withUnsafeBufferPointer { text in
      var probe = ListProbe(text)
      return probe.run()
    }
  }

  private let text: UnsafeBufferPointer<UInt8>
  private var at = 0
  /// The containers that are open: whether each is an object.
  private var open: [Bool] = []
  private var seen = Seen()

  private init(_ text: UnsafeBufferPointer<UInt8>) { self.text = text }

  private mutating func run() -> Answer {
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
    // How deep members of records are: in the array, or in an object that is one record or has lists under keys.
    var top = 1
    while at < text.count {
      let byte = text[at]
      at += 1
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        if open.isEmpty { top = byte == UInt8(ascii: "{") ? 1 : 2 }
        open.append(byte == UInt8(ascii: "{"))
        if open.count > JSONLimits.depth { return .undecided }
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if open.popLast() == nil { return .undecided }
        if open.count == top - 1 {
          if let list = seen.list { return .lists(list) }
          seen = Seen()
        }
      case UInt8(ascii: "\""):
        let name = string()
        skipSpace()
        guard at < text.count, text[at] == UInt8(ascii: ":") else { break }
        at += 1
        skipSpace()
        if open.count == 1, open[0], AppList.parse(name) != nil { return .lists(nil) }
        if let answer = note(name, at: open.count - top) { return answer }
      default: break
      }
    }
    return seen.list.map { .lists($0) } ?? .undecided
  }

  /// Takes note of a member.
  /// - Parameter depth: 0 for a member of a record.
  private mutating func note(_ name: String, at depth: Int) -> Answer? {
    let value = at < text.count ? text[at] : 0
    switch (depth, name) {
    case (0, _) where Self.foreign.contains(name): return .foreign
    case (0, "flashcards"), (0, "sections"), (0, "checklistStates"):
      if value == UInt8(ascii: "[") || value == UInt8(ascii: "{") { seen.names.insert(name) }
    // A dictionary that was written as an object has its values one level deeper.
    case (1, "checklistStates"): return .lists(.executions)
    case (2, "subsections"):
      if seen.names.contains("sections") { seen.names.insert(name) }
    case (2, "markdownContent"):
      if seen.names.contains("flashcards") { seen.names.insert(name) }
    case (0, "type"):
      seen.hasKind =
        text[at...].starts(with: "\"charter_scoped\"".utf8) || text[at...].starts(with: "\"reference\"".utf8)
    case (0, "startDate"):
      seen.names.insert(name)
      seen.hasNumber = value == UInt8(ascii: "-") || value &- 0x30 < 10
    case (0, "name"), (0, "createdAt"), (0, "yachtName"), (0, "charterCompany"), (0, "charterType"),
      (0, "referenceType"), (0, "folderName"), (0, "displayName"):
      seen.names.insert(name)
    default: break
    }
    // What a charter has is not decided before all of its members were seen: others may follow.
    guard let list = seen.list, list != .charters else { return nil }
    return .lists(list)
  }

  /// Moves past a string, and answers it if it is short and has no escapes.
  private mutating func string() -> String {
    let start = at
    while at < text.count, text[at] != UInt8(ascii: "\"") { at += text[at] == UInt8(ascii: "\\") ? 2 : 1 }
    let end = min(at, text.count)
    at = end + 1
    return end - start > 64 ? "" : String(decoding: text[start..<end], as: UTF8.self)
  }

  private mutating func skipSpace() {
    while at < text.count, text[at] <= 0x20 { at += 1 }
  }
}
