/// Which steps the checklists of a run have: eight bytes a step.
///
/// Checklists beyond eight million steps are not remembered, so that nothing is said about them.
struct StepIndex {
  private struct Span {
    let key: RecordKey
    let start: UInt32
    let count: UInt32
  }

  private var numbers: [UInt64] = []
  private var spans: [Span] = []
  /// Made when somebody asks: many runs have no execution. The value is an index into `spans`, -1 for an id that two
  /// checklists have.
  private var table: [RecordKey: Int] = [:]
  private var listed = 0

  private static let most = 8_000_000

  /// Remembers a checklist.
  mutating func add(_ key: RecordKey, _ steps: OutlineList<StepRow>) {
    guard numbers.count + steps.count <= Self.most else { return }
    let start = numbers.count
    for step in steps {
      if let id = RecordKey(step.id) { numbers.append(id.number) }
    }
    spans.append(Span(key: key, start: UInt32(start), count: UInt32(numbers.count - start)))
  }

  /// The numbers of a checklist's steps; nil when it was not seen, or seen twice.
  mutating func steps(of key: RecordKey) -> ArraySlice<UInt64>? {
    update()
    guard let index = table[key], index >= 0 else { return nil }
    let span = spans[index]
    return numbers[Int(span.start)..<Int(span.start) + Int(span.count)]
  }

  /// Whether a checklist was seen.
  mutating func has(_ key: RecordKey) -> Bool {
    update()
    return table[key] != nil
  }

  private mutating func update() {
    while listed < spans.count {
      if table.updateValue(listed, forKey: spans[listed].key) != nil { table[spans[listed].key] = -1 }
      listed += 1
    }
  }
}
