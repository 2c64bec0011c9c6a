import Content
import JSONText

/// The merge of one record: which conflicts it met, and how they were decided.
///
/// Serves one record and one thread; valid as long as the nodes are.
final class MergeRun {
  private let mergesOwn: Bool
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

  // MARK: Records, by their kinds

  /// Merges the record itself.
  private func mergeRecord(
    _ kind: RecordKind, _ trio: MergeTrio, _ place: MergePlace, into out: inout ByteBuffer
  ) -> MergeTrio.Merged {
    if let side = trio.settled(MergeTrio.same), side == .ours { return side }
    guard let objects = trio.objects else {
      return trio.settled(MergeTrio.same) ?? choose(place, trio)
    }
    switch kind {
    case .item: return mergeItem(objects, place, into: &out)
    case .charter: return mergeObject(objects, .charter, place, into: &out)
    case .execution: return mergeObject(objects, .execution, place, into: &out)
    case .syncOperation: return mergeObject(objects, .operation, place, into: &out)
    default: return mergeObject(objects, nil, place, into: &out)
    }
  }

  // MARK: Items

  /// What came of a member of the envelope that the document repeats.
  private enum Repeated {
    case side(MergeTrio.Merged)
    case text([UInt8])
  }

  /// Merges an item: its envelope and its document.
  ///
  /// The kind of content and the document go together. What the document repeats of the envelope is decided once.
  private func mergeItem(_ trio: MergeTrio, _ place: MergePlace, into out: inout ByteBuffer) -> MergeTrio.Merged {
    let types = members("content_type", of: trio)
    let documents = members("content_data", of: trio)
    let typeSide = MergeTrio.same(types.ours, types.theirs) ? nil : settleType(types, documents, place)
    let twins = typeSide == nil && documents.settled(MergeTrio.same) == nil ? documents.objects : nil
    var repeated: [String: Repeated] = [:]
    return mergeObject(trio, .item, place, into: &out) { index, values, out in
      let name = MergeShape.item.names[index]
      switch name {
      case "content_type": return typeSide
      case "content_data":
        if let typeSide { return typeSide }
        guard let twins, let shape = MergeShape.document(types.ours) else { return nil }
        let inner = place.member(name, twins, silent: true)
        return mergeDocument(twins, shape, inner, repeated, into: &out)
      case "title", "description", "tags":
        guard let twins, Self.isRepeated(values, members(name, of: twins)) else { return nil }
        let mark = out.count
        let merged = mergeMember(MergeShape.item.rules[index], values, place, name, into: &out)
        repeated[name] = merged == .written ? .text(out.copy(mark..<out.count)) : .side(merged)
        return merged
      default: return nil
      }
    }
  }

  private func mergeDocument(
    _ trio: MergeTrio, _ shape: MergeShape, _ place: MergePlace, _ repeated: [String: Repeated],
    into out: inout ByteBuffer
  ) -> MergeTrio.Merged {
    mergeObject(trio, shape, place, into: &out) { index, _, out in
      switch repeated[shape.names[index]] {
      case .side(let side): return side
      case .text(let bytes):
        bytes.withUnsafeBufferPointer { out.append($0) }
        return .written
      case nil: return nil
      }
    }
  }

  /// The side whose kind of content and document are taken, where the kinds differ.
  private func settleType(_ types: MergeTrio, _ documents: MergeTrio, _ place: MergePlace) -> MergeTrio.Merged {
    if types.knowsBase {
      if MergeTrio.same(types.base, types.theirs), MergeTrio.same(documents.base, documents.theirs) { return .ours }
      if MergeTrio.same(types.base, types.ours), MergeTrio.same(documents.base, documents.ours) { return .theirs }
    }
    return choose(place.member("content_type", types), types)
  }

  /// Whether the document says in all versions what the envelope says.
  private static func isRepeated(_ values: MergeTrio, _ twins: MergeTrio) -> Bool {
    MergeTrio.same(values.ours, twins.ours) && MergeTrio.same(values.theirs, twins.theirs)
      && MergeTrio.same(values.base, twins.base)
  }

  private func members(_ name: String, of trio: MergeTrio) -> MergeTrio {
    let wanted = Array(name.utf8)
    func value(_ node: JSONNode?) -> JSONNode? {
      var found: JSONNode?
      node?.forEachMember { name, value in if name.inner.elementsEqual(wanted) { found = value } }
      return found
    }
    return MergeTrio(
      base: value(trio.base), ours: value(trio.ours), theirs: value(trio.theirs), knowsBase: trio.knowsBase)
  }

  // MARK: Objects, member by member

  /// What another part writes into an object that is merged or copied.
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
      let rule = isRecord ? Shapes.field(named: text).flatMap { MergeShape.rule(of: $0.merge) } ?? .any : .any
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

  /// Copies an object as it is but for what another part writes into it.
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

  // MARK: Values, by what kind of member they are

  /// How deep objects are merged member by member; what is deeper is one value.
  private static let depth = 48

  /// Merges one member.
  private func mergeMember(
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
      // The order of the array counts; the number is not a reason to ask.
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
  private func mergeAny(_ trio: MergeTrio, _ place: MergePlace, into out: inout ByteBuffer) -> MergeTrio.Merged {
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
  private func later(_ ours: JSONNode?, _ theirs: JSONNode?) -> MergeTrio.Merged? {
    switch (Self.time(ours), Self.time(theirs)) {
    case (let mine?, let other?): mine == other ? nil : mine < other ? .theirs : .ours
    case (nil, _?): .theirs
    case (_?, nil): .ours
    case (nil, nil): nil
    }
  }

  private static func time(_ value: JSONNode?) -> Timestamp? {
    guard let value, value.kind == .string else { return nil }
    return Timestamp.parse(value.inner)?.0
  }

  // MARK: Texts and tags

  /// Merges texts that both sides changed: line by line where there is more than one.
  private func mergeText(_ trio: MergeTrio, _ place: MergePlace, into out: inout ByteBuffer) -> MergeTrio.Merged {
    guard let base = trio.base, let ours = trio.ours, let theirs = trio.theirs, base.kind == .string,
      ours.kind == .string, theirs.kind == .string, Self.hasLines(base) || Self.hasLines(ours) && Self.hasLines(theirs)
    else { return choose(place, trio) }
    // Who empties a text says something about all of its lines.
    guard !MergeTrio.isBlank(ours), !MergeTrio.isBlank(theirs) else { return choose(place, trio) }
    let merge = TextMerge(base: base.textBytes, ours: ours.textBytes, theirs: theirs.textBytes)
    effort += merge.effort
    var takesTheirs = false
    if !merge.conflicts.isEmpty {
      switch settle(place, trio, note: MergeWords.lines(merge.conflicts)) {
      case .undecided: return .ours
      case .ours: break
      case .theirs: takesTheirs = true
      }
    }
    merge.text(takingTheirs: takesTheirs).withUnsafeBufferPointer { out.appendJSONString($0) }
    return .written
  }

  /// Whether a text has more than one line: in a canonical line an ending is written `\n`.
  private static func hasLines(_ text: JSONNode) -> Bool {
    text.token.flags.contains(.escaped) && text.textBytes.contains(0x0A)
  }

  /// Merges tags that both sides changed: ours without those that theirs took away, and those that theirs added behind
  /// what they stand behind there. Tags never conflict.
  /// - Returns: whether they are tags.
  private func mergeTags(_ trio: MergeTrio, into out: inout ByteBuffer) -> Bool {
    var numbers: [RawText: Int] = [:]
    var values: [JSONNode] = []
    func list(_ node: JSONNode?) -> [Int]? {
      guard let node, !node.isNull else { return [] }
      guard node.kind == .array else { return nil }
      var list: [Int] = []
      var seen = Set<Int>()
      var isSound = true
      node.forEachElement { tag in
        effort += 1
        guard tag.kind == .string else {
          isSound = false
          return
        }
        let number = numbers[RawText(tag)] ?? values.count
        if number == values.count {
          numbers[RawText(tag)] = number
          values.append(tag)
        }
        if seen.insert(number).inserted { list.append(number) }
      }
      return isSound ? list : nil
    }
    guard let ours = list(trio.ours), let theirs = list(trio.theirs) else { return false }
    let base = list(trio.base) ?? []
    let (old, mine, other) = (Set(base), Set(ours), Set(theirs))
    let stays = { (tag: Int) in mine.contains(tag) && other.contains(tag) || !old.contains(tag) }
    var order = OrderMerge()
    let merged = order.merge(base: base, ours: ours.filter(stays), theirs: theirs.filter(stays)) { .ours }
    effort += order.effort
    out.append(UInt8(ascii: "["))
    for (index, tag) in merged.enumerated() {
      if index > 0 { out.append(UInt8(ascii: ",")) }
      out.append(values[tag].raw)
    }
    out.append(UInt8(ascii: "]"))
    return true
  }

  // MARK: The ticks of an execution

  /// Merges ticks, each step's by itself, in the order of the steps' ids.
  private func mergeTicks(_ trio: MergeTrio, _ place: MergePlace, into out: inout ByteBuffer) -> MergeTrio.Merged {
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
