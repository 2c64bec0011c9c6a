import Content
import JSONText

/// The ticks of an execution.
extension MergeRun {
  /// Merges ticks, each step's by itself, in the order of the steps' ids.
  func mergeTicks(_ trio: MergeTrio, _ place: MergePlace, into out: inout ByteBuffer) -> MergeTrio.Merged {
    guard let base = MergeMembers(trio.base, nil).otherValues(), let ours = MergeMembers(trio.ours, nil).otherValues(),
      let theirs = MergeMembers(trio.theirs, nil).otherValues()
    else { return choose(place, trio) }
    let ids = Set(ours.keys).union(theirs.keys).sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    let open = out.count
    for id in ids {
      effort += 1
      let values = MergeTrio(base: base[id], ours: ours[id], theirs: theirs[id], knowsBase: trio.knowsBase)
      let mark = out.count
      out.append(mark == open ? UInt8(ascii: "{") : UInt8(ascii: ","))
      out.append(UInt8(ascii: "\""))
      out.append(id.bytes)
      out.append("\":")
      switch mergeTick(values, id, place, into: &out) {
      case .written: continue
      case .ours: if let tick = values.ours { out.append(tick.raw) } else { out.truncate(to: mark) }
      case .theirs: if let tick = values.theirs { out.append(tick.raw) } else { out.truncate(to: mark) }
      }
    }
    if out.count == open { out.append(UInt8(ascii: "{")) }
    out.append(UInt8(ascii: "}"))
    return .written
  }

  private func mergeTick(
    _ trio: MergeTrio, _ id: RawText, _ parent: MergePlace, into out: inout ByteBuffer
  ) -> MergeTrio.Merged {
    if let side = trio.settled(MergeTrio.same) { return side }
    let place = MergePlace(
      parent, .member("tick of step \(id.text)"), name: id.text, ours: trio.ours, theirs: trio.theirs)
    guard let objects = trio.objects else {
      let note = trio.ours == nil ? "deleted by ours" : trio.theirs == nil ? "deleted by theirs" : nil
      return choose(place, trio, note: note)
    }
    // Whether it is ticked and when belong together.
    let checked = members("checked", of: objects)
    let times = members("checkedAt", of: objects)
    var side = checked.settled(MergeTrio.same)
    if MergeTrio.same(checked.ours, checked.theirs) {
      side = times.settled(MergeTrio.same) ?? later(times.ours, times.theirs) ?? .ours
    } else if side != nil, checked.knowsBase {
      // The side that changed the tick, unless the other one ticked it anew.
      let isOurs = side == .ours
      let untouched = isOurs ? times.theirs : times.ours
      if !MergeTrio.same(times.base, untouched) { side = nil }
    }
    let taken = side ?? choose(place.member("checked", checked), checked)
    return mergeObject(objects, .tick, place, into: &out) { index, _, _ in
      ["checked", "checkedAt"].contains(MergeShape.tick.names[index]) ? taken : nil
    }
  }
}
