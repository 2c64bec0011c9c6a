import Content
import Diagnostics
import Interchange
import JSONText
import SQLiteIO
import SQLiteLibrary

/// Which items of a library are selected: their ids, and what was found wrong while they were read.
///
/// Memory grows with what is selected, not with the library.
struct SelectedItems {
  /// An item that is selected.
  struct Item {
    let id: String
    let isDeck: Bool
    /// What makes it unfit for being looked at: damage in its rows.
    let damage: [Diagnostic]
  }

  private(set) var items: [Item] = []

  /// Looks at everything.
  /// - Parameters:
  ///   - selection: what is taken; of items only.
  ///   - ids: only these, in upper case; nil for all that the selection takes.
  init(
    _ library: WritableLibrary, _ store: StateStore, file: String, locator: any RecordLocator, selection: Selection,
    ids: Set<String>?
  ) throws {
    try LibraryScan(library.connection, library.schema, file: file).items { found in
      guard let id = RecordLine.id(of: found.line), ids?.contains(id) ?? true else { return }
      guard try Self.takes(found.line, selection, locator) else { return }
      var damage = found.findings.filter { $0.severity == .error }
      if let row = found.rows.first, row.id != id {
        damage.append(
          Diagnostic(
            .idCase, "the id \"\(row.id)\" cannot be looked up by the app",
            at: Place(file: file, row: Place.Row(table: row.table, id: row.id, column: "id")), record: "item \(id)",
            severity: .error, fix: "run 'fleetkit doctor --repair'"))
      }
      items.append(Item(id: id, isDeck: false, damage: damage))
    }
    let decks = try store.connection.prepare("SELECT id, line FROM records WHERE kind = 'item' ORDER BY id")
    while try decks.step() {
      let id = decks.text(at: 0) ?? ""
      guard ids?.contains(id) ?? true, try Self.takes(decks.blob(at: 1), selection, locator) else { continue }
      items.append(Item(id: id, isDeck: true, damage: []))
    }
  }

  private static func takes(
    _ line: UnsafeBufferPointer<UInt8>, _ selection: Selection, _ locator: any RecordLocator
  ) throws -> Bool {
    try Interruption.check()
    if selection.isEmpty { return true }
    let batch = RecordBatch(locator: locator, capacity: line.count + 64)
    batch.canonical.append(line)
    batch.appendSlot(.item, from: 0)
    return batch.records.allSatisfy(selection.takes)
  }
}
