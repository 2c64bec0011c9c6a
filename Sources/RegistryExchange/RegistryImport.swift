import Content
import Diagnostics
import Foundation
import Interchange
import JSONBundle
import JSONText
import Merging
import Publishing
import SQLiteLibrary
import Validation

/// Brings records that a registry gave out into a library, with everything that an import does: they are checked,
/// staged, committed at once, and known to `runs` and `undo`.
struct RegistryImport {
  /// One record.
  struct Entry {
    /// What tells it from all others of that registry, for the ledger and for findings.
    let path: String
    /// The record as JSON.
    let line: [UInt8]
  }

  /// The library as the user named it.
  let library: String
  /// The registry's address, normalised.
  let address: String
  /// What errors and the run are called: `fork`, `pull`.
  let command: String
  /// What the store remembers of the run, as a JSON object.
  var detail: String?
  /// What merging does where both sides changed the same thing.
  var settling = ConflictSettling.reject
  /// What the sides of a conflict are called.
  var words = ConflictWords.ofImport

  /// Runs to the end; nothing is changed unless it succeeds.
  func run(
    _ entries: [Entry], context: RunContext, companion: any ImportCompanion, observer: (any ImportObserver)? = nil
  ) throws -> ImportRun.Outcome {
    let folder = try TemporaryFolder()
    let format = JSONBundleFormat(.lines)
    var files: [String: SourceFile] = [:]
    var readers: [@Sendable () throws -> any ContentReader] = []
    for (number, entry) in entries.enumerated() {
      let path = "\(folder.path)/\(number).jsonl"
      let name = "\(address)/\(entry.path)"
      var text = Array("{\"kind\":\"bundle\",\"format\":\"fleetkit.bundle\",\"version\":1,\"min_reader\":1}\n".utf8)
      text += entry.line
      text.append(0x0A)
      do {
        try Data(text).write(to: URL(fileURLWithPath: path))
      } catch {
        throw RunFailure(.failed, "\(command): write '\(path)': \(error.localizedDescription)")
      }
      let file = SourceFile(registry: address, path: entry.path)
      files[path] = file
      files[name] = file
      let source = Source(path, name: name)
      readers.append { try format.reader(of: source, context: context) }
    }
    var run = ImportRun(
      path: library, policy: ImportPolicy(onConflict: .merge, settling: settling), doing: command, context: context)
    run.companion = companion
    run.observer = observer
    run.words = words
    run.rejectsName = command
    let outcome = try run.run(
      readers,
      origin: { [files, address] in files[$0] ?? SourceFile(registry: address, path: $0) },
      note: RunNote(command: command, detail: detail, now: context.now), asArray: false,
      pipeline: Pipeline(context: context))
    withExtendedLifetime(folder) {}
    return outcome
  }
}
