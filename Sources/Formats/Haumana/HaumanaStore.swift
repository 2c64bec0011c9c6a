import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import SQLiteIO

extension FormatID {
  /// Haumana's store on the phone.
  public static let haumanaStore = FormatID(rawValue: "haumana-store")
}

extension DiagnosticCode {
  /// The piece of a practice session is missing.
  static let orphanSession = DiagnosticCode(
    "HMN0109", "orphan-session", .note, "The piece of a practice session is not in the store.",
    why: "the piece was deleted; the session is kept", fix: "nothing needs to be done")
  /// A value cannot be read.
  static let storeValue = DiagnosticCode(
    "HMN0110", "store-value", .error, "A row in a store has a value that cannot be read.",
    why: "the row is damaged, or the model is unknown", fix: "copy the readable values from the rejects")

  fileprivate static let haumanaStore = [orphanSession, storeValue]
}

/// The format of Haumana's store on the phone: a SwiftData SQLite file with any version of the model.
///
/// - Source: formats/haumana.md; formats/core-data.md
public struct HaumanaStoreFormat: Format {
  /// Creates the format.
  public init() {}

  /// The format's names and capabilities.
  public var descriptor: FormatDescriptor { Self.descriptor }

  static let descriptor = FormatDescriptor(
    .haumanaStore, title: "Haumana on the phone", page: "haumana", extensions: ["store"],
    mediaType: "application/vnd.sqlite3",
    keeps: [.guides, .ids, .times, .tags, .language, .practiceSessions, .foreign, .unknownMembers],
    writes: false, fills: true, options: [.user, .decks], differences: [.ownExtras],
    codes: DiagnosticCode.haumanaStore)

  /// The entities with content, in reading order. A store can only be filled if it has no rows of these entities.
  static let entities = ["Piece", "PracticeSession", "User", "SyncQueueItem"]

  /// Recognizes a store by its tables.
  public func recognises(_ source: Source, head: FileHead) -> Bool {
    guard head.starts(with: Array("SQLite format 3\0".utf8)), CoreDataStore.isStore(source.path) else { return false }
    return ((try? CoreDataStore(source.path, name: source.name))?.entities ?? []).contains { $0.name == "Piece" }
  }

  /// Returns false, because all SQLite databases have the same first bytes.
  public func hasSignature(_ head: FileHead) -> Bool { false }

  /// Opens a store without changing it.
  /// - Throws: `RunFailure` with status 2 if the store cannot be read, 4 if it has several users.
  public func reader(of source: Source, context: RunContext) throws -> any ContentReader {
    guard !source.isStandardInput else {
      throw RunFailure(.usage, "a store cannot be read from standard input", advice: "Give the file's path.")
    }
    let options = context.reading
    return try DraftReader(of: source, idScope: ["haumana"], traits: SourceTraits(), context: context) {
      try HaumanaStoreSource(source, options, findings: $0)
    }
  }

  /// Begins to fill an empty store, if `--write-app-store` was given.
  /// - Throws: `RunFailure`: 64 without `--write-app-store`, 4 if the store does not exist or is not empty.
  public func writer(to target: Target, context: RunContext) throws -> any ContentWriter {
    let rows = HaumanaRows(context: context)
    return try StoreWriter(target, of: HaumanaRows.app, context: context) { rows.row(of: $0, $1) }
  }
}

/// Creates drafts from a store's rows: pieces, practice sessions, users, the queue, and then other entities.
private final class HaumanaStoreSource: DraftSource {
  private let store: CoreDataStore
  private let source: Source
  private let drafts: HaumanaDrafts
  private let user: String?
  private let findings: DiagnosticLog?
  private var entities: [CoreDataStore.Entity]
  private var open: (entity: CoreDataStore.Entity, rows: SQLiteStatement)?
  private var queue: [SourceDraft] = []
  private var pieces: Set<String> = []
  private var others = 0
  private var done = 0
  private let total: Int
  private(set) var origin = DraftOrigin.file

  /// The attributes of all known model versions, by their column names without the Z.
  private static let attributes: [String: String] = {
    let names = [
      "id", "title", "category", "lyrics", "language", "englishTranslation", "author", "sourceUrl", "notes",
      "createdAt",
      "updatedAt", "isFavorite", "includeInPractice", "lastPracticed", "userId", "lastSyncedAt", "locallyModified",
      "version", "pieceId", "startTime", "endTime", "syncedAt", "entityType", "entityId", "operation", "timestamp",
      "retryCount", "lastError", "email", "displayName", "photoUrl", "lastLoginAt", "birthdate", "isMinor", "kwsUserId",
      "parentConsentStatus", "parentEmail", "parentConsentDate",
    ]
    return Dictionary(names.map { ($0.uppercased(), $0) }, uniquingKeysWith: { first, _ in first })
  }()
  private static let ids: Set<String> = ["id", "pieceId"]
  private static let flags: Set<String> = ["isFavorite", "includeInPractice", "locallyModified", "isMinor"]

  init(_ source: Source, _ options: ReadingOptions, findings: DiagnosticLog?) throws {
    self.source = source
    self.findings = findings
    user = options.user
    drafts = HaumanaDrafts(makesDecks: options.decks)
    let store = try CoreDataStore(source.path, name: source.name)
    self.store = store
    let order = HaumanaStoreFormat.entities
    func rank(_ entity: CoreDataStore.Entity) -> Int { order.firstIndex(of: entity.name) ?? order.count }
    entities = store.entities.sorted { (rank($0), $0.number) < (rank($1), $1.number) }
    total = entities.reduce(0) { $0 + store.count(of: $1) }
    if options.user == nil, findings != nil { try checkUsers() }
  }

  var progress: (done: Int, total: Int?) { (done, total) }

  /// Refuses a store with several users' pieces, which can result from switching accounts.
  private func checkUsers() throws {
    var users: Set<String> = []
    for entity in entities where entity.columns.contains(where: { $0.name == "ZUSERID" }) {
      do {
        let statement = try store.connection.prepare(
          "SELECT DISTINCT ZUSERID FROM \"\(entity.table)\" WHERE ZUSERID IS NOT NULL LIMIT 1000")
        while try statement.step() { if let user = statement.text(at: 0), !user.isEmpty { users.insert(user) } }
      } catch {
        throw CoreDataStore.failure(error, source.name)
      }
    }
    if users.count > 1 { throw HaumanaUsers.several(users, in: source.name) }
  }

  func next() throws -> SourceDraft? {
    while queue.isEmpty {
      try Interruption.check()
      do throws(SQLiteError) {
        if open == nil {
          guard !entities.isEmpty else {
            HaumanaUsers.reportOthers(&others, in: source.name, findings)
            return nil
          }
          let entity = entities.removeFirst()
          open = (entity, try store.rows(of: entity))
        }
        guard let open, try open.rows.step() else {
          self.open = nil
          continue
        }
        done += 1
        makeDrafts(of: open.rows, open.entity)
      } catch {
        throw CoreDataStore.failure(error, source.name)
      }
    }
    return queue.removeFirst()
  }

  private func makeDrafts(of row: SQLiteStatement, _ entity: CoreDataStore.Entity) {
    let key = String(row.integer(at: 0))
    var item = HaumanaItem(range: 0..<0, tracksPlaces: findings == nil)
    var columns: [(name: String, range: Range<Int>)] = []
    var problems: [RejectedDraft.Problem] = []
    var at = 0
    for (index, column) in entity.columns.enumerated() {
      let name = Self.attribute(column.name)
      let value = CoreDataStore.Value(row, index + 1, column.type, isFlag: Self.flags.contains(name))
      let range = at..<at + value.json.count
      at = range.upperBound + 1
      columns.append((column.name, range))
      if !value.isSound || Self.ids.contains(name) && value.isBytes {
        problems.append(.init(.storeValue, "\(column.name) has a value of the wrong type", at: range))
      }
      item.append(name, value.json, at: range)
    }
    item.range = 0..<at
    origin = .row(table: entity.table, id: key, columns: columns)
    guard problems.isEmpty else {
      var json = ByteBuffer(capacity: 512)
      item.write(into: &json)
      queue = [
        .rejected(
          RejectedDraft(
            entity.name == "Piece" ? .item : entity.name == "PracticeSession" ? .practiceSession : .foreign,
            title: item.text(.title)?.string ?? key, json: json.copy(0..<json.count), problems: problems,
            range: 0..<at))
      ]
      return
    }
    if let user, let owner = item.text(.userId)?.string, !owner.utf8.elementsEqual(user.utf8) {
      others += 1
      return
    }
    queue = drafts(of: item, entity, key)
  }

  private func drafts(of item: HaumanaItem, _ entity: CoreDataStore.Entity, _ key: String) -> [SourceDraft] {
    func report(_ code: DiagnosticCode, _ message: String, _ column: String? = nil) {
      findings?.report(
        Diagnostic(
          code, message,
          at: Place(file: source.name, row: Place.Row(table: entity.table, id: key, column: column)),
          record: item.text(.id).map { "\(entity.name) \($0.string)" }, title: item.text(.title)?.string))
    }
    switch entity.name {
    case "Piece":
      if let id = item.text(.id)?.string { pieces.insert(id) }
      if item.isTrue(.locallyModified) {
        report(.notUploaded, "the piece was changed on the phone and has not been uploaded yet", "ZLOCALLYMODIFIED")
      }
      return drafts.drafts(of: item, as: .piece)
    case "PracticeSession":
      if let piece = item.text(.pieceId)?.string, !pieces.contains(piece) {
        report(.orphanSession, "its piece \(piece) is not in the store", "ZPIECEID")
      }
      return drafts.drafts(of: item, as: .session)
    case "User": return drafts.drafts(of: item, as: .user)
    case "SyncQueueItem":
      report(.notUploaded, "the operation has not been uploaded yet")
      return [drafts.foreign(item, type: "sync_queue_item", id: item.text(.id))]
    default: return [drafts.foreign(item, type: entity.name, id: item.text(.id))]
    }
  }

  private static func attribute(_ column: String) -> String {
    let name = column.hasPrefix("Z") ? String(column.dropFirst()) : column
    return attributes[name] ?? name.lowercased()
  }
}

/// Messages about the data of several users, which all Haumana sources share.
enum HaumanaUsers {
  /// Returns the failure for a source with several users.
  static func several(_ users: Set<String>, in name: String) -> RunFailure {
    let list = users.sorted().map { TerminalEscaping.escape($0) }.joined(separator: ", ")
    return RunFailure(
      .refused, "read '\(name)': it contains the data of \(users.count) users; nothing was read",
      advice: "Select one of them with --user: \(list).")
  }

  /// Reports the number of other users' items that were left out.
  static func reportOthers(_ others: inout Int, in name: String, _ findings: DiagnosticLog?) {
    guard others > 0, let findings else { return }
    findings.report(
      Diagnostic(
        .otherUsers,
        others == 1 ? "an item of another user was left out" : "\(others) items of other users were left out",
        at: Place(file: name)))
    others = 0
  }
}

/// Converts records to rows of a Haumana store. Guides become pieces. Practice sessions, users and queue entries
/// already contain rows.
///
/// - Source: formats/haumana.md, "Filling a store"
struct HaumanaRows {
  static let app = StoreWriter.App(
    name: "Haumana", has: "texts to practise and practice sessions", bundle: "app.haumana",
    entities: HaumanaStoreFormat.entities)

  let context: RunContext

  /// Returns a record's row.
  func row(of record: JSONNode, _ kind: RecordKind) -> StoreWriter.Made {
    switch kind {
    case .item where record.member("content_type")?.equals("practice_guide") == true: return .row(piece(record))
    case .item: return HaumanaWriter.isDeckOfPiece(record) ? .derived : .nothing
    case .practiceSession:
      var json = ByteBuffer(capacity: 512)
      HaumanaSession.write(record, into: &json)
      return .row(
        StoreWriter.Row(
          "PracticeSession", json.copy(0..<json.count), at: "/raw",
          columns: ["sessionId": "ZID", "startedAt": "ZSTARTTIME", "endedAt": "ZENDTIME"]))
    case .foreign:
      guard record.member("system")?.equals("haumana") == true, let type = record.member("type")?.string,
        let raw = record.member("raw"), raw.kind == .object
      else { return .nothing }
      let entity = ["user": "User", "sync_queue_item": "SyncQueueItem"][type] ?? type
      return .row(StoreWriter.Row(entity, Array(raw.raw), at: "/raw", columns: ["userId": "ZID"]))
    default: return .nothing
    }
  }

  private func piece(_ record: JSONNode) -> StoreWriter.Row {
    let piece = HaumanaPiece(record)
    piece.reportLosses(record, to: context.losses)
    var json = ByteBuffer(capacity: 4096)
    piece.write(into: &json)
    let isOwn = record.member("extras")?.member("haumana") != nil
    let (now, user) = (CoreDataStore.seconds(context.now), context.reading.user)
    return StoreWriter.Row(
      "Piece", json.copy(0..<json.count), at: "/extras/haumana",
      columns: ["pieceId": "ZID", "modifiedAt": "ZUPDATEDAT"]
    ) { column in
      switch column {
      case "ZISFAVORITE": .integer(0)
      case "ZINCLUDEINPRACTICE", "ZVERSION": .integer(1)
      case "ZLOCALLYMODIFIED": .integer(isOwn ? 0 : 1)
      case "ZCREATEDAT", "ZUPDATEDAT": .real(now)
      case "ZUSERID" where !isOwn: user.map { .text(Array($0.utf8)) }
      default: nil
      }
    }
  }
}
