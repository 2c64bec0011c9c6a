import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import SQLiteIO
import SQLiteLibrary

/// Undoes a run exactly and completely, or changes nothing.
///
/// ```swift
/// let report = try UndoRun(7, of: "anyfleet.sqlite").run()
/// if report.isRefused { print(report.changed) }
/// ```
/// Every row must be unchanged since the run. An undo is itself a run, so it can be undone.
public struct UndoRun: Sendable {
  /// The run's number.
  public let id: Int64
  /// The library's path.
  public let library: String
  /// Whether records that have changed since the run are left unchanged, and the rest is undone.
  public var skipsChanged = false
  /// Whether everything is done except the final write.
  public var dryRun = false
  /// Receives, at intervals, the current step, the amount done and the total.
  public var onProgress: (@Sendable (_ what: String, _ done: Int, _ total: Int) -> Void)?

  /// Prepares to undo a run.
  public init(_ id: Int64, of library: String) {
    self.id = id
    self.library = library
  }

  /// A record that was changed after the run.
  public struct ChangedRecord: Encodable, Sendable {
    /// The kind: `item`, `charter` …
    public let kind: String
    /// The record's id.
    public let id: String
    /// The record's title; nil if it has no title, or if the record is missing.
    public let title: String?
    /// How the record has changed since the run.
    public let what: UndoObstacle
  }

  /// The result of an undo, or of its dry run.
  public struct Report: Sendable {
    /// The number of the undo's own run; nil if it changed nothing.
    public internal(set) var run: Int64?
    /// The command that was undone.
    public internal(set) var command = ""
    /// The number of removed records by kind. The run had added these records.
    public internal(set) var removed: [String: Int] = [:]
    /// The number of restored records by kind. The run had changed or deleted these records.
    public internal(set) var putBack: [String: Int] = [:]
    /// The records that have changed since the run.
    public internal(set) var changed: [ChangedRecord] = []
    /// Whether nothing was done because of these records.
    public internal(set) var isRefused = false
    /// The number of attachments without references. Their bytes are kept as long as the undo can be undone.
    public internal(set) var media = 0
    /// The duration in seconds.
    public internal(set) var seconds = 0.0

    /// The exit status of the process.
    public var status: ExitStatus { isRefused ? .refused : changed.isEmpty ? .success : .partial }
    /// The number of removed records.
    public var removedCount: Int { removed.values.reduce(0, +) }
    /// The number of restored records.
    public var putBackCount: Int { putBack.values.reduce(0, +) }
  }

  /// Undoes the run.
  /// - Throws: `RunFailure` with status 64 if there is no such run, 4 if the run cannot be undone, 7 if another program
  ///   uses the library, 2 if a file cannot be read or written. In all these cases, nothing was changed.
  public func run() throws -> Report {
    let started = Date()
    guard access(library, F_OK) == 0 else {
      throw RunFailure(.failed, "undo run \(id) of '\(library)': the library does not exist")
    }
    guard try SidecarFolder(of: library)?.state() != nil else { throw StateStore.unknown(id) }
    let open = try WritableLibrary(library)
    do {
      let store = try StateStore(open.sidecar)
      try store.resolveKilledRuns(open)
      let run = try undoable(store)
      let reader = try journal(of: run, open.sidecar)
      var report = try UndoWork(self, run, reader, open, store).run()
      report.command = run.command
      report.seconds = Date().timeIntervalSince(started)
      return report
    } catch let error as SQLiteError {
      open.rollback()
      throw WritableLibrary.failure(error, library)
    } catch {
      open.rollback()
      throw error
    }
  }

  /// Returns the run if it can be undone.
  private func undoable(_ store: StateStore) throws -> StateStore.Run {
    guard let run = try store.run(id) else { throw StateStore.unknown(id) }
    func refuse(_ why: String, _ advice: String) -> RunFailure {
      RunFailure(.refused, "undo run \(id) of '\(library)': \(why)", advice: advice)
    }
    switch run.state {
    case .running, .intended:
      throw refuse(
        "it was interrupted and changed nothing", "To resume an import, run 'fleetkit import --resume \(id)'."
      )
    case .void:
      throw refuse(
        run.has(.refused) ? "it was refused and changed nothing" : "it changed nothing", "There is nothing to undo.")
    case .undone:
      let by = try store.runs(command: "undo").first { $0.undoes == id && $0.state == .done }
      throw refuse(
        "it was already undone\(by.map { ", by run \($0.id)" } ?? "")",
        run.command == "migrate"
          ? "To migrate the library again, run 'fleetkit migrate \(library)'."
          : by.map { "To redo it, run 'fleetkit undo \($0.id)'." } ?? "There is nothing to undo.")
    case .done: break
    }
    if run.has(.madeLibrary) {
      throw refuse(
        "run \(id) created the library, so it has no earlier state",
        "To remove the library, delete the file and the folder '\(Sidecar.path(of: library))'. "
          + "Later runs can be undone separately.")
    }
    if StateStore.enqueuing.contains(run.command) {
      let queued = QueuedRun(run, of: library)
      throw refuse(queued.what, queued.advice)
    }
    if run.command == StateStore.rebinding {
      throw refuse(
        "this would not make items at the other registry private",
        "To bind the library to the old registry again, run 'fleetkit queue rebind'; to fetch its public items, run "
          + "'fleetkit pull --all-mine'.")
    }
    if run.command == "migrate" {
      throw refuse("a migration changes every row", "Run 'fleetkit migrate \(library) --undo'.")
    }
    if let owner = try formerOwner(of: run, store) {
      throw refuse(
        "its publication state refers to \(owner), which the library no longer belongs to",
        "To fetch the current state, run 'fleetkit pull \(library)'; to see what the run did, run "
          + "'fleetkit runs show \(id) --library \(library)'.")
    }
    return run
  }

  private func journal(of run: StateStore.Run, _ sidecar: Sidecar) throws -> UndoJournalReader {
    let backups = try sidecar.folder.part(.backups)
    let copies =
      backups.flatMap { $0.names.isEmpty ? nil : "Backups of the library from before each run are in '\($0.path)'." }
      ?? "No backup from before the run was found."
    guard let reader = try UndoJournalReader(of: id, in: sidecar.folder) else {
      if !run.isChanging {
        throw RunFailure(
          .refused, "undo run \(id) of '\(library)': it changed nothing", advice: "There is nothing to undo.")
      }
      throw RunFailure(
        .refused,
        "undo run \(id) of '\(library)': FleetKit no longer has the data needed to undo it, which is kept for the last "
          + "\(UndoJournal.kept) runs",
        advice: copies)
    }
    guard reader.extras.started == run.started else {
      throw RunFailure(
        .refused, "undo run \(id) of '\(library)': the saved data belongs to another run with this number",
        advice: copies)
    }
    if reader.extras.schemaChanged {
      throw RunFailure(
        .refused, "undo run \(id) of '\(library)': it changed the schema, and not only rows",
        advice: run.backup.map { "The backup from before the run is '\(sidecar.path)/backups/\($0)'." } ?? copies)
    }
    return reader
  }

  func report(_ what: String, _ done: Int, _ total: Int) throws {
    try Interruption.check()
    onProgress?(what, done, total)
  }
}

/// Checks whether a run concerns a registry or account that the library no longer belongs to.
extension UndoRun {
  /// Returns the registry or account of a pull, or of the undo of a pull, if the library has since been bound to a
  /// different registry or account; nil if this does not prevent an undo.
  private func formerOwner(of run: StateStore.Run, _ store: StateStore) throws -> String? {
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

/// The reason why a run that queued operations cannot be undone, and what to do instead.
///
/// The queued content may already be public, so restoring rows would not undo the run.
struct QueuedRun {
  /// A description of what the run did: `it queued …`.
  let what: String
  /// The commands that reverse the run.
  let advice: String

  init(_ run: StateStore.Run, of library: String) {
    let library = TerminalEscaping.shellQuoted(library)
    let queued: String
    let advice: String
    switch run.command {
    case "publish":
      queued = "publications"
      advice = "To withdraw them, run 'fleetkit unpublish \(library) --id …', which also cancels unsent publications."
    case "update":
      queued = "updates of publications"
      advice =
        "To cancel unsent updates, run 'fleetkit queue cancel \(library) --id …'; "
        + "to list them, run 'fleetkit queue \(library)'."
    default:
      queued = "withdrawals, and made the items private here"
      advice =
        "To cancel an unsent withdrawal and make its item public again, run 'fleetkit queue cancel \(library) --id …'; "
        + "after it was sent, run 'fleetkit publish', which publishes the item under another public id."
    }
    guard let item = run.detail.flatMap({ try? JSONDocument(parsing: $0) })?.root["renamed"],
      let id = item["id"]?.string, let old = item["from"]?.string, let new = item["to"]?.string
    else {
      what = "it queued \(queued)"
      self.advice = advice
      return
    }
    what = "it queued \(queued), and renamed '\(old)' to '\(new)'"
    self.advice =
      "To restore the old title, run: fleetkit update \(library) --id \(id) --set-title "
      + "\(TerminalEscaping.shellQuoted(old)) – then: " + advice
  }
}
