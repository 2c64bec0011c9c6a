import Content
import SQLiteLibrary

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

  mutating func takeBack(
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
        note(kind, image.id, isRemoved: image.operation == .insert)
      }
    }
    let beside = StoreUndo(store, reader, journal: journal) { kept.contains(Array($0.utf8)) }
    try beside.run()
    for one in beside.effects where SidecarExtras.owner(of: one.kind) == nil {
      note(one.kind, one.id, isRemoved: one.isRemoved)
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

  private mutating func note(_ kind: String, _ id: String, isRemoved: Bool) {
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
