import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import SourceFolders
import XMLStream

extension FormatID {
  /// The data of the predecessor app.
  public static let predecessor = FormatID(rawValue: "predecessor")
}

extension DiagnosticCode {
  /// A file contains none of the app's lists.
  static let notPredecessor = DiagnosticCode(
    "PRE0101", "not-predecessor", .error, "The file contains none of the predecessor app's lists, or is damaged.",
    why: "its content cannot be read reliably",
    fix: "copy the app's .plist from the backup again, or one JSON file for each list")
  /// A list cannot be read.
  static let unreadableList = DiagnosticCode(
    "PRE0102", "unreadable-list", .error, "A list of the predecessor app cannot be read.",
    why: "the app stored each list as a separate JSON document; the other lists were read",
    fix: "copy it from an older backup")
  /// A record differs from the app's form.
  static let unreadableRecord = DiagnosticCode(
    "PRE0103", "unreadable-record", .error,
    "A record of the predecessor app lacks a value, or has a value of the wrong type.",
    why: "the app could not decode it either, and importing a partial record would hide the damage",
    fix: "correct the value at the place shown, or copy the record from an older backup")
  /// A checklist has ticks of its own.
  static let ownTicks = DiagnosticCode(
    "PRE0104", "own-ticks", .warning, "A checklist has ticks or notes of its own, which belong to no charter.",
    why: "a checklist cannot hold ticks, and an execution requires a charter",
    fix: "nothing needs to be done: the checklist's extras keep them")
  /// A checklist's kind is unknown.
  static let unknownKind = DiagnosticCode(
    "PRE0105", "unknown-checklist-kind", .warning,
    "A checklist of an unknown kind was imported as a general checklist.",
    why: "another version of the app may have had more kinds", fix: "set the checklist's kind in AnyFleet")
  /// The file contains other values.
  static let unreadSettings = DiagnosticCode(
    "PRE0106", "unread-settings", .warning, "The file also contains values other than lists, which were not read.",
    why: "an app keeps its settings in the same file", fix: "set the values that you want to keep in AnyFleet")
  /// A list has an unknown version.
  static let otherVersion = DiagnosticCode(
    "PRE0107", "other-version", .warning, "A list was stored by an unknown version of the app.",
    why: "it was read as the known version; unknown values are kept in extras",
    fix: "compare the imported records with the app")
  /// A value has two ids.
  static let idsDiffer = DiagnosticCode(
    "PRE0108", "ids-differ", .warning, "The id in a value differs from its key; the key was used.",
    why: "the app looks up values by their keys", fix: "nothing needs to be done: extras keep the other id")
  /// The times of ticks are cut to whole seconds.
  static let fractionCut = DiagnosticCode(
    "PRE0109", "fraction-cut", .note, "Fractions of a second were removed from the times of ticks.",
    why: "AnyFleet cannot decode these fractions", fix: "nothing needs to be done")
  /// Two parts of a record have the same id.
  static let repeatedID = DiagnosticCode(
    "PRE0110", "repeated-part-id", .warning, "Two parts of a record had the same id; the second one got a new id.",
    why: "ticking one part would also tick the other", fix: "nothing needs to be done")

  static let predecessor = [
    notPredecessor, unreadableList, unreadableRecord, ownTicks, unknownKind, unreadSettings, otherVersion, idsDiffer,
    fractionCut, repeatedID,
  ]
}

/// The read-only format of the data of AnyFleet's predecessor: four lists, in the app's property list or in JSON files.
///
/// - Source: formats/predecessor.md
public struct PredecessorFormat: Format {
  /// Creates the format.
  public init() {}

  /// The format's names and capabilities.
  public var descriptor: FormatDescriptor { Self.descriptor }

  private static let descriptor = FormatDescriptor(
    .predecessor, title: "The predecessor app's lists", page: "predecessor", extensions: ["plist"],
    mediaType: "application/x-plist",
    keeps: [
      .checklists, .decks, .ids, .times, .sections, .itemDetails, .reviews, .charters, .executions, .unknownMembers,
    ], writes: false, fromFolders: .recognised, codes: DiagnosticCode.predecessor)

  /// Recognizes a file by its content, because a backup names the file by a hash, and most `.json` and `.plist` files
  /// do not belong to the app.
  public func recognises(_ source: Source, head: FileHead) -> Bool {
    guard !source.isStandardInput, !["jsonl", "ndjson"].contains(source.pathExtension) else { return false }
    switch AppFile.kind(of: head.bytes) {
    case .propertyList:
      return hasSignature(head) || (try? AppFile.bytes(of: source)).map(AppList.isNamed(in:)) ?? false
    case .json:
      switch ListProbe.classify(head.bytes) {
      case .lists: return true
      case .foreign: return false
      case .undecided: break
      }
      if AppList(fileName: source.path) != nil { return true }
      guard head.count >= 4096, let more = try? SourceProbe.head(of: source, count: 1 << 20) else { return false }
      return ListProbe.classify(more).isLists
    case .other: return false
    }
  }

  /// Whether the file is a property list that contains one of the lists, or JSON that begins like one of the lists.
  public func hasSignature(_ head: FileHead) -> Bool {
    switch AppFile.kind(of: head.bytes) {
    case .propertyList: return AppList.isNamed(in: head.bytes)
    case .json: return ListProbe.classify(head.bytes).isLists
    case .other: return false
    }
  }

  /// Returns the collection that the file belongs to.
  public func home(of source: Source) -> SourceHome? { SourceFolder.home(of: source) }

  /// Opens one of the app's files.
  /// - Throws: `RunFailure`: 2 if the file cannot be read or has no lists, 5 if it is damaged, 69 if it is XML and
  ///   libxml2 is missing.
  public func reader(of source: Source, context: RunContext) throws -> any ContentReader {
    let home = self.home(of: source)
    var file = source
    if source.isStandardInput {
      // The file is read again to find places.
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

  /// Always throws, because the app no longer exists.
  /// - Throws: `RunFailure` with status 64.
  public func writer(to target: Target, context: RunContext) throws -> any ContentWriter {
    throw RunFailure(.usage, "write '\(target.path)': the predecessor app's lists can only be read")
  }
}

/// The four lists that the app stored.
enum AppList: String, CaseIterable {
  case charters = "CharterStore"
  case checklists = "ChecklistStore"
  case decks = "FlashcardStore"
  case executions = "CharterChecklistStates"

  /// The kind of record that the list's elements become.
  var kind: RecordKind {
    switch self {
    case .charters: .charter
    case .checklists, .decks: .item
    case .executions: .execution
    }
  }

  /// Returns the list and the version in a key such as `ChecklistStore.v1`; nil for any other key.
  static func parse(_ key: String) -> (list: AppList, version: Int)? {
    guard let list = allCases.first(where: { key.hasPrefix($0.rawValue + ".v") }) else { return nil }
    let digits = key.dropFirst(list.rawValue.count + 2)
    guard (1...4).contains(digits.utf8.count), digits.first != "0", digits.utf8.allSatisfy({ $0 &- 0x30 < 10 }),
      let version = Int(digits)
    else { return nil }
    return (list, version)
  }

  /// Creates the list that a file is named after.
  init?(fileName path: String) {
    let name = (path.split(separator: "/").last ?? "").lowercased()
    guard let found = Self.allCases.first(where: { name.contains($0.rawValue.lowercased()) }) else { return nil }
    self = found
  }

  /// Whether bytes contain a list's key.
  static func isNamed(in bytes: [UInt8]) -> Bool {
    let data = Data(bytes)
    return allCases.contains { data.range(of: Data(($0.rawValue + ".v").utf8)) != nil }
  }
}

/// Determines which list a JSON file contains by examining only the beginning of the file.
///
/// The text may be truncated or damaged. The list is determined by member names in any order, because Swift does not
/// write them in a fixed order. Only names that no other known format has in the same position are used.
struct ListProbe {
  enum Answer {
    /// A list; nil for an object whose values are lists under their keys.
    case lists(AppList?)
    /// The file is certainly in another format.
    case foreign
    case undecided

    fileprivate var isLists: Bool {
      if case .lists = self { return true }
      return false
    }
  }

  /// Members that only the records of other formats have.
  private static let foreign: Set<String> = [
    "kind", "format", "min_reader", "content_type", "content_data", "exportVersion", "formatName", "lyrics", "pieceId",
    "trip_id", "tripId", "start_date", "executions", "sync_operations",
  ]

  /// The relevant facts about a record.
  private struct Seen {
    var names: Set<String> = []
    /// Whether the record's kind is one of the app's kinds.
    var hasKind = false
    /// Whether the start date is a number, as Swift encodes it.
    var hasNumber = false

    /// The list to which the record belongs.
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

  /// Examines the beginning of a file.
  static func classify(_ text: [UInt8]) -> Answer {
    var probe = ListProbe(text: text)
    return probe.run()
  }

  private let text: [UInt8]
  private var at = 0
  /// For each open container, whether it is an object.
  private var open: [Bool] = []
  private var seen = Seen()

  private init(text: [UInt8]) { self.text = text }

  private mutating func run() -> Answer {
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
    // The depth of a record's members. It depends on whether the document is an array of records, an object with lists
    // as values, or a single record.
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
        if let answer = visit(member: name, at: open.count - top) { return answer }
      default: break
      }
    }
    return seen.list.map { .lists($0) } ?? .undecided
  }

  /// Records a member's name.
  /// - Parameter depth: 0 for a member of a record.
  private mutating func visit(member name: String, at depth: Int) -> Answer? {
    let value = at < text.count ? text[at] : 0
    switch (depth, name) {
    case (0, _) where Self.foreign.contains(name): return .foreign
    case (0, "flashcards"), (0, "sections"), (0, "checklistStates"):
      if value == UInt8(ascii: "[") || value == UInt8(ascii: "{") { seen.names.insert(name) }
    // The values of a dictionary that was encoded as an object are one level deeper.
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
    // A charter is only recognized after all of its members were read, because more of them may follow.
    guard let list = seen.list, list != .charters else { return nil }
    return .lists(list)
  }

  /// Skips a string, and returns its content if it is short and has no escapes; otherwise returns an empty string.
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
