import FleetKitCore
import Interchange
import Merging

/// The ids in a library of the items that an import met: what it brought, and what was there already.
final class ImportedItems: ImportObserver {
  private(set) var ids = Set<String>()

  func note(_ decision: ImportDecision) throws {
    guard decision.kind == .item, !decision.id.isEmpty else { return }
    switch decision.action {
    case .create, .update, .beside, .keep: ids.insert(decision.id)
    case .conflict, .reject, .gone: return
    }
  }

  func stays(_ kind: RecordKind, id: String) {
    if kind == .item { ids.insert(id) }
  }

  func finish(_ tally: Tally) throws {}
}
