import FleetKitCore
import Interchange
import JSONText

/// Every loss of a run, in the order in which records are compared.
///
/// Sorted on disk; what is held in memory are the losses of one record.
final class ProofLosses {
  /// What a run said of one record.
  struct OfRecord {
    /// The pointers of what is lost; an empty one is the record itself.
    var fields: Set<[UInt8]> = []

    /// Whether the record was left out as a whole.
    var isWhole: Bool { fields.contains([]) }

    /// Whether the loss of `path`, or of something around it, was listed.
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

  private let sorter = ExternalSorter<RecordSortKey> { line in
    let fields = (try? JSONDocument(parsing: line))?.root.elements ?? []
    return RecordSortKey(RecordKind(fields.first?.string ?? ""), fields.count > 1 ? fields[1].string ?? "" : "")
  }
  private var last: (key: RecordSortKey, losses: OfRecord)?
  private var waiting: (key: RecordSortKey, field: String)?

  /// Takes all losses of a run.
  init(_ losses: KeptLosses?) throws {
    try losses?.forEach { try sorter.add($0) }
    try sorter.sort()
    try advance()
  }

  private func advance() throws {
    waiting = nil
    guard let line = try sorter.next() else { return }
    let fields = try JSONDocument(parsing: line).root.elements.map { $0.string ?? "" }
    guard fields.count == 3 else { throw RunFailure(.internalError, "a loss is not what was written") }
    waiting = (RecordSortKey(RecordKind(fields[0]), fields[1]), fields[2])
  }

  /// What is lost of a record; keys must come in order, and may come again at once: ids are not unique everywhere.
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
