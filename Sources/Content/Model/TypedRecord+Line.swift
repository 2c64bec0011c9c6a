import Diagnostics
import JSONText

extension TypedRecord {
  /// The record's canonical line, without a line end: what a bundle holds and what every writer takes.
  ///
  /// The same value gives the same line. An id that is empty is derived from the kind and the title or name
  /// (of an execution, from both references), so two records that agree in these get the same id.
  /// - Throws: `ModelError` at a number that JSON cannot say, at an extra member or payload that is no JSON,
  ///   at an extra member that stands there twice, and at content of another type than `contentType`.
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
      parse = try tape.parse(text.bytes)
    } catch {
      throw ModelError(pointer: JSONPointer(), expected: "JSON: \(error.message)")
    }
    let node = JSONNode(text: text.start, tokens: tape.tokens, index: parse.root)
    guard node.member("kind")?.string == kind.name else {
      throw ModelError(pointer: kindPointer, expected: "\"\(kind.name)\"")
    }
    // As a bundle's reader does it: what is canonical stays as it is, to the last null.
    if CanonicalCheck.isCanonical(node, kind: kind, traits: parse.traits) {
      return String(decoding: text.bytes, as: UTF8.self)
    }
    var canonicalizer = Canonicalizer(mode: .bundle)
    var line = ByteBuffer(capacity: text.count + 1024)
    canonicalizer.writeRecord(node, kind: kind, derivedID: { derivedID(node, kind) }, into: &line)
    // A tick's fraction of a second is cut, which is no reason to refuse its record.
    let errors = canonicalizer.issues.lazy.filter { $0.code.severity == .error }
    if let refused = errors.first(where: { $0.code != .itemStateDateNotStrict }) {
      throw ModelError(pointer: refused.pointer, expected: "a record that can be written: \(refused.message)")
    }
    // Inside values that are only carried, the canonicaliser takes the last of two in silence.
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
    return UUIDText.derived(parts)
  }
}
