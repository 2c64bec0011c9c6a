import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import SourceFolders

extension FormatID {
  /// Chravel's data in a browser.
  public static let chravel = FormatID(rawValue: "chravel")
}

extension DiagnosticCode {
  static let brokenRow = DiagnosticCode(
    "CHV0101", "broken-row", .error, "A row of Chravel's data cannot be used.",
    why: "a required value is missing or has the wrong type, or the file ends too early",
    fix: "correct it in the dump and read the whole dump again, because its rows belong together")
  static let expiredRow = DiagnosticCode(
    "CHV0102", "expired-row", .warning, "A row is older than the 30 days that the app keeps.",
    why: "the app also deletes it from its cache, and the server still has it", fix: "nothing needs to be done")
  static let olderState = DiagnosticCode(
    "CHV0103", "older-state", .warning, "Two rows have different states of one object; this is the older state.",
    why: "the row with the higher version is used; failing that, the one with the later time, or the one read first",
    fix: "compare both rows if you are not sure")
  static let duplicateRow = DiagnosticCode(
    "CHV0104", "duplicate-row", .note, "A row is a copy of another row.",
    why: "the app created it temporarily until the server responded",
    fix: "nothing needs to be done")
  static let rowWithoutHome = DiagnosticCode(
    "CHV0105", "row-without-home", .warning, "A row has no counterpart in the app's model on the phone.",
    why: "it is kept in bundles and in a library's sidecar", fix: "nothing needs to be done")
  static let unknownType = DiagnosticCode(
    "CHV0106", "unknown-type", .warning, "A row has a type that FleetKit does not recognize.",
    why: "it is kept unchanged", fix: "examine it in the bundle")
  static let possibleDuplicate = DiagnosticCode(
    "CHV0107", "possible-duplicate", .warning, "The same object was created twice within a second.",
    why: "both are kept, although one tap may have been counted twice", fix: "delete one of them in the app")
  static let failedOperation = DiagnosticCode(
    "CHV0108", "failed-operation", .note, "The app stopped sending an operation after too many failures.",
    why: "it is pending again, so that the phone sends it", fix: "nothing needs to be done")
  static let keptThoughExpired = DiagnosticCode(
    "CHV0109", "kept-though-expired", .note, "A row is too old, but a waiting operation needs it.",
    why: "without this row, the operation could not be applied", fix: "nothing needs to be done")
  static let completedByRule = DiagnosticCode(
    "CHV0110", "completed-by-rule", .warning, "Some members have completed a task and others have not.",
    why: "the phone has one mark: a poll counts as done if all members have done it, other tasks if the first has",
    fix: "check the task in the app")
  static let rowsRead = DiagnosticCode(
    "CHV0111", "rows-read", .note, "The number of rows in a store, by outcome.", why: "every row is counted",
    fix: "nothing needs to be done")

  static let chravel = [
    brokenRow, expiredRow, olderState, duplicateRow, rowWithoutHome, unknownType, possibleDuplicate, failedOperation,
    keptThoughExpired, completedByRule, rowsRead, unfitObject,
  ]
}

/// The format of Chravel's data in a browser: IndexedDB dumps, either as plain JSON with one file for each store, or as
/// Dexie exports.
///
/// - Source: formats/chravel.md
public struct ChravelFormat: Format {
  /// Creates the format.
  public init() {}

  /// The format's names and capabilities.
  public var descriptor: FormatDescriptor { Self.descriptor }

  private static let descriptor = FormatDescriptor(
    .chravel, title: "Chravel in a browser", page: "chravel", extensions: ["chravel"],
    mediaType: "application/json",
    keeps: [.foreign], holdsFiles: true, joinsFiles: true, fromFolders: .recognised, writesFolders: true,
    differences: [.ownExtras, .requiredTimes],
    codes: DiagnosticCode.chravel)

  /// The names of Chravel's databases.
  private static let databases = ["chravel-offline-sync", "chravel-chat-db", "chravel-offline-queue"]

  /// Recognizes a file by its content, and a folder by the names of the databases in it.
  public func recognises(_ source: Source, head: FileHead) -> Bool {
    head.isEmpty ? !Self.files(in: source.path).isEmpty : hasSignature(head)
  }

  /// Whether the file is a Dexie export of one of the databases, or contains rows with the members of its stores.
  public func hasSignature(_ head: FileHead) -> Bool {
    guard head.hasMember("formatName", "entityType", "trip_id", "tripId") else { return false }
    var head = head.bytes[...]
    if head.starts(with: [0xEF, 0xBB, 0xBF]) { head = head.dropFirst(3) }
    let text = String(decoding: head.filter { $0 > 0x20 }, as: UTF8.self)
    if text.contains("\"formatName\":\"dexie\"") { return Self.databases.contains { text.contains($0) } }
    guard text.hasPrefix("[{") else { return false }
    let pairs = [
      ("\"entityType\":\"", "\"tripId\":"), ("\"trip_id\":\"", "\"author_name\":\""),
      ("\"tripId\":\"", "\"itinerary\":["),
    ]
    return pairs.contains { text.contains($0.0) && text.contains($0.1) }
  }

  /// Returns the dump files in a folder, sorted by name: the files in folders that are named after the databases, and
  /// Dexie exports.
  private static func files(in folder: String) -> [(path: String, member: String?)] {
    let base = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: base)) ?? []).sorted()
    var files: [(path: String, member: String?)] = []
    let own = base.split(separator: "/").last.map(String.init) ?? ""
    for name in names {
      let path = base + "/" + name
      if databases.contains(name) {
        for inner in ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
        where inner.hasSuffix(".json") { files.append((path + "/" + inner, name + "/" + inner)) }
      } else if name.hasSuffix(".json"),
        databases.contains(own) && ChravelStore(rawValue: String(name.dropLast(5))) != nil
          || databases.contains(String(name.dropLast(5)))
      {
        files.append((path, name))
      }
    }
    return files
  }

  /// Returns the collection that the file belongs to.
  public func home(of source: Source) -> SourceHome? { SourceFolder.home(of: source) }

  /// Opens a dump.
  /// - Throws: `RunFailure` with status 2 if it cannot be read.
  public func reader(of source: Source, context: RunContext) throws -> any ContentReader {
    var file = source
    var files: [(path: String, member: String?)] = []
    if source.isStandardInput {
      let folder = try TemporaryFolder()
      context.keep(folder)
      try StandardInput.copy(to: folder.path + "/dump.json")
      file = Source(folder.path + "/dump.json", name: "-")
    } else if !source.parts.isEmpty {
      let prefix = source.name == "." ? "" : source.name.hasSuffix("/") ? source.name : source.name + "/"
      for part in source.parts {
        let inner = Self.files(in: part)
        let member = part.hasPrefix(prefix) ? String(part.dropFirst(prefix.count)) : part
        files += inner.isEmpty ? [(part, member)] : inner.map { ($0.path, member + "/" + ($0.member ?? "")) }
      }
    } else {
      files = Self.files(in: source.path)
    }
    if files.isEmpty { files = [(file.path, nil)] }
    let (paths, name, now) = (files, file.name, context.now)
    return try DraftReader(
      of: file, idScope: ["chravel"], traits: SourceTraits(hasManyFiles: paths.count > 1), context: context,
      mentionsUnknown: false
    ) { try ChravelSource(name, paths, now: now, findings: $0) }
  }

  /// Creates a folder of Dexie exports.
  /// - Throws: `RunFailure` with status 4 if the folder exists and is not empty.
  public func writer(to target: Target, context: RunContext) throws -> any ContentWriter {
    try ChravelWriter(target, context: context)
  }
}

/// Creates drafts from a dump.
private final class ChravelSource: DraftSource {
  private let dump: ChravelDump
  private let drafts: ChravelDrafts
  private let migration: ChravelMigration
  private let trips: [ChravelDrafts.Trip]
  private var step = 0
  private var file = 0
  /// The files whose incomplete ends are not yet reported.
  private var rests: [Int]

  init(_ name: String, _ paths: [(path: String, member: String?)], now: Timestamp, findings: DiagnosticLog?) throws {
    let dump = try ChravelDump(paths)
    self.dump = dump
    drafts = ChravelDrafts(now: now)
    rests = dump.files.indices.filter { dump.files[$0].rest != nil }
    let places = RowPlaces(dump, name: name)
    let migration = try ChravelMigration(dump, now: now) { code, message, origin, member in
      findings?.report(
        Diagnostic(
          code, message, at: places.place(of: origin.element), record: "\(origin.store) \(origin.key)"))
    }
    self.migration = migration
    var trips = ChravelDrafts.Trips()
    for arrival in migration.arrivals {
      let number = Int(arrival.element)
      let range = dump.elements[number].range
      // If the details are not in memory, the object is read again from its row.
      if let entity = arrival.details.map({ migration.details[$0].entity }) {
        trips.add(entity, range, row: number)
      } else if let object = migration.object(arrival) {
        trips.add(object.entity, range, row: number)
      }
    }
    self.trips = trips.all.sorted { $0.id < $1.id }
    guard let findings else { return }
    for (store, outcomes) in migration.outcomes.sorted(by: { $0.key < $1.key }) {
      let sum = outcomes.values.reduce(0, +)
      let parts = outcomes.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.value) \($0.key.rawValue)" }
      findings.report(
        Diagnostic(
          .rowsRead, "\(store): \(sum) read = \(parts.joined(separator: " + "))", at: Place(file: name), record: store))
    }
  }

  var progress: (done: Int, total: Int?) {
    (step, trips.count + migration.arrivals.count + migration.leftovers.count)
  }

  var origin: DraftOrigin {
    guard let member = dump.files[file].member else { return .file }
    return .member(member, dump.files[file].data.data)
  }

  private var waiting: [SourceDraft] = []

  func next() throws -> SourceDraft? {
    while waiting.isEmpty {
      try Interruption.check()
      guard try fill() else { return nil }
    }
    return waiting.removeFirst()
  }

  /// Creates the next drafts.
  /// - Returns: false at the end.
  private func fill() throws -> Bool {
    if !rests.isEmpty {
      file = rests.removeFirst()
      if let rest = dump.files[file].rest {
        var json = ByteBuffer(capacity: 256)
        json.appendJSONString(String(decoding: dump.files[file].data.bytes[rest.range].prefix(1 << 16), as: UTF8.self))
        waiting = [
          .rejected(
            RejectedDraft(
              .foreign, title: dump.files[file].member ?? "", json: json.copy(0..<json.count),
              problems: [.init(.brokenRow, rest.message, at: rest.range.lowerBound..<rest.range.lowerBound)],
              range: rest.range))
        ]
      }
      return true
    }
    defer { step += 1 }
    if step < trips.count {
      file = dump.elements[trips[step].row].file
      waiting = drafts.drafts(of: trips[step])
      return true
    }
    let arrival = step - trips.count
    if arrival < migration.arrivals.count {
      waiting = [try draft(migration.arrivals[arrival])]
      return true
    }
    let leftover = arrival - migration.arrivals.count
    guard leftover < migration.leftovers.count else { return false }
    waiting = draft(migration.leftovers[leftover]).map { [$0] } ?? []
    return true
  }

  private func draft(_ arrival: ChravelMigration.Arrival) throws -> SourceDraft {
    let element = dump.elements[Int(arrival.element)]
    file = element.file
    guard let object = migration.object(arrival) else {
      throw RunFailure(
        .failed, "read '\(dump.files[file].path)': it changed while it was being read", advice: "Try again.")
    }
    return drafts.foreign(object, element.range)
  }

  private func draft(_ leftover: ChravelMigration.Leftover) -> SourceDraft? {
    let element = dump.elements[leftover.origin.element]
    file = element.file
    switch leftover.outcome {
    case .rejected:
      let row = try? dump.row(element)
      let range =
        leftover.member.flatMap { name in row?.value.at(JSONPointer([.member(name)]))?.span }
        .map { $0.lowerBound + element.range.lowerBound..<$0.upperBound + element.range.lowerBound } ?? element.range
      return .rejected(
        RejectedDraft(
          .foreign, title: leftover.origin.key,
          json: row.map { $0.plain(key: "id") } ?? dump.bytes(element.range, in: element.file),
          problems: [.init(.brokenRow, "\(leftover.origin.store): \(leftover.reason)", at: range)],
          range: element.range))
    case .noHome, .unknown:
      guard let row = try? dump.row(element) else { return nil }
      let isOverview = element.store == .tripOverview
      // Objects that are migrated separately are not kept twice.
      let json = row.plain(key: isOverview ? "tripId" : "id", without: isOverview ? ["itinerary", "tasks"] : [])
      return drafts.foreign(leftover.origin.store, leftover.origin.key, json, element.range)
    default: return nil
    }
  }
}

/// Finds the places of rows, which are mostly requested in order.
private final class RowPlaces {
  private let dump: ChravelDump
  private let name: String
  private var counters: [Int: PlaceCounter] = [:]

  init(_ dump: ChravelDump, name: String) {
    self.dump = dump
    self.name = name
  }

  func place(of element: Int) -> Place {
    let element = dump.elements[element]
    let file = dump.files[element.file]
    var counter = counters[element.file] ?? PlaceCounter()
    defer { counters[element.file] = counter }
    file.data.used(element.range.count)
    let position = counter.position(
      of: element.range.lowerBound, in: file.data.bytes.bindMemory(to: UInt8.self).span)
    return Place(file: name, member: file.member, line: position.line, column: position.column)
  }
}
