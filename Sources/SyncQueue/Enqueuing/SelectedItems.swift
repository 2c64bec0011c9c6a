import Content
import Diagnostics
import Interchange
import JSONText
import SQLiteIO
import SQLiteLibrary

/// The selected items of a library: their ids, and the findings made while they were read.
///
/// Memory grows with the selection, not with the library.
struct SelectedItems {
  /// A selected item.
  struct Item {
    let id: String
    let isDeck: Bool
    /// Damage in the item's rows that prevents a check.
    let damage: [Diagnostic]
  }

  private(set) var items: [Item] = []

  /// Reads the selected items.
  /// - Parameters:
  ///   - selection: the selection, which covers only items.
  ///   - ids: restricts the selection to these ids, in upper case; nil for the whole selection.
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
            .idCase, "the app cannot find the id \"\(row.id)\"",
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

  /// Checks that every given id identifies exactly one item: an item that was not named must not be published, and a
  /// missing item must not go unnoticed.
  /// - Parameters:
  ///   - doing: the beginning of error messages.
  ///   - list: advice that shows how to list the items.
  /// - Throws: `RunFailure`: 2 when nothing is selected, or an id matches no item; 64 when an id matches several.
  func demand(_ selection: Selection, doing: String, list: String) throws {
    for word in selection.ids {
      let begin = word.uppercased()
      let found = items.count { $0.id.uppercased().hasPrefix(begin) }
      if found == 0 {
        throw RunFailure(.failed, "\(doing): no item matches --id \(word); nothing was done", advice: list)
      }
      if found > 1 {
        throw RunFailure(
          .usage, "\(doing): \(found) ids begin with '\(word)'", advice: "Give more of the id. \(list)")
      }
    }
    if items.isEmpty { throw RunFailure(.failed, "\(doing): no item matches the selection", advice: list) }
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
