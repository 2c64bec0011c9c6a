import FleetKitCore
import Interchange
import JSONText
import Merging

/// What an import says that it wrote, in the order in which records are compared; sorted on disk.
final class ImportWrites: ImportObserver {
  private let sorter = ExternalSorter<ProofKey>(key: ProofRecords.key)

  func note(_ decision: ImportDecision) throws {
    guard let after = decision.after else { return }
    switch decision.action {
    case .create, .update, .beside: try sorter.add(after)
    case .conflict, .reject, .keep, .gone: break
    }
  }

  func finish(_ tally: Tally) throws {}

  /// All of it, the last word on a record last.
  func sorted() throws -> ProofRecords {
    try sorter.sort()
    return ProofRecords(sorter)
  }
}

/// Notes what an import would still change after it was done: nothing, if the library has what the sources say.
final class ImportReplay: ImportObserver {
  private let walk: ImportWalk

  init(_ walk: ImportWalk) { self.walk = walk }

  func note(_ decision: ImportDecision) throws {
    switch decision.action {
    case .create, .update, .beside: try walk.isStillWanted(decision)
    case .conflict, .reject, .keep, .gone: break
    }
  }

  func finish(_ tally: Tally) throws {}
}
