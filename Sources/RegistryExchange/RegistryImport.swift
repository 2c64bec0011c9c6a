import Content
import Diagnostics
import Foundation
import Interchange
import JSONBundle
import JSONText
import Merging
import Publishing
import RegistryClient
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
  /// The conflict resolution if both sides changed the same field.
  var settling = ConflictResolution.reject
  /// The names of the two sides in a conflict.
  var words = ConflictLabels.ofImport

  /// Creates a library, and calls `body` with its path. In a dry run, the library is in a temporary folder.
  static func intoNewLibrary<Report>(
    _ library: String, isDryRun: Bool, _ body: (String) throws -> Report
  ) throws -> Report {
    guard isDryRun else {
      try WritableLibrary(creating: library).commit()
      return try body(library)
    }
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let path = folder.path + "/" + (library as NSString).lastPathComponent
    try WritableLibrary(creating: path).commit()
    return try body(path)
  }

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

/// Checks items from a registry like all other external input: limits, spelling, and document schemas.
///
/// A registry checks the items that it accepts, but another server may answer in its place. Use one intake per thread.
final class ItemIntake {
  private let intake: PublishIntake

  /// Compiles the schemas.
  init() throws { intake = try PublishIntake() }

  /// Returns the content of an item, normalised.
  /// - Parameters:
  ///   - asked: the requested slug.
  ///   - doing: the beginning of error messages.
  /// - Throws: `RunFailure` with status 2 and the problem with the answer.
  func check(_ item: PublicItem, asked: String, now: Timestamp, doing: String) throws -> PublishRequest {
    guard item.publicID.utf8.elementsEqual(asked.utf8) else {
      throw RunFailure(
        .failed, "\(doing): the registry answered with a different item",
        advice: "Check that the address is the registry's.")
    }
    guard CanonicalUUID.form(of: item.id) != .none else {
      throw RunFailure(.failed, "\(doing): the item's id in the registry is not a UUID")
    }
    let body = Self.body(item)
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(parsing: body)
    } catch {
      throw RunFailure(.failed, "\(doing): the registry's document is not JSON: \(error.message)")
    }
    switch intake.publication(document.root, now: now) {
    case .taken(let request): return request
    case .refused(let findings):
      let first = findings.first.map { "\($0.pointer.description): \($0.message)" } ?? "unknown reason"
      let more = findings.count > 1 ? " (and \(findings.count - 1) more)" : ""
      throw RunFailure(.failed, "\(doing): the registry's version cannot be used: \(first)\(more)")
    }
  }

  private static func body(_ item: PublicItem) -> [UInt8] {
    var out = ByteBuffer(capacity: item.contentData.count + 1024)
    out.append("{")
    RecordMembers.append(item.title, as: "\"title\":", to: &out)
    RecordMembers.append(item.description, as: ",\"description\":", to: &out)
    RecordMembers.append(item.contentType.rawValue, as: ",\"content_type\":", to: &out)
    RecordMembers.append(item.language, as: ",\"language\":", to: &out)
    RecordMembers.append(item.publicID, as: ",\"public_id\":", to: &out)
    RecordMembers.append(item.tags, as: ",\"tags\":", to: &out)
    out.append(",\"content_data\":")
    out.append(item.contentData.span)
    out.append("}")
    return Array(out.bytes)
  }
}

/// Writes record members as JSON.
enum RecordMembers {
  static func append(_ value: String?, as key: StaticString, to out: inout ByteBuffer) {
    out.append(key)
    if let value { out.appendJSONString(value) } else { out.append("null") }
  }

  static func append(_ values: [String], as key: StaticString, to out: inout ByteBuffer) {
    out.append(key)
    out.append("[")
    for (index, value) in values.enumerated() {
      if index > 0 { out.append(",") }
      out.appendJSONString(value)
    }
    out.append("]")
  }

  static func append(_ time: Timestamp?, as key: StaticString, to out: inout ByteBuffer) {
    out.append(key)
    if let time { out.appendJSONDate(time) } else { out.append("null") }
  }
}
