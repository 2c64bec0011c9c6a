import Diagnostics
import JSONText

/// A record as Swift values, for code that reads or makes content.
///
/// Every record from a reader can be read without loss, except that numbers in `Double` properties get their shortest
/// spelling (`1.50` becomes `1.5`). For streams that only pass records on, `Record` is the faster form.
/// - Source: formats/json-bundle.md, "Records"
public enum TypedRecord: Equatable, Sendable {
  case item(LibraryItem)
  case charter(Charter)
  case execution(ChecklistExecution)
  case syncOperation(SyncOperation)
  /// A record of a kind that FleetKit only carries, as JSON text.
  case other(kind: RecordKind, json: String)

  /// The kind of the record.
  public var kind: RecordKind {
    switch self {
    case .item: .item
    case .charter: .charter
    case .execution: .execution
    case .syncOperation: .syncOperation
    case .other(let kind, _): kind
    }
  }

  /// Reads a record that came from a reader.
  /// - Throws: `ModelError` at the first value that its member does not allow.
  public init(_ record: Record) throws(ModelError) {
    let json: JSONValue
    do throws(JSONError) {
      json = try record.document().root
    } catch {
      throw ModelError(pointer: JSONPointer(), expected: "JSON: \(error.message)")
    }
    try self.init(json: json, kind: record.kind)
  }

  /// Reads a record that people may have written. Members that the format allows to be missing get their defaults.
  ///
  /// Missing ids stay empty and missing positions stay nil until the record is written.
  /// - Parameter json: an object with its `kind`; without a kind it is an item.
  /// - Throws: `ModelError` at the first value that its member does not allow, at a missing required member, and at a
  ///   name that occurs twice.
  public init(json: JSONValue) throws(ModelError) {
    guard json.kind == .object else { throw ModelError(pointer: JSONPointer(), expected: "an object") }
    var kind = RecordKind.item
    if let member = json["kind"] {
      guard let name = member.string else {
        throw ModelError(pointer: Self.kindPointer, expected: String.expectation)
      }
      kind = RecordKind(name)
    }
    try self.init(json: json, kind: kind)
  }

  private init(json: JSONValue, kind: RecordKind) throws(ModelError) {
    switch kind {
    case .item: self = .item(try Self.read(json, kind))
    case .charter: self = .charter(try Self.read(json, kind))
    case .execution: self = .execution(try Self.read(json, kind))
    case .syncOperation: self = .syncOperation(try Self.read(json, kind))
    default: self = .other(kind: kind, json: json.text)
    }
  }

  private static func read<Object: ModelObject>(
    _ json: JSONValue, _ kind: RecordKind
  ) throws(ModelError) -> Object {
    var reader = try MemberReader(json, Shapes.record(kind), at: JSONPointer())
    // The case is the kind, so `kind` is not an extra member.
    var name = kind.name
    try reader.member("kind", &name)
    var object = Object()
    try object.visit(&reader)
    return object
  }

  private static let kindPointer = JSONPointer([.member("kind")])

  /// Returns the record's canonical line without a line end. Bundles contain this form, and every writer accepts it.
  ///
  /// Equal values give equal lines. An empty id is derived from the kind and the title or name (for an execution, from
  /// both references), so two records for which these are equal get the same id.
  /// - Throws: `ModelError` at a number that JSON cannot represent, at an extra member or payload that is not JSON, at
  ///   an extra member that occurs twice, and at content whose type differs from `contentType`.
  public func canonicalLine() throws(ModelError) -> String {
    switch self {
    case .item(let item): return try Self.line(MemberWriter.write(item, kind: kind), kind)
    case .charter(let charter): return try Self.line(MemberWriter.write(charter, kind: kind), kind)
    case .execution(let execution): return try Self.line(MemberWriter.write(execution, kind: kind), kind)
    case .syncOperation(let operation): return try Self.line(MemberWriter.write(operation, kind: kind), kind)
    case .other(let kind, let json):
      var text = ByteBuffer(capacity: json.utf8.count)
      text.append(utf8: json)
      return try Self.line(text, kind)
    }
  }

  private static func line(_ text: consuming ByteBuffer, _ kind: RecordKind) throws(ModelError) -> String {
    var tape = JSONTape(capacity: text.count / 8 + 16)
    let parse: JSONParse
    do throws(JSONError) {
      parse = try tape.parse(text.bytes.span)
    } catch {
      throw ModelError(pointer: JSONPointer(), expected: "JSON: \(error.message)")
    }
    let node = JSONNode(text: text.start, tokens: tape.tokens, index: parse.root)
    guard node.member("kind")?.string == kind.name else {
      throw ModelError(pointer: kindPointer, expected: "\"\(kind.name)\"")
    }
    // As in a bundle's reader, a canonical record stays unchanged, including every null.
    if CanonicalCheck.isCanonical(node, kind: kind, traits: parse.traits) {
      return String(decoding: text.bytes, as: UTF8.self)
    }
    var canonicalizer = Canonicalizer(mode: .bundle)
    var line = ByteBuffer(capacity: text.count + 1024)
    canonicalizer.writeRecord(node, kind: kind, derivedID: { derivedID(node, kind) }, into: &line)
    // A tick's time is truncated to whole seconds. This is no reason to refuse the record.
    let errors = canonicalizer.issues.lazy.filter { $0.code.severity == .error }
    if let refused = errors.first(where: { $0.code != .itemStateDateNotStrict }) {
      throw ModelError(pointer: refused.pointer, expected: "a record that can be written: \(refused.message)")
    }
    // Inside carried values, the canonicaliser silently uses the last of duplicate members.
    if let twice = node.duplicateName {
      throw ModelError(pointer: JSONPointer(), expected: "one member named \(twice.string ?? "")")
    }
    return String(decoding: line.bytes, as: UTF8.self)
  }

  private static func derivedID(_ node: JSONNode, _ kind: RecordKind) -> String {
    var parts = [kind.name]
    for name: StaticString in ["title", "name", "checklist_id", "charter_id"] {
      if let text = node.member(name)?.string { parts.append(text) }
    }
    return CanonicalUUID.derived(parts)
  }
}
