import Content
import JSONText

/// The merge of one record: which conflicts it met, and how they were decided.
///
/// Serves one record and one thread; valid as long as the nodes are.
final class MergeRun {
  let mergesOwn: Bool
  let ours: JSONNode
  let theirs: JSONNode
  private let ask: (MergeConflict) -> MergeConflict.Choice
  private var found: [(at: Int, conflict: MergeConflict)] = []
  private var undecided = 0
  private var ourChildren = ChildIndex()
  private var theirChildren = ChildIndex()
  var renamed: [String: String] = [:]
  var effort = 0

  init(
    ours: JSONNode, theirs: JSONNode, mergesOwn: Bool, ask: @escaping (MergeConflict) -> MergeConflict.Choice
  ) {
    self.ours = ours
    self.theirs = theirs
    self.mergesOwn = mergesOwn
    self.ask = ask
  }

  /// Merges the record.
  func merge(_ kind: RecordKind, base: JSONNode?) -> ThreeWayMerge.Outcome {
    var out = ByteBuffer(capacity: max(ours.raw.count, theirs.raw.count) + 256)
    let trio = MergeTrio(base: base, ours: ours, theirs: theirs, knowsBase: base != nil)
    let place = MergePlace(nil, .silent, ours: ours, theirs: theirs)
    switch mergeRecord(kind, trio, place, into: &out) {
    case .ours: out.append(ours.raw)
    case .theirs: out.append(theirs.raw)
    case .written: break
    }
    // Swift's sort is stable, but only says so in its source: the number of the conflict decides.
    let order = found.indices.sorted { (found[$0].at, $0) < (found[$1].at, $1) }
    return ThreeWayMerge.Outcome(
      line: Array(out.bytes), conflicts: order.map { found[$0].conflict }, undecided: undecided, renamed: renamed,
      effort: effort)
  }

  // MARK: Conflicts

  /// Asks about a conflict.
  /// - Parameters:
  ///   - note: what the label says beside the place.
  ///   - values: what is shown of the three versions; nil for the values themselves.
  ///   - at: the place in our record by which conflicts are sorted; nil for the value's own.
  func settle(
    _ place: MergePlace, _ trio: MergeTrio, note: String? = nil, values: (String?, String?, String?)? = nil,
    at: Int? = nil
  ) -> MergeConflict.Choice {
    let shown = values ?? (Self.text(trio.base), Self.text(trio.ours), Self.text(trio.theirs))
    let parts = [place.label, note ?? ""].filter { !$0.isEmpty }
    let conflict = MergeConflict(
      pointer: pointer(place), label: parts.isEmpty ? "the record" : parts.joined(separator: ", "), base: shown.0,
      ours: shown.1, theirs: shown.2)
    found.append((at ?? offset(place), conflict))
    let choice = ask(conflict)
    if choice == .undecided { undecided += 1 }
    return choice
  }

  /// Asks about a conflict that has two outcomes.
  func choose(
    _ place: MergePlace, _ trio: MergeTrio, note: String? = nil, at: Int? = nil
  ) -> MergeTrio.Merged {
    settle(place, trio, note: note, at: at) == .theirs ? .theirs : .ours
  }

  private static func text(_ value: JSONNode?) -> String? {
    value.map { String(decoding: $0.raw, as: UTF8.self) }
  }

  /// The pointer into our record; into theirs where ours has nothing there.
  private func pointer(_ place: MergePlace) -> String {
    if let own = place.ours { return ourChildren.pointer(from: ours, to: own.index).description }
    if let parent = place.parent, parent.ours != nil, let name = place.name {
      return pointer(parent) + JSONPointer([.member(name)]).description
    }
    if let other = place.theirs { return theirChildren.pointer(from: theirs, to: other.index).description }
    return place.parent.map(pointer) ?? ""
  }

  /// Where a place stands in our record; behind everything in the nearest thing that we have, where we have none.
  private func offset(_ place: MergePlace) -> Int {
    if let own = place.ours { return own.span.lowerBound }
    var parent = place.parent
    while let here = parent {
      if let own = here.ours { return own.span.upperBound - 1 }
      parent = here.parent
    }
    return 0
  }
}
