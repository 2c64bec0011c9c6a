import FleetKitCore
import Interchange
import Merging

/// Reads a plan and checks that it is one: every change goes to disk again, as what an import is held against.
final class PlanReader {
  private(set) var head = PlanHead()
  /// What two plans of the same import have in common, a line for each change.
  let keys: LineSpool
  private(set) var outline: PlanOutline
  /// The losses that the plan lists.
  let losses: PlanLosses

  private let input: PlanInput
  private var seen = Set<String>()

  /// - Throws: `RunFailure`: 6 when a newer FleetKit made the plan, 2 when it cannot be read or is damaged, with the
  ///   place.
  init(_ path: String, named: Int) throws {
    input = try PlanInput(path)
    keys = try LineSpool()
    losses = try PlanLosses()
    outline = PlanOutline(limit: named)
    try read()
  }

  private static let members = [
    "kind", "version", "library", "sources", "request", "now", "counts", "changes", "losses",
  ]

  private func read() throws {
    try input.take(UInt8(ascii: "{"))
    var isFirst = true
    while try !input.takes(UInt8(ascii: "}")) {
      if !isFirst { try input.take(UInt8(ascii: ",")) }
      isFirst = false
      let line = input.line
      guard let name = try input.value().root.string else { throw input.failure("a name is due here", line: line) }
      try input.take(UInt8(ascii: ":"))
      guard seen.insert(name).inserted else { throw input.failure("/\(name) occurs twice", line: line) }
      try readMember(name)
    }
    if try input.peek() != nil { throw input.failure("something stands behind the plan") }
    if let missing = Self.members.first(where: { !seen.contains($0) }) {
      throw input.failure("the member \"\(missing)\" is missing")
    }
    try keys.rewind()
  }

  private func readMember(_ name: String) throws {
    let line = input.line
    switch name {
    case "kind":
      guard try input.value().root.string == "plan" else {
        throw input.failure("this is no plan: /kind says something else", line: line)
      }
    case "version":
      guard let version = try input.value().root.integer, version >= 1 else {
        throw input.failure("/version: a number from 1 is due", line: line)
      }
      guard version <= PlanHead.version else {
        throw RunFailure(
          .newer, "read the plan '\(input.path)': a newer FleetKit made it (version \(version))",
          advice: "Update FleetKit, or plan again with this one.")
      }
    case "library": try readLibrary(line)
    case "request":
      let value = try input.value().root
      guard value.kind == .object else { throw input.failure("/request: an object is due", line: line) }
      head.request = ImportRequest(json: value.text)
    case "now":
      guard let now = try input.value().root.string.flatMap({ Timestamp.parse($0)?.0 }) else {
        throw input.failure("/now: a time is due", line: line)
      }
      head.now = now
    case "counts":
      let value = try input.value().root
      guard value.kind == .object, value["kinds"]?.kind == .object else {
        throw input.failure("/counts: an object with \"kinds\" is due", line: line)
      }
      head.counts = value.text
    case "sources":
      var files: [PlanSources.File] = []
      try readList(name, .source) { value in
        files.append(
          PlanSources.File(
            path: value["path"]?.string ?? "", size: Int(clamping: value["size"]?.integer ?? 0),
            sha256: value["sha256"]?.string ?? ""))
        return nil
      }
      head.sources = PlanSources(files: files)
    case "changes": try readList(name, .change) { try self.add($0) }
    case "losses":
      try readList(name, .loss) { loss in
        self.losses.add(loss)
        return nil
      }
    default: throw input.failure("/\(name): plans have no such member", line: line)
    }
  }

  private func readLibrary(_ line: Int) throws {
    let value = try input.value().root
    if let (pointer, why) = PlanShape.library.complaint(value) {
      throw input.failure("/library\(pointer): \(why)", line: line)
    }
    head.library = value["path"]?.string ?? ""
    head.run = value["run"]?.integer
    let (size, sha256) = (value["size"]?.integer, value["sha256"]?.string)
    guard (size == nil) == (sha256 == nil) else {
      throw input.failure("/library: size and sha256 belong together", line: line)
    }
    if let size, let sha256 { head.fingerprint = LibraryFingerprint(size: Int(clamping: size), sha256: sha256) }
  }

  /// - Parameter body: takes an element; what is wrong with it, where it can tell.
  private func readList(
    _ name: String, _ shape: PlanShape, _ body: (JSONValue) throws -> String?
  ) throws {
    try input.take(UInt8(ascii: "["))
    var index = 0
    while try !input.takes(UInt8(ascii: "]")) {
      if index > 0 { try input.take(UInt8(ascii: ",")) }
      _ = try input.peek()
      let line = input.line
      let value = try input.value().root
      if let (pointer, why) = shape.complaint(value) {
        throw input.failure("/\(name)/\(index)\(pointer): \(why)", line: line)
      }
      if let why = try body(value) { throw input.failure("/\(name)/\(index): \(why)", line: line) }
      index += 1
    }
  }

  /// Takes a change; what is wrong with it, else nil.
  private func add(_ value: JSONValue) throws -> String? {
    guard let action = value["action"]?.string.flatMap(ImportDecision.Action.init(rawValue:)) else { return nil }
    let kind = value["kind"]?.string ?? ""
    let (before, after) = (value["before"]?.string, value["after"]?.string)
    switch action {
    case .create where before != nil || after == nil: return "what is created has no \"before\" and has an \"after\""
    case .update where before == nil || after == nil: return "what is updated has a \"before\" and an \"after\""
    case .beside where after == nil: return "what goes beside the library has an \"after\""
    default: break
    }
    let key = PlanChange.key(
      action: action.rawValue, kind: kind, id: value["id"]?.string ?? "", before: before, after: after,
      rows: Int(clamping: value["rows"]?.integer ?? 0))
    // Behind the key, what people need when it is not what happens.
    var line = JSONBuilder()
    line.array { json in
      json.string(nil, key)
      json.string(nil, PlanChange.said(value))
      json.string(nil, action.rawValue)
      json.string(nil, kind)
      json.string(nil, value["title"]?.string ?? value["id"]?.string)
    }
    try Array(line.result.utf8).withUnsafeBufferPointer { try keys.append($0) }
    outline.add(action, PlanOutline.noun(RecordKind(kind), type: value["type"]?.string)) {
      let place = value["place"]?.string ?? ""
      var entry = PlanOutline.Entry(
        name: value["title"]?.string ?? (place.isEmpty ? value["id"]?.string ?? "" : place))
      let labels = (value["fields"]?.elements ?? []).compactMap { field in
        field["label"]?.string.map { ($0, PlanFields.isMinor(field["pointer"]?.string ?? "")) }
      }
      let read = labels.filter { !$0.1 }
      entry.details = (read.isEmpty ? labels : read).map(\.0)
      if entry.details.isEmpty, action != .update, let reason = value["reason"]?.string { entry.details = [reason] }
      return entry
    }
    return nil
  }
}
