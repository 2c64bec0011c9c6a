import Diagnostics
import JSONText

/// A record other than an item, as read from a text format: its members as JSON, each with its range in the source.
package struct RecordDraft: Sendable {
  /// One member.
  package struct Member: Sendable {
    package var name: String
    /// The value as JSON, with its range in the source.
    package var json: SourcedText

    package init(_ name: String, _ json: SourcedText) {
      self.name = name
      self.json = json
    }
  }

  package var kind: RecordKind
  /// The title in findings.
  package var title: String
  package var members: [Member]
  /// Ranges of values inside members, by their paths from the record.
  package var places: [JSONPointer: Range<Int>] = [:]
  /// The whole record in the source.
  package var range: Range<Int>

  package init(_ kind: RecordKind, title: String, members: [Member], range: Range<Int>) {
    self.kind = kind
    self.title = title
    self.members = members
    self.range = range
  }

  /// Appends the record as JSON, for a canonicalizer.
  package func write(into out: inout ByteBuffer) {
    out.append("{\"kind\":")
    out.appendJSONString(kind.name)
    for member in members {
      out.append(UInt8(ascii: ","))
      out.appendJSONString(member.name)
      out.append(UInt8(ascii: ":"))
      out.append(member.json.bytes.span)
    }
    out.append(UInt8(ascii: "}"))
  }

  /// Returns the bytes of the source that a value came from, or the closest enclosing range.
  package func range(of pointer: JSONPointer) -> Range<Int> {
    var steps = pointer.steps
    while !steps.isEmpty {
      if let found = places[JSONPointer(steps)] { return found }
      if steps.count == 1, case .member(let name) = steps[0],
        let member = members.first(where: { $0.name.utf8.elementsEqual(name.utf8) })
      {
        return member.json.range
      }
      steps.removeLast()
    }
    return range.lowerBound..<range.lowerBound
  }
}

/// A draft that a source returns.
package enum SourceDraft: Sendable {
  case item(ItemDraft)
  case record(RecordDraft)
  case rejected(RejectedDraft)

  package var kind: RecordKind {
    switch self {
    case .item: .item
    case .record(let record): record.kind
    case .rejected(let rejected): rejected.kind
    }
  }

  /// The title in findings.
  package var title: String {
    switch self {
    case .item(let item): item.title.string
    case .record(let record): record.title
    case .rejected(let rejected): rejected.title
    }
  }

  /// Returns the bytes of the source that a value came from, or the closest enclosing range.
  package func range(of pointer: JSONPointer, _ part: ValuePart) -> Range<Int> {
    switch self {
    case .item(let item): item.range(of: pointer, part)
    case .record(let record): record.range(of: pointer)
    case .rejected(let rejected): rejected.range
    }
  }
}

/// A range of a source that cannot become a record.
package struct RejectedDraft: Sendable {
  package var kind: RecordKind
  /// The title in findings.
  package var title: String
  /// The JSON that is kept in the rejects file.
  package var json: [UInt8]
  /// The problems, with their places.
  package var problems: [Problem]
  /// The whole range in the source.
  package var range: Range<Int>

  /// One problem.
  package struct Problem: Sendable {
    package var code: DiagnosticCode
    package var message: String
    package var range: Range<Int>
    package var fix: String?

    package init(_ code: DiagnosticCode, _ message: String, at range: Range<Int>, fix: String? = nil) {
      self.code = code
      self.message = message
      self.range = range
      self.fix = fix
    }
  }

  package init(_ kind: RecordKind, title: String, json: [UInt8], problems: [Problem], range: Range<Int>) {
    self.kind = kind
    self.title = title
    self.json = json
    self.problems = problems
    self.range = range
  }
}
