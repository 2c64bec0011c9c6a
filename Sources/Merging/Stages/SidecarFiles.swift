import Content
import Interchange
import JSONText
import SQLiteLibrary

/// The files beside a library that an import fills: what it writes over, originals of damaged columns, bytes of
/// attachments, and what belongs to notes.
///
/// They get their names before the library is committed.
final class SidecarFiles {
  private let library: WritableLibrary
  private let ledger: Ledger
  /// What is written over.
  let replaced: ReplacedRecords
  /// The originals of damaged columns of the source.
  let originals: OriginalTexts
  /// The bytes of attachments.
  let media: MediaStore
  /// What both sides changed.
  private let conflicts: ConflictPage
  /// What belongs to notes, on its way into the sidecar: written in the order of ids, because ids that are derived come in
  /// no order, and each of them would go to another page.
  private let notes = ExternalSorter<String>() { RecordLine.id(of: $0) ?? "" }

  init(_ library: WritableLibrary, _ ledger: Ledger, of run: StateStore.Run, _ conflicts: ConflictPage) {
    self.library = library
    self.ledger = ledger
    self.conflicts = conflicts
    replaced = ReplacedRecords(library.sidecar, of: run)
    originals = OriginalTexts(Sidecar.name(of: run, "import-originals.txt")) { [sidecar = library.sidecar] in
      try sidecar.part(.quarantine)
    }
    media = MediaStore(library.sidecar)
  }

  /// Keeps what belongs to the note that a record comes from: its path, its front matter as it was typed, where its times
  /// are from. The app's tables have no place for that.
  /// - Parameter id: the record's id in the library.
  func addNote(_ incoming: Incoming, of id: String) throws {
    guard let extras = incoming.node.member("extras"), extras.kind == .object,
      let kept = BesideExtras.line(of: extras, id: id, inSource: incoming.idText)
    else { return }
    // A library that is being made has nothing in its sidecar yet, and most records come once.
    if !library.isNew, try ledger.record(BesideExtras.kind, id: id) == kept { return }
    try kept.withUnsafeBufferPointer { try notes.add($0) }
  }

  /// Keeps an attachment's bytes, before anything in the sidecar refers to them.
  func addBytes(of incoming: Incoming) throws {
    guard let path = incoming.mediaPath(), let hash = incoming.node.member("sha256")?.string else { return }
    try media.keep(path, sha256: hash)
  }

  /// Gives the files their names.
  func publish() throws {
    try conflicts.publish()
    try replaced.publish()
    try originals.publish()
    try media.publish()
  }

  /// Hands what belongs to notes to the ledger.
  /// - Returns: how many there were.
  func keepNotes() throws -> Int {
    var count = 0
    try notes.sort()
    while let line = try notes.next() {
      count += 1
      try ledger.keep(BesideExtras.kind, id: RecordLine.id(of: line) ?? "", line: line)
    }
    return count
  }

  /// Removes the files.
  func discard() {
    conflicts.discard()
    replaced.discard()
    originals.discard()
    media.discard()
  }
}

/// Keeps what an import writes over, as a bundle beside the library's backups.
final class ReplacedRecords {
  private let sidecar: Sidecar
  private let run: StateStore.Run
  private var file: AtomicFile?
  private var sink: ByteSink?
  /// How many there are.
  private(set) var count = 0
  /// The bundle's name once it has one.
  private(set) var path: String?

  init(_ sidecar: Sidecar, of run: StateStore.Run) {
    self.sidecar = sidecar
    self.run = run
  }

  /// Adds the library's version of a record.
  func add(_ line: UnsafeBufferPointer<UInt8>) throws {
    if file == nil {
      let file = try AtomicFile(
        Sidecar.name(of: run, "import-replaced.jsonl"), in: sidecar.part(.backups), overwrites: true)
      sink = ByteSink(descriptor: file.descriptor, name: file.target)
      try sink?.write("{\"kind\":\"bundle\",\"format\":\"fleetkit.bundle\",\"version\":1,\"min_reader\":1}\n")
      self.file = file
    }
    count += 1
    try sink?.write(line)
    try sink?.write("\n")
  }

  /// Gives the bundle its name.
  func publish() throws {
    guard let file else { return }
    try sink?.flush()
    try file.publish()
    path = file.target
  }

  /// Forgets it.
  func discard() { file?.discard() }
}
