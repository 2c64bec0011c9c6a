import Content
import JSONText

/// Objects, member by member.
extension MergeRun {
  /// What somebody else writes into an object that is merged or copied.
  struct Inserts {
    /// The number of its place; nil leaves the number to the members' rules.
    var number: Int?
    /// The id that it keeps.
    var id: JSONNode?
    /// Writes the array of steps.
    var steps: ((inout ByteBuffer) -> Void)?
  }

  /// Writes an object that is merged from two, member by member; without a shape all members are merged alike.
  /// - Parameter special: merges some members itself; nil for the others.
  /// - Returns: `.written`, or a side where the members cannot be told apart.
  func mergeObject(
    _ trio: MergeTrio, _ shape: MergeShape?, _ place: MergePlace, inserts: Inserts = Inserts(),
    into out: inout ByteBuffer, special: (Int, MergeTrio, inout ByteBuffer) -> MergeTrio.Merged? = { _, _, _ in nil }
  ) -> MergeTrio.Merged {
    let base = MergeMembers(trio.base, shape)
    let ours = MergeMembers(trio.ours, shape)
    let theirs = MergeMembers(trio.theirs, shape)
    guard !base.hasTwins, !ours.hasTwins, !theirs.hasTwins, let baseOthers = base.otherValues(),
      let ourOthers = ours.otherValues(), let theirOthers = theirs.otherValues()
    else { return choose(place, trio) }
    let open = out.count
    for index in 0..<(shape?.names.count ?? 0) {
      guard let shape else { break }
      effort += 1
      let values = MergeTrio(
        base: base[index], ours: ours[index], theirs: theirs[index], knowsBase: trio.knowsBase)
      let mark = begin(shape.shape.members[index].key, open, &out)
      let merged: MergeTrio.Merged
      if shape.rules[index] == .steps, let steps = inserts.steps {
        steps(&out)
        merged = .written
      } else if shape.rules[index] == .position, let number = inserts.number {
        out.append(utf8: String(number))
        merged = .written
      } else {
        merged =
          special(index, values, &out)
          ?? mergeMember(shape.rules[index], values, place, shape.names[index], into: &out)
      }
      finish(merged, values, mark, &out)
    }
    func other(_ name: JSONNode) {
      effort += 1
      let key = RawText(name)
      let values = MergeTrio(
        base: baseOthers[key], ours: ourOthers[key], theirs: theirOthers[key], knowsBase: trio.knowsBase)
      let mark = begin(nil, open, &out)
      out.append(name.raw)
      out.append(UInt8(ascii: ":"))
      let text = name.string ?? ""
      let isRecord = place.parent == nil
      let rule = isRecord ? MergeShape.rule(named: text) ?? .any : .any
      finish(mergeMember(rule, values, place, text, into: &out), values, mark, &out)
    }
    if let node = ours.node { for name in ours.others { other(node.at(name)) } }
    if let node = theirs.node {
      for name in theirs.others where ourOthers[RawText(node.at(name))] == nil { other(node.at(name)) }
    }
    if out.count == open { out.append(UInt8(ascii: "{")) }
    out.append(UInt8(ascii: "}"))
    return .written
  }

  private func begin(_ key: UnsafeBufferPointer<UInt8>?, _ open: Int, _ out: inout ByteBuffer) -> Int {
    let mark = out.count
    out.append(mark == open ? UInt8(ascii: "{") : UInt8(ascii: ","))
    if let key { out.append(key) }
    return mark
  }

  /// Writes a side's value behind its name; takes the name away where that side has none.
  private func finish(_ merged: MergeTrio.Merged, _ values: MergeTrio, _ mark: Int, _ out: inout ByteBuffer) {
    let value: JSONNode?
    switch merged {
    case .ours: value = values.ours
    case .theirs: value = values.theirs
    case .written: return
    }
    if let value { out.append(value.raw) } else { out.truncate(to: mark) }
  }

  /// Copies an object as it is but for what somebody else writes into it.
  func copyObject(_ node: JSONNode, _ inserts: Inserts, into out: inout ByteBuffer) {
    guard inserts.number != nil || inserts.id != nil || inserts.steps != nil, node.kind == .object else {
      return out.append(node.raw)
    }
    let open = out.count
    var steps = inserts.steps
    node.forEachMember { name, value in
      _ = begin(nil, open, &out)
      out.append(name.raw)
      out.append(UInt8(ascii: ":"))
      if let write = steps, name.equals("items") {
        write(&out)
        steps = nil
      } else if let id = inserts.id, name.equals("id") {
        out.append(id.raw)
      } else if let number = inserts.number, name.equals("sortOrder") {
        out.append(utf8: String(number))
      } else {
        out.append(value.raw)
      }
    }
    if let steps {
      // A section without an array may have got steps.
      let mark = begin(nil, open, &out)
      out.append("\"items\":")
      let start = out.count
      steps(&out)
      if out.count == start + 2 { out.truncate(to: mark) }
    }
    if out.count == open { out.append(UInt8(ascii: "{")) }
    out.append(UInt8(ascii: "}"))
  }

  /// Whether two elements of a list say the same, but for the number of their place and for what stands in them.
  func sameElement(_ left: JSONNode, _ right: JSONNode, _ shape: MergeShape?) -> Bool {
    effort += 1
    if RawJSON.equal(left, right) { return true }
    guard let shape, left.kind == .object, right.kind == .object else { return false }
    let mine = MergeMembers(left, shape)
    let other = MergeMembers(right, shape)
    for index in shape.rules.indices {
      switch shape.rules[index] {
      case .position, .steps, .identity: continue
      case .text: if !MergeTrio.sameText(mine[index], other[index]) { return false }
      default: if !MergeTrio.same(mine[index], other[index]) { return false }
      }
    }
    guard mine.others.count == other.others.count else { return false }
    guard !mine.others.isEmpty else { return true }
    guard let values = mine.otherValues(), let others = other.otherValues() else { return false }
    return values.allSatisfy { name, value in others[name].map { MergeTrio.same(value, $0) } ?? false }
  }
}
