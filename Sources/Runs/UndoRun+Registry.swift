import Content
import JSONText
import SQLiteIO
import SQLiteLibrary

/// Runs that say what a registry has mean nothing to a library that belongs to another one by now.
extension UndoRun {
  /// Whose items a pull was about, or the undo of one, when the library belongs to others since; nil when a run can be
  /// undone as far as that goes.
  func formerOwner(of run: StateStore.Run, _ store: StateStore) throws -> String? {
    var pull = run
    while let undone = try pull.undoes.flatMap({ try store.run($0) }), undone.id < pull.id { pull = undone }
    guard pull.command == "pull", let detail = try? pull.detail.map({ try JSONDocument(parsing: $0).root }),
      let registry = detail["registry"]?.string,
      let now = try store.connection.rows("SELECT registry, user_id, bound_at FROM registry_binding").first
    else { return nil }
    if let current = now[0], current != registry { return registry }
    if let account = detail["account"]?.string {
      return account.lowercased() == now[1]?.lowercased() ? nil : "another account of \(registry)"
    }
    // An older FleetKit did not note the account: whatever was bound before the pull is its own.
    guard let bound = now[2].flatMap({ Timestamp.parse($0)?.0 }), let began = Timestamp.parse(pull.started)?.0,
      bound.milliseconds > began.milliseconds
    else { return nil }
    return "another account of \(registry), it may be"
  }
}
