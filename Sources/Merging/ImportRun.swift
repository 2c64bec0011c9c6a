import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import SQLiteIO
import SQLiteLibrary

/// One import into one library: opens it, checks that it can be changed, and drives the pipeline.
package struct ImportRun {
  /// The library as the user named it.
  let path: String
  /// What was asked for.
  let policy: ImportPolicy
  let context: RunContext
  /// Who is told what becomes of each record.
  package var observer: (any ImportObserver)?
  /// Who is shown what the library is before anything is done.
  package var looksAtLibrary: LibraryLook?

  /// Who goes along, inside the run's transactions.
  package var companion: (any ImportCompanion)?

  /// What the sides of a conflict are called.
  package var words = ConflictWords.ofImport
  /// What the names of the files of rejects end with, before their own ending.
  package var rejectsName = "import"

  /// What errors begin with.
  private let doing: String

  private var missingAdvice: String {
    doing == "restore" ? "Restore the whole backup with --to." : "--create makes a new one."
  }

  package init(
    path: String, policy: ImportPolicy, doing: String = "import", context: RunContext
  ) {
    self.doing = doing
    self.path = path
    self.policy = policy
    self.context = context
  }

  /// What an import did.
  package struct Outcome {
    /// The number of the run.
    package let run: Int64
    package let summary: RunSummary
    /// Whether the library was made by it.
    package let isNew: Bool
    /// How many of the updated records have something of both sides now.
    package let merged: Int
    /// The page that shows both sides of every conflict; nil when there was none.
    package let conflicts: String?
    /// The bundle of what was written over; nil when nothing was.
    package let replaced: String?
    /// The text file with the originals of damaged columns of the source; nil when there was none.
    package let originals: String?
    /// How many records went beside the library, because the app has no table for them.
    package let keptBeside: Int
    /// How many published items were changed.
    package let publishedChanged: Int
    /// How many records came back as published.
    package let publishedRestored: Int
    /// What changed among the steps of records that the library had.
    package let stepChanges: StepChangeLog
    /// Which files have nothing new.
    package let files: KnownFiles
  }

  /// Runs to the end; nothing is changed unless it succeeds.
  /// - Parameters:
  ///   - origin: which source a file belongs to.
  ///   - note: what the store notes of the run when it begins.
  ///   - asArray: whether rejects go into one JSON array.
  ///   - packs: the packs among the sources, held against those that the library has had; remembered when it is done.
  package func run(
    _ readers: [@Sendable () throws -> any ContentReader], origin: @escaping (String) -> SourceFile,
    note: RunNote, asArray: Bool, packs: (StateStore) throws -> [StateStore.KnownPack] = { _ in [] },
    pipeline: Pipeline
  ) throws -> Outcome {
    var copied: LibraryFingerprint?
    let rehearsal =
      context.dryRun ? try Rehearsal(of: path) { copied = try looksAtLibrary.map { _ in try .init(of: path) } } : nil
    let library = try open(rehearsal?.path ?? path, rehearsal)
    let fingerprint =
      looksAtLibrary == nil || rehearsal?.isInPlace == false
      ? LateFingerprint(copied) : LateFingerprint(library, inBackground: context.dryRun)
    // Who still reads the file does so under its locks.
    defer { withExtendedLifetime(library) { fingerprint.wait() } }
    do {
      let store = try rehearsal?.store(library.sidecar) ?? StateStore(library.sidecar)
      if let looksAtLibrary {
        let runs = try store.runs()
        try looksAtLibrary(fingerprint, runs.first { $0.isChanging && $0.state != .undone }?.id)
      }
      try store.settleKilledRuns(library)
      try companion?.begin(library, store)
      let arrivals = try packs(store)
      let run = try store.begin(note, in: library.sidecar)
      do {
        if library.isNew || note.resumes != nil { try store.mark(run.id, .madeLibrary, library.isNew) }
        return try self.run(run, readers, into: library, store, arrivals, origin, asArray, pipeline)
      } catch {
        try Self.settle(run, after: error, in: store)
        guard let failure = error as? RunFailure, failure.status == .interrupted, run.request != nil else {
          throw error
        }
        // Of a library that was to be made nothing is left, the number of the run included.
        throw RunFailure(
          .interrupted, failure.message,
          advice: library.isNew && note.resumes == nil
            ? "Run the same command again: '\(path)' is not there yet, so there is nothing to resume."
            : "'fleetkit import --resume \(run.id) --into \(path)' does it again.")
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
      // A library that is made here goes as a whole; a rehearsal leaves nothing.
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
      if observer != nil { rejects.observer = { [unowned writer] in try writer.noteRejected($0) } }
      return writer.outcome(of: run, try pipeline.run(readers, into: writer, rejects: rejects))
    } catch {
      ledger.forget()
      throw error
    }
  }

  /// Notes that a run changed nothing. An interrupted run can be resumed.
  private static func settle(_ run: StateStore.Run, after error: any Error, in store: StateStore) throws {
    let status = (error as? RunFailure)?.status
    if status == .refused { try? store.mark(run.id, .refused) }
    // What cannot be noted now, the next run learns from the lock: no process works under this number.
    try? store.settle(run.id, status == .interrupted ? .running : .void)
  }

  private func open(_ real: String, _ rehearsal: Rehearsal?) throws -> WritableLibrary {
    guard access(real, F_OK) == 0 else {
      guard policy.creates else {
        throw RunFailure(
          .failed, "\(doing) into '\(path)': there is no such library", advice: missingAdvice)
      }
      return try WritableLibrary(creating: real)
    }
    // A look at the schema first: a library that is refused gets no folder beside it.
    try refuse(LibraryFile(real, checkingPages: false).schema)
    let library = try rehearsal?.open(real) ?? WritableLibrary(real)
    try refuse(library.schema)
    try refuseLostIDs(library)
    return library
  }

  /// What the run does to items, as messages say it.
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

  /// Ids that cannot be looked up would make twins of what is imported.
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

  /// How many ids of a table are not what the app writes: 36 capital hexadecimal digits and dashes.
  ///
  /// Looked at here, byte by byte: a pattern of SQL takes ten times as long.
  private static func lostIDs(in table: String, _ connection: SQLiteConnection) throws(SQLiteError) -> Int {
    let statement = try connection.prepare("SELECT id FROM \"\(table)\" WHERE id IS NOT NULL")
    var lost = 0
    while try statement.step() {
      let id = statement.bytes(at: 0)
      if !isSound(id) { lost += 1 }
    }
    return lost
  }

  /// Whether an id is one that the app looks up.
  ///
  /// Never stops early: all ids are sound as a rule, and without a branch the processor looks at many bytes at once.
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

/// What a library's bytes are, so that it can be told whether it has changed since.
package struct LibraryFingerprint: Sendable, Equatable {
  /// The size of its file, and of the write-ahead log beside it, in bytes.
  package let size: Int
  /// SHA-256 of the file, and of the write-ahead log behind it where there is one, in lower-case hexadecimal digits.
  package let sha256: String

  package init(size: Int, sha256: String) {
    self.size = size
    self.sha256 = sha256
  }

  /// Reads a library that this process has not opened.
  /// - Throws: `RunFailure` with status 2 when it cannot be read.
  package init(of path: String) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw RunFailure(.failed, "read '\(path)': \(SystemError.last)") }
    defer { close(descriptor) }
    try self.init(descriptor, path: path)
  }

  /// Reads a library through a descriptor, which stays open: closing one would drop SQLite's locks.
  /// - Throws: `RunFailure` with status 2 when it cannot be read.
  package init(_ descriptor: Int32, path: String) throws {
    var digest = DigestStream()
    var size = try Self.add(descriptor, path, to: &digest)
    // The locks are on the file and on its index, not on the log.
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
      digest.update(UnsafeBufferPointer(rebasing: piece.bindMemory(to: UInt8.self)[..<got]))
      at += got
    }
  }
}

extension WritableLibrary {
  /// What the library is, under its locks and before this run's changes; nil for one that is being made.
  /// - Throws: `RunFailure` with status 2 when it cannot be read.
  func fingerprint() throws -> LibraryFingerprint? {
    try withDescriptor { try LibraryFingerprint($0, path: path) }
  }
}

/// What a library was before a run, for whoever asks while the run lasts; afterwards only where it was read in the
/// background.
package final class LateFingerprint {
  private let read: () throws -> LibraryFingerprint?
  private let background: Background<LibraryFingerprint?>?

  /// What is known already; nil for a library that is not there.
  init(_ known: LibraryFingerprint?) {
    read = { known }
    background = nil
  }

  /// Reads a library under its locks.
  /// - Parameter inBackground: whether it is read beside everything else, beginning now; `wait` must be called before
  ///   the library is closed, and nothing may be written to it before.
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

  /// What the library was; nil when it was not there.
  /// - Throws: `RunFailure` with status 2 when it cannot be read.
  package func value() throws -> LibraryFingerprint? { try read() }

  /// Waits until nothing is read any more.
  func wait() { _ = try? background?.wait() }
}

/// Who is shown what a library is before anything is done, and the last run that changed it. Throwing ends the import.
package typealias LibraryLook = (LateFingerprint, Int64?) throws -> Void
