import FleetKitCore

/// Compares two sources record by record.
///
/// Both are brought into bundle order on disk first, then walked side by side: memory does not grow with them.
/// Records are matched by kind and id; the members of matching records are compared by meaning.
public struct Comparison: Sendable {
  /// The left side.
  public var left: SourceList
  /// The right side.
  public var right: SourceList
  /// Which records are compared; nil compares all.
  public var selection: Selection?
  /// Whether ids, times and status are left out and records are matched by what they say.
  public var contentOnly = false

  /// Plans a comparison.
  public init(left: SourceList, right: SourceList) {
    self.left = left
    self.right = right
  }

  /// Compares.
  /// - Throws: `RunFailure` when a side cannot be read.
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
