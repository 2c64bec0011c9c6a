import Content
import Foundation
import Interchange
import JSONText
import Merging
import Reports

/// Reads a plan and validates it. Every change is written to disk again in the form that an import is compared with.
final class PlanReader {
  private(set) var head = PlanHead()
  /// The keys that two plans of the same import have in common, with one line for each change.
  let keys: LineSpool
  private(set) var outline: PlanOutline
  /// The losses that the plan lists.
  let losses: PlanLosses

  private let input: PlanInput
  private var seen = Set<String>()

  /// - Throws: `RunFailure`: 6 if a newer FleetKit made the plan, 2 if the plan cannot be read or is damaged, with the
  ///   position.
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
    try input.consume(UInt8(ascii: "{"))
    var isFirst = true
    while try !input.consumeIfNext(UInt8(ascii: "}")) {
      if !isFirst { try input.consume(UInt8(ascii: ",")) }
      isFirst = false
      let line = input.line
      guard let name = try input.value().root.string else { throw input.failure("expected a name", line: line) }
      try input.consume(UInt8(ascii: ":"))
      guard seen.insert(name).inserted else { throw input.failure("/\(name) occurs twice", line: line) }
      try readMember(name)
    }
    if try input.peek() != nil { throw input.failure("unexpected text after the plan") }
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
        throw input.failure("this is not a plan: /kind has a different value", line: line)
      }
    case "version":
      guard let version = try input.value().root.integer, version >= 1 else {
        throw input.failure("/version: expected a number of at least 1", line: line)
      }
      guard version <= PlanHead.version else {
        throw RunFailure(
          .newer, "read the plan '\(input.path)': a newer FleetKit made it (version \(version))",
          advice: "Update FleetKit, or plan again with this one.")
      }
    case "library": try readLibrary(line)
    case "request":
      let value = try input.value().root
      guard value.kind == .object else { throw input.failure("/request: expected an object", line: line) }
      head.request = ImportRequest(json: value.text)
    case "now":
      guard let now = try input.value().root.string.flatMap({ Timestamp.parse($0)?.0 }) else {
        throw input.failure("/now: expected a time", line: line)
      }
      head.now = now
    case "counts":
      let value = try input.value().root
      guard value.kind == .object, value["kinds"]?.kind == .object else {
        throw input.failure("/counts: expected an object with \"kinds\"", line: line)
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
    default: throw input.failure("/\(name): unknown member", line: line)
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
      throw input.failure("/library: size and sha256 must occur together", line: line)
    }
    if let size, let sha256 { head.fingerprint = LibraryFingerprint(size: Int(clamping: size), sha256: sha256) }
  }

  /// - Parameter body: receives each element and returns what is wrong with the element, or nil.
  private func readList(
    _ name: String, _ shape: PlanShape, _ body: (JSONValue) throws -> String?
  ) throws {
    try input.consume(UInt8(ascii: "["))
    var index = 0
    while try !input.consumeIfNext(UInt8(ascii: "]")) {
      if index > 0 { try input.consume(UInt8(ascii: ",")) }
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

  /// Adds a change. Returns what is wrong with the change, or nil.
  private func add(_ value: JSONValue) throws -> String? {
    guard let action = value["action"]?.string.flatMap(ImportDecision.Action.init(rawValue:)) else { return nil }
    let kind = value["kind"]?.string ?? ""
    let (before, after) = (value["before"]?.string, value["after"]?.string)
    switch action {
    case .create where before != nil || after == nil: return "a created record has an \"after\" and no \"before\""
    case .update where before == nil || after == nil: return "an updated record has a \"before\" and an \"after\""
    case .beside where after == nil: return "a record kept next to the library has an \"after\""
    default: break
    }
    let key = PlanChange.key(
      action: action.rawValue, kind: kind, id: value["id"]?.string ?? "", before: before, after: after,
      rows: Int(clamping: value["rows"]?.integer ?? 0))
    // The key is followed by the data that messages need if the import differs.
    var line = JSONBuilder()
    line.array { json in
      json.string(nil, key)
      json.string(nil, PlanChange.description(of: value))
      json.string(nil, action.rawValue)
      json.string(nil, kind)
      json.string(nil, value["title"]?.string ?? value["id"]?.string)
    }
    try keys.append(line.result.utf8.span)
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

/// A JSON document on disk that is parsed value by value. Memory is bounded by the largest value.
///
/// The ends of values are found by their brackets and quotes, and one value is parsed at a time. Lines are counted.
private final class PlanInput {
  let path: String
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var at = 0
  private var isAtEnd = false
  /// The line of the next byte, from 1.
  private(set) var line = 1
  /// The maximum size of a value in bytes. Longer values are refused to bound memory.
  private static let limit = 512 << 20
  private static let chunk = 1 << 20

  /// - Throws: `RunFailure` with status 2 if the plan cannot be opened.
  init(_ path: String) throws {
    self.path = path
    // Without O_NONBLOCK, opening a pipe without a writer would wait forever.
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw RunFailure(.failed, "read the plan '\(path)': \(SystemError.last)") }
    var status = stat()
    // All stored properties are set, so `deinit` closes the file if the rest throws.
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw RunFailure(.failed, "read the plan '\(path)': it is not a regular file")
    }
  }

  deinit { close(descriptor) }

  /// Returns a failure with the line and the reason.
  func failure(_ why: String, line: Int? = nil) -> RunFailure {
    RunFailure(
      .failed, "read the plan '\(path)': line \(line ?? self.line): \(why)",
      advice: "To plan again, run 'fleetkit import … --plan \(path)'.")
  }

  /// Returns the next byte that is not white space; nil at the end.
  func peek() throws -> UInt8? {
    while true {
      while at < buffer.count {
        let byte = buffer[at]
        switch byte {
        case 0x0A: line += 1
        case 0x20, 0x09, 0x0D: break
        default: return byte
        }
        at += 1
      }
      guard try fill() else { return nil }
    }
  }

  /// Consumes one byte, which must be the given one.
  /// - Throws: `RunFailure` if the next byte is a different one.
  func consume(_ byte: UInt8) throws {
    let next = try peek()
    guard next == byte else {
      let what = String(UnicodeScalar(byte))
      throw failure(next == nil ? "the text ends where '\(what)' is expected" : "expected '\(what)'")
    }
    at += 1
  }

  /// Consumes a byte if it is the next one. Returns whether it was the next one.
  func consumeIfNext(_ byte: UInt8) throws -> Bool {
    guard try peek() == byte else { return false }
    at += 1
    return true
  }

  /// Consumes a whole value.
  /// - Throws: `RunFailure` with the line of invalid JSON.
  func value() throws -> JSONDocument {
    guard try peek() != nil else { throw failure("the text ends where a value is expected") }
    let end = try endOfValue()
    let start = line
    defer { at = end }
    do throws(JSONError) {
      let document = try buffer.withUnsafeBufferPointer { bytes throws(JSONError) in
        try JSONDocument(parsing: bytes.span.extracting(at..<end))
      }
      line += buffer[at..<end].reduce(0) { $0 + ($1 == 0x0A ? 1 : 0) }
      return document
    } catch {
      let before = buffer[at..<min(end, at + error.offset)].reduce(0) { $0 + ($1 == 0x0A ? 1 : 0) }
      throw failure(error.message, line: start + before)
    }
  }

  /// Returns the end of the next value in the buffer.
  private func endOfValue() throws -> Int {
    var end = at
    var depth = 0
    var inString = false
    while true {
      while end < buffer.count {
        let byte = buffer[end]
        end += 1
        if inString {
          if byte == UInt8(ascii: "\\") {
            end += 1
          } else if byte == UInt8(ascii: "\"") {
            inString = false
            if depth == 0 { return min(end, buffer.count) }
          }
          continue
        }
        switch byte {
        case UInt8(ascii: "\""): inString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          // A surplus bracket ends the plain value before it.
          if depth == 0 { return end - 1 }
          depth -= 1
          if depth == 0 { return end }
        case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x0A, 0x0D, 0x09: if depth == 0 { return end - 1 }
        default: break
        }
      }
      guard end - at < Self.limit else { throw failure("a value is larger than \(Self.limit >> 20) MiB") }
      let behind = end - at
      let overshoot = end - buffer.count
      guard try fill() else {
        guard depth == 0, !inString, overshoot == 0 else { throw failure("a value is not closed") }
        return buffer.count
      }
      end = at + behind
    }
  }

  /// Reads more bytes and drops the consumed ones. Returns false at the end.
  private func fill() throws -> Bool {
    if isAtEnd { return false }
    try Interruption.check()
    if at > 0 {
      buffer.removeFirst(at)
      at = 0
    }
    let had = buffer.count
    buffer += [UInt8](repeating: 0, count: Self.chunk)
    let got = buffer.withUnsafeMutableBytes {
      FileRead.some(descriptor, into: UnsafeMutableRawBufferPointer(rebasing: $0[had...]))
    }
    buffer.removeLast(Self.chunk - max(0, got))
    if got < 0 { throw RunFailure(.failed, "read the plan '\(path)': \(SystemError.last)") }
    isAtEnd = got == 0
    return got > 0
  }
}

/// The members of a plan's objects and their types.
private struct PlanShape: Sendable {
  /// The type of a member's value.
  enum Sort: Sendable {
    case text, optionalText, hash, optionalHash, size, optionalSize, path, pointer, anything, object, list(PlanShape)
    case word([String])

    /// Describes what is wrong with a value; returns nil if the value is valid.
    func complaint(_ value: JSONValue) -> String? {
      switch self {
      case .text: return value.string == nil ? "expected a string" : nil
      case .optionalText: return value.isNull || value.string != nil ? nil : "expected a string or null"
      case .path: return value.string?.utf8.first == UInt8(ascii: "/") ? nil : "expected an absolute path"
      case .pointer:
        guard let text = value.string, text.isEmpty || text.utf8.first == UInt8(ascii: "/") else {
          return "expected a JSON Pointer"
        }
        return nil
      case .hash: return Self.isHash(value.string) ? nil : "expected 64 hexadecimal digits"
      case .optionalHash:
        return value.isNull || Self.isHash(value.string) ? nil : "expected 64 hexadecimal digits or null"
      case .size: return value.integer.map { $0 >= 0 } ?? false ? nil : "expected a number of at least 0"
      case .optionalSize:
        return value.isNull || value.integer.map { $0 >= 0 } ?? false ? nil : "expected a number of at least 0, or null"
      case .anything: return nil
      case .object: return value.kind == .object ? nil : "expected an object"
      case .word(let words): return value.string.map(words.contains) ?? false ? nil : "expected a word that plans use"
      case .list(let shape):
        guard value.kind == .array else { return "expected a list" }
        for (index, element) in value.elements.enumerated() {
          if let (pointer, why) = shape.complaint(element) { return "at /\(index)\(pointer): \(why)" }
        }
        return nil
      }
    }

    private static func isHash(_ text: String?) -> Bool {
      guard let text, text.utf8.count == 64 else { return false }
      return text.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 || $0 >= 0x61 && $0 <= 0x66 }
    }
  }

  let required: [String: Sort]
  var optional: [String: Sort] = [:]

  /// Returns the first invalid position, relative to the object, and the reason.
  func complaint(_ value: JSONValue) -> (pointer: String, why: String)? {
    guard value.kind == .object else { return ("", "expected an object") }
    if let twice = value.duplicateName { return ("", "the member \(twice.text) occurs twice") }
    var seen = Set<String>()
    for (name, member) in value.members {
      guard let sort = required[name] ?? optional[name] else { return ("/" + name, "unknown member") }
      seen.insert(name)
      if let why = sort.complaint(member) { return ("/" + name, why) }
    }
    return required.keys.filter { !seen.contains($0) }.min().map { ("", "the member \"\($0)\" is missing") }
  }

  static let library = PlanShape(required: [
    "path": .path, "size": .optionalSize, "sha256": .optionalHash, "run": .optionalSize,
  ])
  static let source = PlanShape(required: ["path": .path, "size": .size, "sha256": .hash])
  static let loss = PlanShape(required: ["kind": .text, "id": .text, "field": .text, "reason": .text])
  static let change = PlanShape(
    required: [
      "action": .word(["create", "update", "beside", "conflict", "reject", "keep", "gone", "rename"]), "kind": .text,
      "id": .text, "title": .optionalText, "place": .text, "before": .optionalHash, "after": .optionalHash,
    ],
    optional: [
      "type": .text, "source_id": .text, "fields": .list(field), "rows": .size, "code": .text, "reason": .text,
    ])
  private static let field = PlanShape(
    required: ["pointer": .pointer, "label": .text], optional: ["from": .anything, "to": .anything])
}
