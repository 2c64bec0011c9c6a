import Content
import Interchange
import JSONText
import RecordSources

/// Every loss of a run, in the order in which records are compared.
///
/// The losses are sorted on disk. Only the losses of one record are held in memory.
final class ProofLosses {
  /// The losses that a run listed for one record.
  struct OfRecord {
    /// The pointers of the lost values; an empty pointer refers to the record itself.
    var fields: Set<[UInt8]> = []

    /// Whether the record was left out as a whole.
    var isWhole: Bool { fields.contains([]) }

    /// Whether the loss of `path`, or of a value that contains it, was listed.
    func explains(_ path: [JSONPointer.Step]) -> Bool {
      guard !fields.isEmpty else { return false }
      var path = path
      while !path.isEmpty {
        if fields.contains(Array(JSONPointer(path).description.utf8)) { return true }
        path.removeLast()
      }
      return false
    }
  }

  private let sorter = ExternalSorter { line, key in
    let fields = (try? JSONDocument(parsing: line.span))?.root.elements ?? []
    RecordSortKey(RecordKind(fields.first?.string ?? ""), fields.count > 1 ? fields[1].string ?? "" : "")
      .append(to: &key)
  }
  private var last: (key: RecordSortKey, losses: OfRecord)?
  private var waiting: (key: RecordSortKey, field: String)?

  /// Reads and sorts all losses of a run.
  init(_ losses: LossArchive?) throws {
    try losses?.forEach { try sorter.add($0.span) }
    try sorter.sort()
    try advance()
  }

  private func advance() throws {
    waiting = nil
    guard let line = try sorter.next() else { return }
    let fields = try JSONDocument(parsing: line.span).root.elements.map { $0.string ?? "" }
    guard fields.count == 3 else { throw RunFailure(.internalError, "an entry of the loss list is malformed") }
    waiting = (RecordSortKey(RecordKind(fields[0]), fields[1]), fields[2])
  }

  /// Returns the losses of a record. Keys must come in ascending order. A key may be repeated immediately, because ids
  /// are not always unique.
  func of(_ key: RecordSortKey) throws -> OfRecord {
    if let last, last.key == key { return last.losses }
    var found = OfRecord()
    while let next = waiting, !(key < next.key) {
      if next.key == key { found.fields.insert(Array(next.field.utf8)) }
      try advance()
    }
    last = (key, found)
    return found
  }
}

/// All losses of a run and all records that the run rejected, on disk. A log only keeps the first losses of each
/// reason.
///
/// The list is filled under the lock of the log or by the writing thread. It is read once, when the run has ended.
public final class LossArchive: @unchecked Sendable {
  private let lines: LineSpool
  private var line = ByteBuffer(capacity: 256)
  private var failure: (any Error)?
  /// The number of losses, not counting rejected records.
  public private(set) var count = 0

  /// Makes an empty list.
  /// - Throws: `RunFailure` if the temporary folder cannot be written.
  public init() throws { lines = try LineSpool() }

  /// Records every further loss of a log.
  public convenience init(of log: LossLog) throws {
    try self.init()
    log.observe { [self] loss in
      count += 1
      add(loss.kind, loss.id, loss.field)
    }
  }

  /// Records that a record was rejected. Must not be called while losses are added on another thread.
  func addRejected(_ kind: RecordKind, _ id: String) { add(kind, id, "") }

  private func add(_ kind: RecordKind, _ id: String, _ field: String) {
    guard failure == nil else { return }
    line.removeAll()
    line.append("[")
    line.appendJSONString(kind.name)
    for text in [id, field] {
      line.append(",")
      line.appendJSONString(text)
    }
    line.append("]")
    // If the disk is full, this is reported when the list is read.
    do { try lines.append(line.bytes.span) } catch { failure = error }
  }

  /// Calls `body` with each loss in the order of arrival, as `["item","ID","/field"]`.
  /// - Throws: `RunFailure` if a loss could not be kept.
  func forEach(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) throws {
    if let failure { throw failure }
    try lines.rewind()
    while try lines.advance() { try body(lines.line) }
  }
}
