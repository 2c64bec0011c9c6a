import Content
import Foundation
import Interchange
import Merging
import Reports

extension LibraryImport {
  /// The result of a rehearsed import.
  public struct Rehearsal: Sendable {
    /// The outcomes of all records, as in the report of a completed import.
    public let report: Report
    /// The changes, in groups.
    public let outline: PlanOutline
  }

  /// Runs the import without its last step and returns what would change.
  /// - Parameters:
  ///   - context: the context of a dry run.
  ///   - named: how many records of a group the outline names.
  /// - Throws: the errors of `run`.
  public func rehearse(context: RunContext, named: Int = 3) throws -> Rehearsal {
    let recorder = try PlanRecorder(keepsAll: false, named: named)
    let report = try run(context: context, observer: recorder)
    return Rehearsal(report: report, outline: recorder.outline)
  }

  /// Runs the import and returns an outline of its changes.
  /// - Parameter named: how many records of a group the outline names.
  /// - Throws: the errors of `run`.
  public func runNaming(_ named: Int, context: RunContext) throws -> (report: Report, outline: PlanOutline) {
    let recorder = try PlanRecorder(keepsAll: false, named: named)
    let report = try run(context: context, observer: recorder)
    return (report, recorder.outline)
  }

  /// Runs the import without its last step and writes the changes into a file. `PlanApplication` makes exactly these
  /// changes.
  /// - Parameters:
  ///   - path: the file.
  ///   - overwrites: whether a file with that name may be replaced.
  ///   - context: the context of a dry run.
  ///   - named: how many records of a group the outline names.
  /// - Throws: the errors of `run`, and `RunFailure`: 4 if the file exists, or if the import cannot be planned because
  ///   it cannot be repeated; 7 if a source was written to meanwhile.
  @discardableResult
  public func plan(to path: String, overwrites: Bool, context: RunContext, named: Int = 3) throws -> Rehearsal {
    var head = PlanHead()
    do {
      head.request = try ImportRequest(self, context: context)
    } catch let error as RunFailure {
      throw RunFailure(
        error.status, error.message.replacing("repeat a run", with: "plan an import"),
        advice: "Name files, or import without a plan.")
    }
    for entry in sources.entries where Self.isSame(entry.source.path, path) {
      throw RunFailure(.usage, "write the plan '\(path)': it is one of the sources", advice: "Choose another name.")
    }
    if Self.isSame(path, library) {
      throw RunFailure(.usage, "write the plan '\(path)': it is the library", advice: "Choose another name.")
    }
    let file = try AtomicFile(path, overwrites: overwrites, canOverwrite: true)
    let paths = try PlanSources.paths(sources, retry: retry)
    let state = PlanSources.state(of: paths)
    let (sources, retry) = (sources, retry)
    // The sources are read once more, in parallel with the import.
    let digests = Background { try PlanSources(sources, retry: retry).files }
    let recorder = try PlanRecorder(keepsAll: true, named: named)
    if let losses = recorder.losses { context.losses.observe { losses.add($0) } }
    defer { context.losses.observe(nil) }
    var fingerprint: DeferredFingerprint?
    // A plan lists renames, so applying the plan accepts them.
    var job = self
    job.renames = .accept
    let report = try job.run(context: context, observer: recorder) {
      fingerprint = $0
      head.run = $1
    }
    // The fingerprint was computed in parallel with the import. Making a plan changes nothing else in the library.
    head.fingerprint = try fingerprint?.value()
    head.sources = PlanSources(files: try digests.wait())
    guard PlanSources.state(of: paths) == state, head.sources.files.map(\.path) == paths else {
      throw RunFailure(
        .locked, "plan an import into '\(library)': a source was written to meanwhile; no plan was written",
        advice: "Wait until it is complete, and plan again.")
    }
    head.library = PlanSources.absolute(library)
    head.now = context.now
    head.counts = PlanHead.counts(report.summary.tally, losses: context.losses.total)
    try PlanFile.write(head, recorder, to: file)
    return Rehearsal(report: report, outline: recorder.outline)
  }
}

/// Records the decisions of an import: one line of JSON for each change, on disk, and an outline for people.
private final class PlanRecorder: ImportObserver {
  /// The changes in the order in which they take effect; nil if only the outline is needed.
  let changes: LineSpool?
  /// The losses in the order in which they were found.
  let losses: PlanLosses?
  private(set) var outline: PlanOutline
  private(set) var tally: Tally?

  /// - Parameters:
  ///   - keepsAll: whether every change is recorded, and not only the outline.
  ///   - named: how many records of a group the outline names.
  init(keepsAll: Bool, named: Int) throws {
    changes = keepsAll ? try LineSpool() : nil
    losses = keepsAll ? try PlanLosses() : nil
    outline = PlanOutline(limit: named)
  }

  func receive(_ decision: ImportDecision) throws {
    var fields: [PlanFields.Field]?
    func differences() -> [PlanFields.Field] {
      if let fields { return fields }
      let found = PlanChange.fields(decision)
      fields = found
      return found
    }
    outline.add(decision.action, PlanOutline.noun(decision.kind, type: decision.type)) {
      Self.entry(decision, decision.action == .update ? differences() : [])
    }
    guard let changes else { return }
    let line = PlanChange.json(decision, fields: differences())
    try changes.append(line.utf8.span)
  }

  func finish(_ tally: Tally) throws { self.tally = tally }

  private static func entry(_ decision: ImportDecision, _ fields: [PlanFields.Field]) -> PlanOutline.Entry {
    var entry = PlanOutline.Entry(name: decision.title ?? (decision.place.isEmpty ? decision.id : decision.place))
    switch decision.action {
    case .update:
      let read = fields.filter { !$0.isMinor }
      entry.details = (read.isEmpty ? fields : read).map(\.label)
    case .conflict where !decision.conflicts.isEmpty: entry.details = decision.conflicts.map(\.label)
    case .conflict, .reject, .keep, .rename: entry.details = decision.reason.map { [$0.text] } ?? []
    case .create, .beside, .gone: break
    }
    return entry
  }
}

/// Writes a plan: one JSON object with a line for every source, change and loss, so that it can be read, searched and
/// compared line by line.
///
/// The file gets its name when it is complete.
private enum PlanFile {
  /// - Throws: `RunFailure`: 4 if the file exists and may not be replaced, 2 if it cannot be written.
  static func write(_ head: PlanHead, _ recorder: PlanRecorder, to file: AtomicFile) throws {
    let sink = ByteSink(descriptor: file.descriptor, name: file.target)
    try sink.write("{\n  \"kind\": \"plan\",\n  \"version\": \(PlanHead.version),\n")
    var library = JSONBuilder()
    library.object { json in
      json.string("path", head.library)
      json.number("size", head.fingerprint?.size)
      json.string("sha256", head.fingerprint?.sha256)
      json.number("run", head.run.map { Int(clamping: $0) })
    }
    try member("library", library.result, sink)
    var sources = Entries("sources", sink)
    try sources.begin()
    for source in head.sources.files {
      var json = JSONBuilder()
      json.object { json in
        json.string("path", source.path)
        json.number("size", source.size)
        json.string("sha256", source.sha256)
      }
      try Array(json.result.utf8).withUnsafeBufferPointer { try sources.add($0) }
    }
    try sources.end(isLast: false)
    try member("request", head.request.json, sink)
    var now = JSONBuilder()
    now.string(nil, head.now.iso8601)
    try member("now", now.result, sink)
    try member("counts", head.counts, sink)
    var changes = Entries("changes", sink)
    try changes.begin()
    if let spool = recorder.changes {
      try spool.rewind()
      while try spool.advance() { try changes.add(spool.line) }
    }
    try changes.end(isLast: false)
    var losses = Entries("losses", sink)
    try losses.begin()
    try recorder.losses?.drain { try losses.add($0) }
    try losses.end(isLast: true)
    try sink.write("}\n")
    try sink.flush()
    try file.publish()
  }

  private static func member(_ name: String, _ json: String, _ sink: ByteSink) throws {
    try sink.write("  \"\(name)\": \(json),\n")
  }

  /// A list with a line for each entry.
  private struct Entries {
    let name: String
    let sink: ByteSink
    var isEmpty = true

    init(_ name: String, _ sink: ByteSink) {
      self.name = name
      self.sink = sink
    }

    func begin() throws { try sink.write("  \"\(name)\": [") }

    mutating func add(_ line: UnsafeBufferPointer<UInt8>) throws {
      try Interruption.check()
      try sink.write(isEmpty ? "\n    " : ",\n    ")
      isEmpty = false
      try sink.write(line.span)
    }

    func end(isLast: Bool) throws { try sink.write((isEmpty ? "]" : "\n  ]") + (isLast ? "\n" : ",\n")) }
  }
}

/// The changes of an import for people, in groups that name their first entries.
public struct PlanOutline: Sendable {
  /// One record, or some of its rows.
  public struct Entry: Sendable {
    /// The record's title, or its place if it has no title.
    public let name: String
    /// The changes to the record, or the reason why it stays unchanged; empty if the group needs no details.
    public var details: [String] = []
  }

  /// Records of one kind with the same action.
  public struct Group: Sendable {
    /// The action: `create`, `update`, `beside`, `conflict`, `reject`, `keep`, `gone` or `rename`.
    public let action: String
    /// Singular and plural of the kind: `checklist`, `checklists`.
    public let noun: (one: String, many: String)
    /// The number of records.
    public internal(set) var count = 0
    /// The first records.
    public internal(set) var entries: [Entry] = []
  }

  /// The groups in the order of actions, then in the order in which they were found.
  public private(set) var groups: [Group] = []
  /// How many entries of a group are kept with their names.
  let limit: Int

  init(limit: Int) { self.limit = limit }

  private static let order = ImportDecision.Action.allCases.map(\.rawValue)

  /// Adds a record.
  /// - Parameter entry: makes the entry; called only for the first entries of a group.
  mutating func add(_ action: ImportDecision.Action, _ noun: (one: String, many: String), _ entry: () -> Entry) {
    let place: Int
    if let found = groups.firstIndex(where: { $0.action == action.rawValue && $0.noun == noun }) {
      place = found
    } else {
      let rank = Self.order.firstIndex(of: action.rawValue) ?? 0
      place = groups.firstIndex { (Self.order.firstIndex(of: $0.action) ?? 0) > rank } ?? groups.count
      groups.insert(Group(action: action.rawValue, noun: noun), at: place)
    }
    groups[place].count += 1
    if groups[place].entries.count < limit { groups[place].entries.append(entry()) }
  }

  /// Returns the noun for a record. Each content type has its own noun.
  static func noun(_ kind: RecordKind, type: String?) -> (one: String, many: String) {
    guard kind == .item, let type, let known = ContentType(rawValue: type) else { return (kind.name, kind.plural) }
    return switch known {
    case .checklist: ("checklist", "checklists")
    case .practiceGuide: ("guide", "guides")
    case .flashcardDeck: ("deck", "decks")
    }
  }
}
