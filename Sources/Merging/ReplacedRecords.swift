import Interchange
import JSONText
import SQLiteLibrary

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
