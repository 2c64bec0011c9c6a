import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import SQLiteIO
import SQLiteLibrary

/// Imports sources into one library: opens the library, checks that it can be changed, and drives the pipeline.
package struct ImportRun {
  /// The path of the library, as the user gave it.
  let path: String
  /// The options of the import.
  let policy: ImportPolicy
  let context: RunContext
  /// Receives the decision for each record.
  package var observer: (any ImportObserver)?
  /// Receives the state of the library before any change.
  package var examineLibrary: LibraryExamination?

  /// The participant inside the run's transactions.
  package var companion: (any ImportParticipant)?

  /// The words for the sides of a conflict.
  package var words = ConflictLabels.ofImport
  /// The last words in the names of rejects files, before the extension.
  package var rejectsName = "import"

  /// The prefix of error messages.
  private let doing: String

  private var missingAdvice: String {
    doing == "restore" ? "Restore the whole backup with --to." : "To create it, add --create."
  }

  package init(
    path: String, policy: ImportPolicy, doing: String = "import", context: RunContext
  ) {
    self.doing = doing
    self.path = path
    self.policy = policy
    self.context = context
  }

  /// The result of an import.
  package struct Outcome {
    /// The number of the run.
    package let run: Int64
    package let summary: RunSummary
    /// Whether the run created the library.
    package let isNew: Bool
    /// How many updated records contain changes from both sides.
    package let merged: Int
    /// The path of the page that shows both sides of every conflict; nil if there were no conflicts.
    package let conflicts: String?
    /// The path of the bundle of replaced records; nil if no record was replaced.
    package let replaced: String?
    /// The path of the text file with the originals of damaged columns of the source; nil if no column was damaged.
    package let originals: String?
    /// How many records were kept in the sidecar, because the app has no table for them.
    package let keptBeside: Int
    /// How many published items were changed.
    package let publishedChanged: Int
    /// How many records were restored as published.
    package let publishedRestored: Int
    /// The changes to steps of records that the library already had.
    package let stepChanges: StepChangeLog
    /// The files in which every record was already in the library.
    package let files: KnownFiles
  }

  /// Runs the import to its end. Nothing is changed unless the run succeeds.
  /// - Parameters:
  ///   - origin: returns the source to which a file belongs.
  ///   - note: what the store records about the run when it begins.
  ///   - asArray: whether rejects go into one JSON array.
  ///   - packs: the packs among the sources. They are compared with packs that were imported before, and remembered
  ///     when the run is done.
  package func run(
    _ readers: [@Sendable () throws -> any ContentReader], origin: @escaping (String) -> SourceFile,
    note: RunNote, asArray: Bool, packs: (StateStore) throws -> [StateStore.KnownPack] = { _ in [] },
    pipeline: Pipeline
  ) throws -> Outcome {
    var copied: LibraryFingerprint?
    let rehearsal =
      context.dryRun ? try Rehearsal(of: path) { copied = try examineLibrary.map { _ in try .init(of: path) } } : nil
    let library = try open(rehearsal?.path ?? path, rehearsal)
    let fingerprint =
      examineLibrary == nil || rehearsal?.isInPlace == false
      ? DeferredFingerprint(copied) : DeferredFingerprint(library, inBackground: context.dryRun)
    // The background reader of the file must finish while the library is still locked.
    defer { withExtendedLifetime(library) { fingerprint.wait() } }
    do {
      let store = try rehearsal?.store(library.sidecar) ?? StateStore(library.sidecar)
      if let examineLibrary {
        let runs = try store.runs()
        try examineLibrary(fingerprint, runs.first { $0.isChanging && $0.state != .undone }?.id)
      }
      try store.resolveKilledRuns(library)
      try companion?.begin(library, store)
      let arrivals = try packs(store)
      let run = try store.begin(note, in: library.sidecar)
      do {
        if library.isNew || note.resumes != nil { try store.mark(run.id, .madeLibrary, library.isNew) }
        return try self.run(run, readers, into: library, store, arrivals, origin, asArray, pipeline)
      } catch {
        try Self.recordEnd(of: run, after: error, in: store)
        guard let failure = error as? RunFailure, failure.status == .interrupted, run.request != nil else {
          throw error
        }
        // If this run was to create the library, nothing is left of the library, and the number of the run is gone too.
        throw RunFailure(
          .interrupted, failure.message,
          advice: library.isNew && note.resumes == nil
            ? "Run the same command again: '\(path)' does not exist yet, so there is nothing to resume."
            : "'fleetkit import --resume \(run.id) --into \(path)' runs it again.")
      }
    } catch let error as SQLiteError {
      library.rollback()
      throw StateStore.failure(error, library.sidecar.path + "/state.sqlite")
    } catch {
      library.rollback()
      throw error
    }
  }

  private func run(
    _ run: StateStore.Run, _ readers: [@Sendable () throws -> any ContentReader], into library: WritableLibrary,
    _ store: StateStore, _ arrivals: [StateStore.KnownPack], _ origin: @escaping (String) -> SourceFile,
    _ asArray: Bool, _ pipeline: Pipeline
  ) throws -> Outcome {
    let ledger = try Ledger(store, run: run.id)
    do {
      // A library that this run creates is removed as a whole, and a rehearsal leaves nothing behind. Neither needs a
      // journal.
      let journal =
        library.isNew || context.dryRun ? nil : try UndoJournalWriter(of: run, library.connection, in: library.sidecar)
      for pack in arrivals { try ledger.remember(pack) }
      let folder = try library.sidecar.part(.rejects)
      let base = Sidecar.name(of: run, rejectsName)
      let writer = try LibraryImportWriter(
        LibraryImportWriter.Parts(
          library: library, path: path, ledger: ledger, run: run, policy: policy, context: context, journal: journal,
          conflicts: ConflictPage(base + ".conflicts.md", in: folder, words), words: words, observer: observer,
          companion: companion), origin: origin)
      let rejects = RejectsWriter(
        base: base, in: folder, asArray: asArray, origin: context.reading.table.retry?.table)
      if observer != nil { rejects.observer = { [unowned writer] in try writer.receive(rejected: $0) } }
      return writer.outcome(of: run, try pipeline.run(readers, into: writer, rejects: rejects))
    } catch {
      ledger.forget()
      throw error
    }
  }

  /// Records in the store that a run changed nothing. An interrupted run can be resumed.
  private static func recordEnd(of run: StateStore.Run, after error: any Error, in store: StateStore) throws {
    let status = (error as? RunFailure)?.status
    if status == .refused { try? store.mark(run.id, .refused) }
    // If this cannot be recorded now, the next run detects it from the lock, because no process is working under this
    // run's number.
    try? store.recordState(status == .interrupted ? .running : .void, of: run.id)
  }

  private func open(_ real: String, _ rehearsal: Rehearsal?) throws -> WritableLibrary {
    guard access(real, F_OK) == 0 else {
      guard policy.creates else {
        throw RunFailure(
          .failed, "\(doing) into '\(path)': the library does not exist", advice: missingAdvice)
      }
      return try WritableLibrary(creating: real)
    }
    // The schema is checked first, so that no sidecar is made for a library that is refused.
    try refuse(LibraryFile(real, checkingPages: false).schema)
    let library = try rehearsal?.open(real) ?? WritableLibrary(real)
    try refuse(library.schema)
    try refuseLostIDs(library)
    return library
  }

  /// What the run does to items, for messages.
  private var done: String {
    switch doing {
    case "fork": "copied"
    case "pull": "pulled"
    default: "imported"
    }
  }

  private func refuse(_ schema: LibrarySchema) throws {
    try schema.demandNewest("\(doing) into '\(path)'", path, outcome: "nothing was \(done)")
  }

  /// Refuses ids that cannot be looked up, because importing their records would duplicate them.
  private func refuseLostIDs(_ library: WritableLibrary) throws {
    do {
      for table in AppSchema.contentTables where table != "sync_queue" {
        let lost = try Self.lostIDs(in: table, library.connection)
        guard lost > 0 else { continue }
        throw RunFailure(
          .refused,
          "\(doing) into '\(path)': \(Plural.count(lost, "id")) in '\(table)' cannot be looked up by the app; "
            + "nothing was imported",
          advice: "Run 'fleetkit doctor \(path) --repair' first.")
      }
    } catch let error as SQLiteError {
      throw WritableLibrary.failure(error, path)
    }
  }

  /// Returns how many ids of a table are not in the app's form: 36 upper-case hexadecimal digits and dashes.
  ///
  /// The ids are checked here byte by byte, because an SQL pattern takes ten times as long.
  private static func lostIDs(in table: String, _ connection: SQLiteConnection) throws(SQLiteError) -> Int {
    let statement = try connection.prepare("SELECT id FROM \"\(table)\" WHERE id IS NOT NULL")
    var lost = 0
    while try statement.step() {
      let id = statement.bytes(at: 0)
      if !isSound(id) { lost += 1 }
    }
    return lost
  }

  /// Whether the app can look up an id.
  ///
  /// The loop never stops early: normally all ids are valid, and without a branch the processor checks many bytes in
  /// parallel.
  private static func isSound(_ id: UnsafeBufferPointer<UInt8>) -> Bool {
    guard id.count == 36, let base = id.baseAddress else { return false }
    var odd: UInt8 = 0
    for index in 0..<36 {
      let byte = base[index]
      let fits = (byte &- 0x30 < 10) || (byte &- 0x41 < 6) || byte == 0x2D
      odd |= fits ? 0 : 1
    }
    return odd == 0
  }
}

/// The state of a library's bytes, to detect later changes.
package struct LibraryFingerprint: Sendable, Equatable {
  /// The size of the library's file and its write-ahead log in bytes.
  package let size: Int
  /// The SHA-256 of the file followed by the write-ahead log, if there is one, in lower-case hexadecimal digits.
  package let sha256: String

  package init(size: Int, sha256: String) {
    self.size = size
    self.sha256 = sha256
  }

  /// Reads a library that this process has not opened.
  /// - Throws: `RunFailure` with status 2 if the library cannot be read.
  package init(of path: String) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw RunFailure(.failed, "read '\(path)': \(SystemError.last)") }
    defer { close(descriptor) }
    try self.init(descriptor, path: path)
  }

  /// Reads a library through a descriptor, which stays open because closing one would drop SQLite's locks.
  /// - Throws: `RunFailure` with status 2 if the library cannot be read.
  package init(_ descriptor: Int32, path: String) throws {
    var digest = DigestStream()
    var size = try Self.add(descriptor, path, to: &digest)
    // SQLite locks the file and its index, but not the log.
    let log = open(path + "-wal", O_RDONLY | O_CLOEXEC)
    if log >= 0 {
      defer { close(log) }
      size += try Self.add(log, path + "-wal", to: &digest)
    }
    self.init(size: size, sha256: Digest.hex(digest.finish()))
  }

  private static func add(_ descriptor: Int32, _ path: String, to digest: inout DigestStream) throws -> Int {
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
    defer { piece.deallocate() }
    var at = 0
    while true {
      try Interruption.check()
      let got = pread(descriptor, piece.baseAddress, piece.count, off_t(at))
      if got < 0 {
        if errno == EINTR { continue }
        throw RunFailure(.failed, "read '\(path)': \(SystemError.last)")
      }
      if got == 0 { return at }
      digest.update(UnsafeBufferPointer(rebasing: piece.bindMemory(to: UInt8.self)[..<got]).span)
      at += got
    }
  }
}

extension WritableLibrary {
  /// Returns the state of the library under its locks and before this run's changes; nil for a library that is being
  /// created.
  /// - Throws: `RunFailure` with status 2 if the library cannot be read.
  func fingerprint() throws -> LibraryFingerprint? {
    try withDescriptor { try LibraryFingerprint($0, path: path) }
  }
}

/// The state of a library before a run, computed on demand while the run lasts. Afterwards, the state is only available
/// if it was read in the background.
package final class DeferredFingerprint {
  private let read: () throws -> LibraryFingerprint?
  private let background: Background<LibraryFingerprint?>?

  /// Makes a fingerprint that is already known; nil for a missing library.
  init(_ known: LibraryFingerprint?) {
    read = { known }
    background = nil
  }

  /// Reads a library under its locks.
  /// - Parameter inBackground: whether reading begins now in the background. If so, `wait` must be called before the
  ///   library is closed or written to.
  init(_ library: WritableLibrary, inBackground: Bool) {
    guard inBackground, let descriptor = library.withDescriptor({ $0 }) else {
      background = nil
      read = { try library.fingerprint() }
      return
    }
    let path = library.path
    let background = Background { try LibraryFingerprint(descriptor, path: path) as LibraryFingerprint? }
    self.background = background
    read = { try background.wait() }
  }

  /// Returns the state of the library; nil if the library did not exist.
  /// - Throws: `RunFailure` with status 2 if the library cannot be read.
  package func value() throws -> LibraryFingerprint? { try read() }

  /// Waits until reading has ended.
  func wait() { _ = try? background?.wait() }
}

/// Receives the state of a library before any change, and the last run that changed it. Throwing ends the import.
package typealias LibraryExamination = (DeferredFingerprint, Int64?) throws -> Void
