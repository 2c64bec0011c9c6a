import Content
import Foundation
import Interchange
import JSONText
import SQLiteIO
import SQLiteLibrary

/// Performs an undo inside one transaction of the library and one of the store. If records turn out to have changed
/// since the run, the undo is rolled back and starts again without them.
struct UndoWork {
  private let undo: UndoRun
  private let target: StateStore.Run
  private let reader: UndoJournalReader
  private let library: WritableLibrary
  private let store: StateStore

  init(
    _ undo: UndoRun, _ target: StateStore.Run, _ reader: UndoJournalReader, _ library: WritableLibrary,
    _ store: StateStore
  ) {
    self.undo = undo
    self.target = target
    self.reader = reader
    self.library = library
    self.store = store
  }

  func run() throws -> UndoRun.Report {
    let own =
      undo.dryRun
      ? nil : try store.begin("undo", detail: #"{"undoes":\#(target.id)}"#)
    do {
      try library.finishCheck()
      try store.connection.execute("BEGIN IMMEDIATE")
      return try run(own)
    } catch {
      library.rollback()
      try? store.connection.execute("ROLLBACK")
      if let own {
        UndoJournal.remove(own.id, from: library.sidecar.folder)
        try? store.recordState(.void, of: own.id)
      }
      throw error
    }
  }

  private func run(_ own: StateStore.Run?) throws -> UndoRun.Report {
    let references = try References(library.connection)
    var kept = Set<[UInt8]>()
    var changed: [UndoRun.ChangedRecord] = []
    while true {
      try library.connection.execute("SAVEPOINT undo")
      try store.connection.execute("SAVEPOINT undo")
      let journal = try own.map { try UndoJournalWriter(of: $0, library.connection, in: library.sidecar) }
      var attempt = UndoAttempt(kept: kept)
      try attempt.undo(target, reader, library, store, journal) { done in
        try undo.report("Undoing", done, reader.entries)
      }
      attempt.add(try references.broken(library.connection), isRepair: ["doctor", "undo"].contains(target.command))
      let fresh = attempt.obstacles.filter { !kept.contains(Array($0.id.utf8)) }
      if fresh.isEmpty { return try finish(attempt, changed, own, journal) }
      journal?.discard()
      try library.connection.execute("ROLLBACK TO undo; RELEASE undo")
      try store.connection.execute("ROLLBACK TO undo; RELEASE undo")
      changed += try names(of: fresh)
      kept.formUnion(fresh.map { Array($0.id.utf8) })
      if !undo.skipsChanged { return try refuse(changed, own) }
    }
  }

  /// The maximum number of titles that are looked up for long lists.
  private static let namesKept = 1000

  private func names(of obstacles: [UndoAttempt.Obstacle]) throws -> [UndoRun.ChangedRecord] {
    let lookup = try LibraryLookup(library)
    return try obstacles.enumerated().map { index, one in
      var title: String?
      if index < Self.namesKept {
        let line = try Array(one.id.utf8).withUnsafeBufferPointer { id in
          try lookup.record(RecordKind(one.kind), id: id.span).map { Array($0) }
        }
        title = RecordTitle.of(line ?? one.line)
      }
      return UndoRun.ChangedRecord(kind: one.kind, id: one.id, title: title, what: one.what)
    }
  }

  private func refuse(_ changed: [UndoRun.ChangedRecord], _ own: StateStore.Run?) throws -> UndoRun.Report {
    library.rollback()
    try store.connection.execute("ROLLBACK")
    if let own {
      try store.mark(own.id, .refused)
      try store.recordState(.void, of: own.id)
    }
    var report = UndoRun.Report()
    report.changed = changed
    report.isRefused = true
    return report
  }

  // MARK: Finishing

  private func finish(
    _ attempt: UndoAttempt, _ changed: [UndoRun.ChangedRecord], _ own: StateStore.Run?, _ journal: UndoJournalWriter?
  ) throws -> UndoRun.Report {
    var report = attempt.report
    report.changed = changed
    let media = UndoMedia(library.sidecar, store)
    let gone = try media.unused(of: reader.extras.media)
    report.media = gone.count
    guard let own, let journal, report.removedCount + report.putBackCount > 0 || changed.isEmpty else {
      library.rollback()
      try store.connection.execute("ROLLBACK")
      if let own {
        journal?.discard()
        try store.recordState(.void, of: own.id)
      }
      return report
    }
    let back = try media.bringBack(from: target.id)
    journal.recordExtras { $0.media = back }
    try journal.finish()
    try store.mark(target.id, isUndone: true)
    try store.intend(own.id, counts: report.counts)
    try store.connection.execute("COMMIT", as: "write the ledger")
    do {
      try library.connection.execute("RELEASE undo")
      try library.commit()
    } catch {
      if let reader = try? UndoJournalReader(of: own.id, in: library.sidecar.folder) {
        try? store.revert(own, reader)
      }
      throw error
    }
    // This comes before the end of the undo is recorded. Recovering a killed undo also does this.
    media.moveAside(gone, for: own.id)
    // The undo is done, even if its end cannot be recorded.
    try? store.recordState(.done, of: own.id)
    UndoJournal.rotate(library.sidecar)
    report.run = own.id
    return report
  }
}

extension UndoRun.Report {
  /// The counts as stored in the ledger.
  var counts: String {
    "{\"changed\":\(removedCount + putBackCount),\"removed\":\(removedCount),\"put_back\":\(putBackCount),"
      + "\"skipped\":\(changed.count)}"
  }
}

/// One attempt to undo a run: the effect on each record, and the obstacles.
struct UndoAttempt {
  /// A record that was changed after the run.
  struct Obstacle {
    let kind: String
    let id: String
    let what: UndoObstacle
    /// The record's line, for records in the sidecar.
    var line: [UInt8]?
  }

  /// The ids of records that are left unchanged.
  private let kept: Set<[UInt8]>
  private(set) var obstacles: [Obstacle] = []
  private var seen = Set<[UInt8]>()
  /// For each record, by the hash of its kind and id, whether it was restored (true) or removed (false).
  private var effects: [UInt64: (kind: String, isBack: Bool)] = [:]

  init(kept: Set<[UInt8]>) { self.kept = kept }

  mutating func undo(
    _ target: StateStore.Run, _ reader: UndoJournalReader, _ library: WritableLibrary, _ store: StateStore,
    _ journal: UndoJournalWriter?, _ progress: (Int) throws -> Void
  ) throws {
    let kept = kept
    var done = 0
    try LibraryRowsUndo(library.connection, reader).run(skips: { kept.contains(Array($0.id.utf8)) }) {
      image, obstacle in
      done += 1
      if done % 1024 == 0 { try progress(done) }
      let kind = Self.kind(of: image.table.name)
      if let obstacle {
        add(Obstacle(kind: kind, id: image.id, what: obstacle))
      } else {
        recordEffect(kind, image.id, isRemoved: image.operation == .insert)
      }
    }
    let beside = StoreUndo(store, reader, journal: journal) { kept.contains(Array($0.utf8)) }
    try beside.run()
    for one in beside.effects where SidecarExtras.owner(of: one.kind) == nil {
      recordEffect(one.kind, one.id, isRemoved: one.isRemoved)
    }
    for one in beside.obstacles {
      add(
        Obstacle(kind: SidecarExtras.owner(of: one.kind)?.name ?? one.kind, id: one.id, what: one.what, line: one.line))
    }
    let effects = effects
    try beside.removeLater(than: target.id) { id in
      ["item", "charter", "execution"].contains { effects[Self.hash($0, id)] != nil }
    }
  }

  private mutating func recordEffect(_ kind: String, _ id: String, isRemoved: Bool) {
    // The journal is read backwards, so the run's first change comes last and determines the effect.
    effects[Self.hash(kind, id)] = (kind, !isRemoved)
  }

  private mutating func add(_ obstacle: Obstacle) {
    if seen.insert(Array(obstacle.id.utf8)).inserted { obstacles.append(obstacle) }
  }

  /// Adds records that newer records refer to.
  /// - Parameter isRepair: whether the run repaired references, as a repair or an undo does. Undoing such a run breaks
  ///   the references again, as before.
  mutating func add(_ broken: [References.Broken], isRepair: Bool) {
    for one in broken {
      if effects[Self.hash(one.parentKind, one.parent)]?.isBack == false {
        add(Obstacle(kind: one.parentKind, id: one.parent, what: .needed))
      } else if !isRepair {
        add(Obstacle(kind: one.childKind, id: one.child, what: .deleted))
      }
    }
  }

  /// The report of the attempt so far.
  var report: UndoRun.Report {
    var report = UndoRun.Report()
    for effect in effects.values {
      if effect.isBack {
        report.putBack[effect.kind, default: 0] += 1
      } else {
        report.removed[effect.kind, default: 0] += 1
      }
    }
    return report
  }

  private static func hash(_ kind: String, _ id: String) -> UInt64 {
    var hasher = Hasher()
    for byte in kind.utf8 { hasher.combine(byte) }
    for byte in id.utf8 { hasher.combine(byte) }
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  /// Returns the kind of the records that have rows in a table.
  static func kind(of table: String) -> String {
    switch table {
    case "library_content", "checklists", "practice_guides": "item"
    case "charters": "charter"
    case "checklistExecutionStates": "execution"
    case "sync_queue": "sync_operation"
    default: table
    }
  }
}

/// Finds broken references inside a library that did not exist before a run.
struct References {
  /// A row that refers to a missing row.
  struct Broken: Hashable {
    let childKind: String
    let child: String
    let parentKind: String
    let parent: String
  }

  private let before: Set<Broken>

  /// Records the broken references of a library before it is changed.
  init(_ connection: SQLiteConnection) throws(SQLiteError) { before = try Self.all(connection) }

  /// Returns the references that are broken now and were not before.
  func broken(_ connection: SQLiteConnection) throws(SQLiteError) -> [Broken] {
    try Self.all(connection).filter { !before.contains($0) }.sorted { $0.parent < $1.parent }
  }

  /// The references that the app follows. It declares only some of them as foreign keys.
  private static let all = [
    (child: "checklistExecutionStates", column: "charterID", parent: "charters"),
    (child: "checklistExecutionStates", column: "checklistID", parent: "checklists"),
    (child: "charters", column: "checkInChecklistID", parent: "checklists"),
    (child: "sync_queue", column: "contentID", parent: "library_content"),
  ]

  private static func all(_ connection: SQLiteConnection) throws(SQLiteError) -> Set<Broken> {
    var found = Set<Broken>()
    for one in all {
      let known = try connection.number(
        "SELECT count(*) FROM pragma_table_info(?) WHERE name IN ('id', ?)", [one.child, one.column])
      let parent = try connection.number("SELECT count(*) FROM pragma_table_info(?)", [one.parent])
      guard known == 2, parent > 0 else { continue }
      let rows = try connection.rows(
        """
        SELECT id, "\(one.column)" FROM "\(one.child)" WHERE "\(one.column)" IS NOT NULL
        AND "\(one.column)" NOT IN (SELECT id FROM "\(one.parent)" WHERE id IS NOT NULL)
        """)
      for row in rows {
        found.insert(
          Broken(
            childKind: UndoAttempt.kind(of: one.child), child: row[0] ?? "",
            parentKind: UndoAttempt.kind(of: one.parent), parent: row[1] ?? ""))
      }
    }
    return found
  }
}

/// Reads the title of a record.
enum RecordTitle {
  /// Returns the title in a record's line, if any.
  static func of(_ line: [UInt8]?) -> String? {
    let root = line.flatMap { try? JSONDocument(parsing: $0) }?.root
    return root.flatMap { ($0["title"] ?? $0["name"])?.string }
  }
}
