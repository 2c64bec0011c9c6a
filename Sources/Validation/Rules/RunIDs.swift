import Content
import Diagnostics
import JSONText

/// The ids of a run's records and of the steps in its checklists, for all rules that compare records.
///
/// An item takes 33 bytes, and each of its steps takes eight. A charter or an execution takes 25 bytes. `CompactTable`
/// documents the memory that this requires.
struct RunIDs {
  private struct Item: BitwiseCopyable {
    let place: RecordPositions.Entry
    /// The index in `steps` at which the item's steps begin.
    var start: UInt32 = 0
    /// The number of the item's steps; `unknown` if they are not known.
    var count = unknown

    static let unknown = UInt32.max
  }

  private var items = CompactTable<RecordKey, Item>()
  private var charters = CompactTable<RecordKey, RecordPositions.Entry>()
  private var executions = CompactTable<RecordKey, RecordPositions.Entry>()
  private var book = RecordPositions()
  /// Hashes of step ids, checklist by checklist.
  private var steps = SpillingArray<UInt64>()
  /// The earlier record that has the same id as the last added record.
  private var twin: RecordPositions.Entry?

  /// The maximum number of steps that are remembered. The steps of further checklists are unknown.
  private static let mostSteps = 8_000_000

  /// Whether the run has no items with an id.
  var hasNoItems: Bool { items.isEmpty }
  /// Whether the run has no charters with an id.
  var hasNoCharters: Bool { charters.isEmpty }

  /// Adds an item.
  mutating func add(_ item: ItemOutline, at place: Place) {
    twin = nil
    guard let key = RecordKey(item.id) else { return }
    var entry = Item(place: book.note(place))
    if item.type == .checklist, steps.count + item.steps.count <= Self.mostSteps {
      entry.start = UInt32(steps.count)
      for step in item.steps {
        if let id = RecordKey(step.id) { steps.append(id.number) }
      }
      entry.count = UInt32(steps.count) - entry.start
    }
    guard let first = items.insert(key, entry) else { return }
    twin = first.place
    // It is unknown to which of the two items an execution refers.
    items.update(key) { $0.count = Item.unknown }
  }

  /// Adds a record of another kind.
  mutating func add(_ record: JSONNode, kind: RecordKind, at place: Place) {
    twin = nil
    switch kind {
    case .charter: if let key = RecordKey(record.member("id")) { twin = charters.insert(key, book.note(place)) }
    case .execution: if let key = RecordKey(record.member("id")) { twin = executions.insert(key, book.note(place)) }
    default: break
    }
  }

  /// Returns the place of the first record with the same id as the last added record, or nil.
  func twinPlace(id: String) -> Place? { twin.map { book.place($0, id: id) } }

  /// Whether the run has an item with an id.
  func hasItem(_ key: RecordKey) -> Bool { items.contains(key) }

  /// Whether the run has a charter with an id.
  func hasCharter(_ key: RecordKey) -> Bool { charters.contains(key) }

  /// Returns the id hashes of a checklist's steps; nil if the run has no such checklist, or has two.
  func steps(of key: RecordKey) -> [UInt64]? {
    guard let item = items[key], item.count != Item.unknown else { return nil }
    return Array(steps.elements[Int(item.start)..<Int(item.start) + Int(item.count)])
  }
}
