import Content
import Diagnostics
import Interchange
import JSONText
import Merging
import Publishing
import SQLiteIO
import SQLiteLibrary
import Validation

/// Prevents a second copy of the same original in a library: people may run the command twice.
final class ForkParticipant: ImportParticipant {
  private let registryID: String
  private let publicID: String
  private let library: String
  private let isAgain: Bool

  /// - Parameter registryID: the registry's id of the original, in upper case.
  init(_ registryID: String, publicID: String, library: String, isAgain: Bool) {
    self.registryID = registryID
    self.publicID = publicID
    self.library = library
    self.isAgain = isAgain
  }

  func begin(_ library: WritableLibrary, _ store: StateStore) throws {
    if isAgain { return }
    guard let title = try titles(library.connection, store.connection).first else { return }
    throw RunFailure(
      .refused, "fork '\(publicID)' into '\(self.library)': the library already has a copy of it, '\(title)'",
      advice: "To make another one, add --again.")
  }

  func base(of id: String, over library: JSONNode) throws -> ImportBase? { nil }

  func finish(_ work: ImportWork) throws {}

  /// Returns the titles of all copies of the original in the library and its sidecar.
  func titles(_ library: SQLiteConnection, _ state: SQLiteConnection?) throws(SQLiteError) -> [String] {
    var found = try library.rows(
      "SELECT title FROM library_content WHERE upper(forkedFromID) = ? ORDER BY createdAt, id", [registryID]
    ).map { $0[0] ?? "" }
    guard let state else { return found }
    let decks = try state.prepare(
      "SELECT line FROM records WHERE kind = 'item' AND instr(line, CAST(? AS BLOB)) > 0 ORDER BY id")
    decks.bind("\"forked_from_id\":\"\(registryID)\"", at: 1)
    while try decks.step() {
      let line = Array(decks.blob(at: 0))
      found.append((try? JSONDocument(parsing: line))?.root["title"]?.string ?? "")
    }
    return found
  }
}
