import Content
import Foundation
import Interchange
import SQLiteIO
import SQLiteLibrary

/// Takes back what a run did to a library: all of it, exactly, or nothing.
///
/// ```swift
/// let report = try UndoRun(7, of: "anyfleet.sqlite").run()
/// if report.isRefused { print(report.changed) }
/// ```
/// Every row must still be what the run left. An undo is a run itself and can be undone.
public struct UndoRun: Sendable {
  /// The run.
  public let id: Int64
  /// The library.
  public let library: String
  /// Whether records that were changed since stay as they are, and the rest is taken back.
  public var skipsChanged = false
  /// Whether everything is done but the last step.
  public var dryRun = false
  /// Called now and then with what is being done, and how much of it is done.
  public var onProgress: (@Sendable (_ what: String, _ done: Int, _ total: Int) -> Void)?

  /// Names a run.
  public init(_ id: Int64, of library: String) {
    self.id = id
    self.library = library
  }

  /// A record that is not what the run left.
  public struct ChangedRecord: Encodable, Sendable {
    /// What it is: `item`, `charter` …
    public let kind: String
    /// Its id.
    public let id: String
    /// What it is called; nil when it has no title, or is gone.
    public let title: String?
    /// What became of it since.
    public let what: UndoObstacle
  }

  /// What an undo did, or would do.
  public struct Report: Sendable {
    /// The number of the undo itself; nil when it changed nothing.
    public internal(set) var run: Int64?
    /// The command that was taken back.
    public internal(set) var command = ""
    /// How many records were removed, by kind: the run had brought them.
    public internal(set) var removed: [String: Int] = [:]
    /// How many records are as they were before, by kind: the run had changed or deleted them.
    public internal(set) var putBack: [String: Int] = [:]
    /// Records that were changed since.
    public internal(set) var changed: [ChangedRecord] = []
    /// Whether nothing was done because of them.
    public internal(set) var isRefused = false
    /// How many attachments' bytes nothing refers to any more; they are kept as long as the undo can be undone.
    public internal(set) var media = 0
    /// How long it took.
    public internal(set) var seconds = 0.0

    /// How the process should end.
    public var status: ExitStatus { isRefused ? .refused : changed.isEmpty ? .success : .partial }
    /// How many records were removed.
    public var removedCount: Int { removed.values.reduce(0, +) }
    /// How many records were put back.
    public var putBackCount: Int { putBack.values.reduce(0, +) }
  }

  /// Undoes it.
  /// - Throws: `RunFailure`: 64 when there is no such run, 4 when it cannot be undone, 7 when another program uses the
  ///   library, 2 when something cannot be read or written; nothing was changed then.
  public func run() throws -> Report {
    let started = Date()
    guard access(library, F_OK) == 0 else {
      throw RunFailure(.failed, "undo run \(id) of '\(library)': there is no such library")
    }
    guard try SidecarFolder(of: library)?.state() != nil else { throw StateStore.unknown(id) }
    let open = try WritableLibrary(library)
    do {
      let store = try StateStore(open.sidecar)
      try store.settleKilledRuns(open)
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

  /// The run, if it is one that can be undone.
  private func undoable(_ store: StateStore) throws -> StateStore.Run {
    guard let run = try store.run(id) else { throw StateStore.unknown(id) }
    func refuse(_ why: String, _ advice: String) -> RunFailure {
      RunFailure(.refused, "undo run \(id) of '\(library)': \(why)", advice: advice)
    }
    switch run.state {
    case .running, .intended:
      throw refuse(
        "it was interrupted and changed nothing", "'fleetkit import --resume \(id)' does it again, if it was an import."
      )
    case .void:
      throw refuse(
        run.has(.refused) ? "it was refused and changed nothing" : "it changed nothing", "There is nothing to undo.")
    case .undone:
      let by = try store.runs(command: "undo").first { $0.undoes == id && $0.state == .done }
      throw refuse(
        "it was undone already\(by.map { ", by run \($0.id)" } ?? "")",
        by.map { "'fleetkit undo \($0.id)' brings it back." } ?? "There is nothing to undo.")
    case .done: break
    }
    if run.has(.madeLibrary) {
      throw refuse(
        "run \(id) made the library; there is nothing before it",
        "To be rid of it, delete the file and the folder '\(Sidecar.path(of: library))'; "
          + "what later runs did can be undone on its own.")
    }
    if StateStore.enqueuing.contains(run.command) {
      let queued = QueuedRun(run, of: library)
      throw refuse(queued.what, queued.advice)
    }
    if run.command == StateStore.rebinding {
      throw refuse(
        "what is public at another registry does not become private there by it",
        "'fleetkit queue rebind' makes the library belong to the old one again, and 'fleetkit pull --all-mine' brings "
          + "back what is public there.")
    }
    if run.command == "migrate" {
      throw refuse("a migration changes every row", "Run 'fleetkit migrate \(library) --undo'.")
    }
    if let owner = try formerOwner(of: run, store) {
      throw refuse(
        "what it said of publication is about \(owner), which the library does not belong to any more",
        "'fleetkit pull \(library)' brings what is public now; what the run did says "
          + "'fleetkit runs show \(id) --library \(library)'.")
    }
    return run
  }

  private func journal(of run: StateStore.Run, _ sidecar: Sidecar) throws -> UndoJournalReader {
    let backups = try sidecar.folder.part(.backups)
    let copies =
      backups.flatMap { $0.names.isEmpty ? nil : "Copies of the library from before runs are in '\($0.path)'." }
      ?? "There is no copy from before."
    guard let reader = try UndoJournalReader(of: id, in: sidecar.folder) else {
      if !run.isChanging {
        throw RunFailure(
          .refused, "undo run \(id) of '\(library)': it changed nothing", advice: "There is nothing to undo.")
      }
      throw RunFailure(
        .refused,
        "undo run \(id) of '\(library)': what it changed is not known (any more); that is kept for the last "
          + "\(UndoJournal.kept) runs",
        advice: copies)
    }
    guard reader.extras.started == run.started else {
      throw RunFailure(
        .refused, "undo run \(id) of '\(library)': what is kept belongs to another run of this number", advice: copies)
    }
    if reader.extras.schemaChanged {
      throw RunFailure(
        .refused, "undo run \(id) of '\(library)': it changed what the tables are made of, not only rows",
        advice: run.backup.map { "The library from before is '\(sidecar.path)/backups/\($0)'." } ?? copies)
    }
    return reader
  }

  func report(_ what: String, _ done: Int, _ total: Int) throws {
    try Interruption.check()
    onProgress?(what, done, total)
  }
}
