import Content
import JSONText
import SQLiteIO
import SQLiteLibrary

/// Checks whether a run concerns a registry or account that the library no longer belongs to.
extension UndoRun {
  /// Returns the registry or account of a pull, or of the undo of a pull, if the library has since been bound to
  /// another one; nil if this does not prevent an undo.
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
    // Older versions did not record the account. A binding that was made before the pull belongs to the same account.
    guard let bound = now[2].flatMap({ Timestamp.parse($0)?.0 }), let began = Timestamp.parse(pull.started)?.0,
      bound.milliseconds > began.milliseconds
    else { return nil }
    return "possibly another account of \(registry)"
  }
}
