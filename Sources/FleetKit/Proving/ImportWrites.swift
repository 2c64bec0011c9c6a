import FleetKitCore
import Interchange
import JSONText
import Merging

/// What an import says that it wrote, in the order in which records are compared; sorted on disk.
final class ImportWrites: ImportObserver {
  private let sorter = ExternalSorter<RecordSortKey>(key: SortedRecords.key)

  func note(_ decision: ImportDecision) throws {
    switch decision.action {
    case .create, .update, .beside:
      if let after = decision.after {
        try sorter.add(after)
      } else if let hash = decision.hashAfter {
        try add(decision.kind, decision.id, hash: hash)
      }
    case .conflict, .reject, .keep, .gone, .rename: break
    }
  }

  /// Of what is new, an import says the hash.
  private func add(_ kind: RecordKind, _ id: String, hash: String) throws {
    var line = ByteBuffer(capacity: 160)
    line.append("{\"kind\":")
    line.appendJSONString(kind.name)
    line.append(",\"id\":")
    line.appendJSONString(id)
    line.append(",\"sha256_of_line\":")
    line.appendJSONString(hash)
    line.append("}")
    try sorter.add(line.bytes)
  }

  /// The hash that an entry stands for; nil for a whole record.
  static func hash(of line: [UInt8]) -> String? {
    guard line.count < 1 << 12 else { return nil }
    return (try? JSONDocument(parsing: line))?.root["sha256_of_line"]?.string
  }

  func finish(_ tally: Tally) throws {}

  /// All of it, the last word on a record last.
  func sorted() throws -> SortedRecords {
    try sorter.sort()
    return SortedRecords(sorter)
  }
}

/// Notes what an import would still change after it was done: nothing, if the library has what the sources say.
final class ImportReplay: ImportObserver {
  private let walk: ImportWalk

  init(_ walk: ImportWalk) { self.walk = walk }

  func note(_ decision: ImportDecision) throws {
    switch decision.action {
    case .create, .update, .beside: try walk.isStillWanted(decision)
    case .conflict, .reject, .keep, .gone, .rename: break
    }
  }

  func finish(_ tally: Tally) throws {}
}
