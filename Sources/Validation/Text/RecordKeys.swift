/// A set of ids that costs a list until somebody asks whether it has one.
struct RecordKeys {
  private var waiting: [RecordKey] = []
  private var known = CompactTable<RecordKey, CompactNothing>()

  /// Whether there is no id.
  var isEmpty: Bool { waiting.isEmpty && known.isEmpty }

  /// Adds an id.
  mutating func insert(_ key: RecordKey) { waiting.append(key) }

  /// Whether an id was added.
  mutating func contains(_ key: RecordKey) -> Bool {
    if !waiting.isEmpty {
      for key in waiting { known.insert(key) }
      waiting.removeAll()
    }
    return known.contains(key)
  }
}
