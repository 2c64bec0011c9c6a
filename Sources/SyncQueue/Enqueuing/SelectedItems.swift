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

  /// Sees to it that every word for an id means one item: nobody publishes what was not named, and nobody should
  /// believe that something was done to what is not there.
  /// - Parameters:
  ///   - doing: what failures begin with.
  ///   - list: how to see what there is.
  /// - Throws: `RunFailure`: 2 when nothing is selected, or none of a word for an id; 64 when a word means several.
  func demand(_ selection: Selection, doing: String, list: String) throws {
    for word in selection.ids {
      let begin = word.uppercased()
      let found = items.count { $0.id.uppercased().hasPrefix(begin) }
      if found == 0 {
        throw RunFailure(.failed, "\(doing): no item in it matches --id \(word); nothing was done", advice: list)
      }
      if found > 1 {
        throw RunFailure(
          .usage, "\(doing): the ids of \(found) items begin with '\(word)'", advice: "Give more of the id. \(list)")
      }
    }
    if items.isEmpty { throw RunFailure(.failed, "\(doing): no item in it matches", advice: list) }
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
