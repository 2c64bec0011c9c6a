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

/// Imports records from a registry into a library like any other import: they are checked, staged, committed in one
/// step, and recorded for `runs` and `undo`.
struct RegistryImport {
  /// One record.
  struct Entry {
    /// The path that identifies the record among all records of its registry, for the ledger and for findings.
    let path: String
    /// The record as JSON.
    let line: [UInt8]
  }

  /// The library as the user named it.
  let library: String
  /// The registry's normalised address.
  let address: String
  /// The name of the command in the record of the run and in errors: `fork`, `pull`.
  let command: String
  /// The run's details to record in the store, as a JSON object.
  var detail: String?
  /// The conflict resolution where both sides changed the same field.
  var settling = ConflictResolution.reject
  /// The names of the two sides in a conflict.
  var words = ConflictLabels.ofImport

  /// Imports the records; nothing is changed unless the import succeeds.
  func run(
    _ entries: [Entry], context: RunContext, companion: any ImportParticipant, observer: (any ImportObserver)? = nil
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
