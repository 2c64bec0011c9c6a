import Content
import Foundation
import Interchange
import JSONText
import Merging
import Minisign
import RecordSources
import Reports
import Runs

/// The request of an import as JSON. The request contains enough to run the import again from any folder.
///
/// Sources are stored with absolute paths. An import of standard input cannot be run again.
public struct ImportRequest: Sendable, Equatable {
  /// The request as one JSON object.
  public let json: String

  /// Records what an import is about to do.
  /// - Throws: `RunFailure` with status 4 if the import could not be run again.
  public init(_ job: LibraryImport, context: RunContext) throws {
    guard let named = job.sources.named, !named.paths.contains("-") else {
      throw Self.refusal("it read standard input, or its sources have no paths")
    }
    let selection = job.selection ?? Selection()
    guard selection.kinds == nil, selection.always.isEmpty, selection.others.isEmpty else {
      throw Self.refusal("its selection cannot be expressed as options")
    }
    guard let settling = Self.word(job.settling) else {
      throw Self.refusal("it asked about conflicts")
    }
    var json = JSONBuilder()
    json.object { json in
      json.number("version", 1)
      json.string("command", job.doing)
      Self.array("sources", named.paths.map(Self.absolute), &json)
      if let format = named.format { json.string("from_format", format.rawValue) }
      if let retry = job.retry { json.string("retry", Self.absolute(retry.path)) }
      json.bool("create", job.createsLibrary)
      json.string("on_conflict", job.onConflict.rawValue)
      json.string("settling", settling)
      Self.array("trust", job.trusted.map(\.text), &json)
      json.bool("restore_publishing", job.restoresPublishing)
      json.object("selection") { json in
        for (name, words) in Self.words(selection) { Self.array(name, words, &json) }
      }
      Self.write(context, &json)
    }
    self.json = json.result
  }

  /// Makes a request from the JSON in a store or a plan.
  public init(json: String) { self.json = json }

  private static func write(_ context: RunContext, _ json: inout JSONBuilder) {
    json.string("on_invalid", context.onInvalid.rawValue)
    switch context.errorLimit {
    case .none: break
    case .count(let count): json.number("max_errors", count)
    case .percent(let percent): json.number("max_errors_percent", percent)
    }
    json.bool("no_loss", context.noLoss)
    let reading = context.reading
    json.string("infer", reading.infer.rawValue)
    json.bool("explain", reading.explains)
    json.bool("write_ids", reading.collectsIDs)
    json.bool("with_ticks", reading.withTicks)
    json.object("table") { json in
      json.array("map") { json in
        for pair in reading.table.map { Self.array(nil, [pair.header, pair.column], &json) }
      }
      json.string("key", reading.table.key)
      json.string("shape", reading.table.shape)
      json.string("sheet", reading.table.sheet)
    }
  }

  /// Returns the import and its context, so that it can be run again.
  /// - Parameters:
  ///   - library: the library to import into.
  ///   - now: the time that replaces times missing from the sources.
  /// - Throws: `RunFailure`: 6 if a newer FleetKit made the request, 2 if the request cannot be read or a source is
  ///   missing.
  public func job(into library: String, now: Timestamp) throws -> (job: LibraryImport, context: RunContext) {
    guard let root = (try? JSONDocument(parsing: json))?.root, let version else {
      throw RunFailure(.failed, "read the request of the run: it is damaged", advice: "Run the command again.")
    }
    guard version <= Self.version else {
      throw RunFailure(.newer, "repeat a run: a newer FleetKit made the request", advice: "Update FleetKit.")
    }
    var reading = ReadingOptions()
    reading.infer = root["infer"]?.string.flatMap(ReadingOptions.Inference.init) ?? .auto
    reading.explains = root["explain"]?.bool ?? false
    reading.collectsIDs = root["write_ids"]?.bool ?? false
    reading.withTicks = root["with_ticks"]?.bool ?? false
    let table = root["table"]
    reading.table.map = (table?["map"]?.elements ?? []).compactMap { pair in
      guard let header = pair[0]?.string, let column = pair[1]?.string else { return nil }
      return (header, column)
    }
    reading.table.key = table?["key"]?.string
    reading.table.shape = table?["shape"]?.string
    reading.table.sheet = table?["sheet"]?.string
    let retry = try root["retry"]?.string.map { try RejectsRetry($0) }
    let list = {
      try SourceList(Self.strings(root["sources"]), format: root["from_format"]?.string.map { FormatID($0) })
    }
    var job =
      try retry.map { try LibraryImport(retrying: $0, library: library) }
      ?? LibraryImport(sources: try list(), library: library)
    job.doing = root["command"]?.string ?? job.doing
    job.createsLibrary = root["create"]?.bool ?? false
    job.onConflict = root["on_conflict"]?.string.flatMap(OnConflict.init) ?? .merge
    job.settling = Self.settling(root["settling"]?.string)
    job.trusted = try Self.strings(root["trust"]).map { try MinisignKey($0) }
    job.restoresPublishing = root["restore_publishing"]?.bool ?? false
    var selection = Selection()
    selection.ids = Self.strings(root["selection"]?["ids"])
    selection.titles = Self.strings(root["selection"]?["titles"])
    selection.tags = Self.strings(root["selection"]?["tags"])
    selection.types = Self.strings(root["selection"]?["types"])
    selection.paths = Self.strings(root["selection"]?["paths"])
    job.selection = selection.isEmpty ? nil : selection
    let limit: RunContext.ErrorLimit =
      root["max_errors"]?.integer.map { .count(Int(clamping: $0)) }
      ?? root["max_errors_percent"]?.double.map { .percent($0) } ?? .none
    let context = RunContext(
      onInvalid: root["on_invalid"]?.string.flatMap(RunContext.OnInvalid.init) ?? .reject, errorLimit: limit,
      noLoss: root["no_loss"]?.bool ?? false, reading: retry?.reading(reading) ?? reading, now: now)
    return (job, context)
  }

  /// The version of the request's form that this FleetKit writes.
  static let version: Int64 = 1

  /// The version of the request's form; nil if the request is damaged.
  var version: Int64? {
    let root = (try? JSONDocument(parsing: json))?.root
    guard let number = root?["version"]?.integer, number >= 1 else { return nil }
    // A request always has sources.
    return root?["sources"]?.kind == .array ? number : nil
  }

  /// The path of the retried rejects file; nil for other sources.
  public var retried: String? { (try? JSONDocument(parsing: json))?.root["retry"]?.string }

  private static func settling(_ word: String?) -> ConflictResolution {
    switch word {
    case "ours": .ours
    case "theirs": .theirs
    default: .reject
    }
  }

  /// Returns the word for a resolution; nil if the answers to questions are not recorded.
  private static func word(_ settling: ConflictResolution) -> String? {
    switch settling {
    case .reject: "reject"
    case .ours: "ours"
    case .theirs: "theirs"
    case .ask: nil
    }
  }

  private static func words(_ selection: Selection) -> [(String, [String])] {
    [
      ("ids", selection.ids), ("titles", selection.titles), ("tags", selection.tags), ("types", selection.types),
      ("paths", selection.paths),
    ]
  }

  private static func array(_ name: String?, _ values: [String], _ json: inout JSONBuilder) {
    json.array(name) { json in
      for value in values { json.string(nil, value) }
    }
  }

  private static func strings(_ value: JSONValue?) -> [String] { value?.elements.compactMap(\.string) ?? [] }

  private static func absolute(_ path: String) -> String {
    path.utf8.first == UInt8(ascii: "/") ? path : FileManager.default.currentDirectoryPath + "/" + path
  }

  private static func refusal(_ why: String) -> RunFailure {
    RunFailure(.refused, "repeat a run: \(why)", advice: "Run the command again.")
  }
}

/// Resumes an interrupted import by running it again under the same number and with the same time.
///
/// ```swift
/// let resume = try ImportResume(7, into: "anyfleet.sqlite")
/// if !resume.isSettled {
///   let (job, context) = try resume.job()
///   let report = try job.run(context: context)
/// }
/// ```
public struct ImportResume: Sendable {
  /// The number of the run.
  public let id: Int64
  /// The library.
  public let library: String
  /// The run's request; nil if it is unknown or cannot be repeated.
  public let request: ImportRequest?
  /// Whether the library already had all changes. In that case, the run has been marked as done.
  public let isSettled: Bool
  private let command: String
  private let now: Timestamp

  /// Determines the state of the run.
  /// - Throws: `RunFailure`: 64 if there is no such run, 4 if the run was not interrupted or a later run has changed
  ///   the library, 7 if another program uses the library, 2 if a file cannot be read.
  public init(_ id: Int64, into library: String) throws {
    self.id = id
    self.library = library
    let found = try InterruptedRun(id, of: library)
    isSettled = found.wasCommitted
    command = found.run.command
    request = found.run.request.map { ImportRequest(json: $0) }
    let current = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    now = found.run.now.flatMap { Timestamp.parse($0)?.0 } ?? current
  }

  /// Returns the import, ready to run.
  /// - Throws: `RunFailure` with status 4 if the import cannot be repeated, 2 if a source is missing.
  public func job() throws -> (job: LibraryImport, context: RunContext) {
    guard let request else {
      let why =
        ["import", "restore"].contains(command)
        ? "it cannot be repeated: it read standard input, asked a question, or an older FleetKit began it"
        : "it was not an import (\(command)), and changed nothing"
      throw RunFailure(.refused, "resume run \(id): \(why)", advice: "Run the command again.")
    }
    var (job, context) = try request.job(into: library, now: now)
    job.resumes = id
    return (job, context)
  }
}
