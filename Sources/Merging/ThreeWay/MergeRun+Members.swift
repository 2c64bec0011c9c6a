import Content
import JSONText

/// Values, by what kind of member they are.
extension MergeRun {
  /// How deep objects are merged member by member; what is deeper is one value.
  private static let depth = 48

  /// Merges one member.
  func mergeMember(
    _ rule: MergeShape.Rule, _ trio: MergeTrio, _ parent: MergePlace, _ name: String, into out: inout ByteBuffer
  ) -> MergeTrio.Merged {
    switch rule {
    case .identity: return MergeTrio.isMissing(trio.ours) ? .theirs : .ours
    case .own where !mergesOwn: return .ours
    case .own:
      if let side = trio.settled(MergeTrio.same) ?? settleOwn(name, trio) { return side }
      return mergeContainer(rule, trio, parent, name, into: &out)
    case .text:
      if let side = trio.settled(MergeTrio.same) ?? trio.settled(MergeTrio.sameText) { return side }
      return mergeText(trio, parent.member(name, trio), into: &out)
    case .document, .tree, .steps, .ticks, .any:
      if let side = trio.settled(MergeTrio.same) { return side }
      return mergeContainer(rule, trio, parent, name, into: &out)
    case .tags:
      if let side = trio.settled(MergeTrio.same) { return side }
      return mergeTags(trio, into: &out) ? .written : choose(parent.member(name, trio), trio)
    case .created, .updated:
      return mergeTime(trio, isLater: rule == .updated) ?? choose(parent.member(name, trio), trio)
    case .progress:
      if let side = trio.settled(MergeTrio.same) { return side }
      return (trio.theirs?.double ?? -1) > (trio.ours?.double ?? -1) ? .theirs : .ours
    case .review:
      if let side = trio.settled(MergeTrio.same) { return side }
      return later(trio.ours?.member("lastReviewed"), trio.theirs?.member("lastReviewed"))
        ?? choose(parent.member(name, trio), trio)
    case .position:
      // The order of the array counts; the number is no reason to ask anybody.
      return trio.settled(MergeTrio.same) ?? (MergeTrio.isMissing(trio.ours) ? .theirs : .ours)
    case .value:
      return trio.settled(MergeTrio.same) ?? choose(parent.member(name, trio), trio)
    }
  }

  private func mergeContainer(
    _ rule: MergeShape.Rule, _ trio: MergeTrio, _ parent: MergePlace, _ name: String, into out: inout ByteBuffer
  ) -> MergeTrio.Merged {
    switch rule {
    case .tree:
      let place = parent.member(name, trio, silent: true)
      let form: TreeForm = name == "cards" ? .cards : .sections
      return mergeTree(trio, form, place, into: &out) ?? choose(parent.member(name, trio), trio)
    case .ticks:
      guard let objects = trio.objects else { return choose(parent.member(name, trio), trio) }
      return mergeTicks(objects, parent.member(name, trio, silent: true), into: &out)
    default:
      return mergeAny(trio, parent.member(name, trio), into: &out)
    }
  }

  /// Merges values of which nothing is known: objects by their members, lists of things with ids by them, texts by
  /// their lines. Everything else is one side's.
  func mergeAny(_ trio: MergeTrio, _ place: MergePlace, into out: inout ByteBuffer) -> MergeTrio.Merged {
    if let side = trio.settled(MergeTrio.same) { return side }
    guard place.depth < Self.depth, let ours = trio.ours, let theirs = trio.theirs, ours.kind == theirs.kind else {
      return choose(place, trio)
    }
    switch ours.kind {
    case .string: return mergeText(trio, place, into: &out)
    case .object:
      guard let objects = trio.objects else { return choose(place, trio) }
      return mergeObject(objects, nil, place, into: &out)
    case .array: return mergeTree(trio, .entries, place, into: &out) ?? choose(place, trio)
    default: return choose(place, trio)
    }
  }

  /// The side that counts of a state or a count that both sides have another of: what waits to be sent still waits,
  /// and of counts the larger one; nil for all else.
  private func settleOwn(_ name: String, _ trio: MergeTrio) -> MergeTrio.Merged? {
    switch name {
    case "sync_status", "syncStatus": trio.theirs?.equals("pending") ?? false ? .theirs : .ours
    case "needs_sync": trio.theirs?.bool ?? false ? .theirs : .ours
    case "fork_count", "rating_count": (trio.theirs?.double ?? -1) > (trio.ours?.double ?? -1) ? .theirs : .ours
    case "last_synced_at": later(trio.ours, trio.theirs)
    default: nil
    }
  }

  // MARK: Times

  /// The time that counts: that of the side that changed it; where both did, the later or the earlier. Nil where neither
  /// side has a time.
  private func mergeTime(_ trio: MergeTrio, isLater: Bool) -> MergeTrio.Merged? {
    if let side = trio.settled(MergeTrio.same) { return side }
    guard let mine = Self.time(trio.ours), let other = Self.time(trio.theirs) else {
      // One side took the time away, or wrote something else there: a time is better than none.
      if Self.time(trio.ours) != nil { return .ours }
      return Self.time(trio.theirs) != nil ? .theirs : nil
    }
    return isLater == (mine < other) ? .theirs : .ours
  }

  /// The side with the later time; nil when none is later.
  func later(_ ours: JSONNode?, _ theirs: JSONNode?) -> MergeTrio.Merged? {
    switch (Self.time(ours), Self.time(theirs)) {
    case (let mine?, let other?): mine == other ? nil : mine < other ? .theirs : .ours
    case (nil, _?): .theirs
    case (_?, nil): .ours
    case (nil, nil): nil
    }
  }

  static func time(_ value: JSONNode?) -> Timestamp? {
    guard let value, value.kind == .string else { return nil }
    return Timestamp.parse(value.inner)?.0
  }
}
