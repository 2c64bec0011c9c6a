import FleetKitCore
import Interchange
import Merging
import SyncQueue

/// The ids in a library of the items that an import met: what it brought, and what was there already.
final class ImportedItems: ImportObserver {
  private(set) var ids = Set<String>()
  /// What is wrong with the items, where their sources say it.
  let places: SourcePlaces

  init(now: Timestamp) throws { places = try SourcePlaces(now: now) }

  func reads(_ record: Record) throws { try places.look(at: record) }

  func note(_ decision: ImportDecision) throws {
    guard decision.kind == .item, !decision.id.isEmpty else { return }
    if let source = decision.sourceID { places.rename(source, to: decision.id) }
    switch decision.action {
    case .create, .update, .beside, .keep: ids.insert(decision.id)
    case .conflict, .reject, .gone, .rename: return
    }
  }

  func stays(_ kind: RecordKind, id: String, source: String) {
    guard kind == .item else { return }
    ids.insert(id)
    if source != id { places.rename(source, to: id) }
  }

  func finish(_ tally: Tally) throws {}
}
