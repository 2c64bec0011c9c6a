import JSONText

/// A cell that speaks of a whole checklist or deck: the first row that fills it counts, the others repeat it.
struct GroupCell: ~Copyable {
  /// The cell, -1 for none.
  let cell: Int
  /// What the first row that filled it wrote.
  private var raw = ByteBuffer(capacity: 64)
  /// The value as JSON.
  private(set) var json = ByteBuffer(capacity: 64)
  private(set) var isSet = false
  private var isReported = false

  init(_ cell: Int) { self.cell = cell }

  /// Forgets the group.
  mutating func begin() {
    isSet = false
    isReported = false
  }

  /// What a row's cell is to the group.
  enum News {
    /// Nothing, or what is known.
    case nothing
    /// The first that says it.
    case first
    /// It says something else than an earlier one, said once.
    case other
  }

  @inline(__always)
  mutating func look(_ text: UnsafeBufferPointer<UInt8>) -> News {
    if text.isEmpty { return .nothing }
    guard isSet else { return .first }
    if CellText.same(text, raw.bytes) || isReported { return .nothing }
    isReported = true
    return .other
  }

  /// Takes the value of the first row.
  mutating func set(_ text: UnsafeBufferPointer<UInt8>, json value: (inout ByteBuffer) -> Void) {
    raw.removeAll()
    raw.append(text)
    json.removeAll()
    value(&json)
    isSet = true
  }
}
