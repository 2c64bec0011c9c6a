import Content
import Interchange
import JSONText

/// Compares two sources record by record.
///
/// Both sources are first sorted into bundle order on disk and then read in parallel, so memory does not grow with
/// them. Records are matched by kind and id. The members of matching records are compared by meaning.
public struct Comparison: Sendable {
  /// The left side.
  public var left: SourceList
  /// The right side.
  public var right: SourceList
  /// The selection of records to compare; nil compares all.
  public var selection: Selection?
  /// Whether ids, times and status are ignored and records are matched by their content.
  public var contentOnly = false

  /// Prepares a comparison.
  public init(left: SourceList, right: SourceList) {
    self.left = left
    self.right = right
  }

  /// Compares the two sources.
  /// - Throws: `RunFailure` if a side cannot be read.
  public func run(context: RunContext) throws -> Difference {
    let first = try SortedRecords(left, selection: selection, byContent: contentOnly, context: context)
    let second = try SortedRecords(right, selection: selection, byContent: contentOnly, context: context)
    var difference = Difference()
    difference.unreadable = first.unreadable + second.unreadable
    var a = try first.next()
    var b = try second.next()
    while a != nil || b != nil {
      try Interruption.check()
      if let left = a, b.map({ left.key < $0.key }) ?? true {
        difference.add(left, to: \.onlyLeft, counting: \.onlyLeft)
        a = try first.next()
      } else if let right = b, a.map({ right.key < $0.key }) ?? true {
        difference.add(right, to: \.onlyRight, counting: \.onlyRight)
        b = try second.next()
      } else if let left = a, let right = b {
        difference.compare(left, right, contentOnly: contentOnly)
        a = try first.next()
        b = try second.next()
      }
    }
    return difference
  }
}

extension Difference {
  mutating func add(
    _ record: SortedRecords.Entry, to list: WritableKeyPath<Difference, [RecordChange]>,
    counting count: WritableKeyPath<(onlyLeft: Int, onlyRight: Int, changed: Int, equal: Int), Int>
  ) {
    counts[keyPath: count] += 1
    guard self[keyPath: list].count < Self.kept else { return }
    self[keyPath: list].append(
      RecordChange(kind: record.kind, type: record.type, id: record.id, title: record.title, fields: []))
  }

  mutating func compare(_ left: SortedRecords.Entry, _ right: SortedRecords.Entry, contentOnly: Bool) {
    if contentOnly || left.line == right.line {
      counts.equal += 1
      equalByKind[left.kind, default: 0] += 1
      return
    }
    let fields = FieldComparison.compare(left.line, right.line)
    if fields.isEmpty {
      counts.equal += 1
      equalByKind[left.kind, default: 0] += 1
      return
    }
    counts.changed += 1
    if changed.count < Self.kept {
      changed.append(RecordChange(kind: left.kind, type: left.type, id: left.id, title: left.title, fields: fields))
    }
  }
}

/// The differences between two matching records.
public struct RecordChange: Sendable {
  /// The kind of the record.
  public let kind: RecordKind
  /// The record's content type, or its kind if it has no content type.
  public let type: String
  /// The record's id.
  public let id: String
  /// The record's title or name, from the side that has it.
  public let title: String
  /// The differences by path, each with the left value and the right value as JSON; nil if missing.
  public let fields: [(pointer: String, left: String?, right: String?)]
}

/// The differences between two sources.
public struct Difference: Sendable {
  /// The records that only the left side has.
  public var onlyLeft: [RecordChange] = []
  /// The records that only the right side has.
  public var onlyRight: [RecordChange] = []
  /// The records that both sides have, with differences.
  public var changed: [RecordChange] = []
  /// The numbers of these records. Each list holds at most `Difference.kept` of them.
  public var counts: (onlyLeft: Int, onlyRight: Int, changed: Int, equal: Int) = (0, 0, 0, 0)
  /// How many records of either side could not be read, so that they could not be compared.
  public var unreadable = 0
  /// How many records of each kind are equal.
  public var equalByKind: [RecordKind: Int] = [:]

  /// How many records are kept in full for each list.
  public static let kept = 1000

  /// Whether the two sides are the same.
  public var isEmpty: Bool { unreadable == 0 && counts.onlyLeft == 0 && counts.onlyRight == 0 && counts.changed == 0 }
}

/// Finds the members in which two records differ.
package enum FieldComparison {
  /// Returns the paths and values that differ by meaning. Null and a missing member are equal. The notation and the
  /// path of a note, which `extras.markdown` holds, are not content.
  package static func compare(_ left: [UInt8], _ right: [UInt8]) -> [(pointer: String, left: String?, right: String?)] {
    guard let first = try? JSONDocument(parsing: left), let second = try? JSONDocument(parsing: right) else {
      return [("", String(decoding: left, as: UTF8.self), String(decoding: right, as: UTF8.self))]
    }
    var found: [(pointer: String, left: String?, right: String?)] = []
    compare(first.root, second.root, JSONPointer(), &found)
    return found
  }

  /// Members that are not part of an item's content: the notation of a note, the times that come from its file, and the
  /// columns of a table.
  private static let typing = ["/extras/markdown", "/extras/provenance", "/extras/table"]

  private static func compare(
    _ left: JSONValue?, _ right: JSONValue?, _ path: JSONPointer,
    _ found: inout [(pointer: String, left: String?, right: String?)]
  ) {
    if path.steps.count == 2, typing.contains(path.description) { return }
    let left = left.flatMap { $0.isNull ? nil : $0 }
    let right = right.flatMap { $0.isNull ? nil : $0 }
    guard let left, let right else {
      if let only = left ?? right {
        if path.description == "/extras", only.kind == .object {
          for (name, value) in only.members {
            compare(left == nil ? nil : value, right == nil ? nil : value, path.appending(.member(name)), &found)
          }
          return
        }
        found.append((path.description, left == nil ? nil : only.text, right == nil ? nil : only.text))
      }
      return
    }
    switch (left.kind, right.kind) {
    case (.object, .object):
      let theirs = right.members
      var seen = Set<String>()
      for (name, value) in left.members {
        seen.insert(name)
        let other = theirs.first { $0.name == name }?.value
        compare(value, other, path.appending(.member(name)), &found)
      }
      for (name, value) in theirs where !seen.contains(name) {
        compare(nil, value, path.appending(.member(name)), &found)
      }
    case (.array, .array):
      let mine = left.elements
      let theirs = right.elements
      for index in 0..<max(mine.count, theirs.count) {
        compare(
          index < mine.count ? mine[index] : nil, index < theirs.count ? theirs[index] : nil,
          path.appending(.element(index)), &found)
      }
    default:
      if !left.means(right) { found.append((path.description, left.text, right.text)) }
    }
  }
}
