import Content
import JSONText

/// The merge of one record: its conflicts and their resolutions.
///
/// A run serves one record and one thread. It is valid as long as the nodes.
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
    let trio = ThreeVersions(base: base, ours: ours, theirs: theirs, knowsBase: base != nil)
    let place = MergePlace(nil, .silent, ours: ours, theirs: theirs)
    switch mergeRecord(kind, trio, place, into: &out) {
    case .ours: out.append(ours.raw.span)
    case .theirs: out.append(theirs.raw.span)
    case .written: break
    }
    // Swift's sort is stable, but this is not documented, so the conflict's number decides between equal positions.
    let order = found.indices.sorted { (found[$0].at, $0) < (found[$1].at, $1) }
    return ThreeWayMerge.Outcome(
      line: Array(out.bytes), conflicts: order.map { found[$0].conflict }, undecided: undecided, renamed: renamed,
      effort: effort)
  }

  // MARK: Conflicts

  /// Asks for the resolution of a conflict.
  /// - Parameters:
  ///   - note: an addition to the position in the label.
  ///   - values: the values of the three versions to show; nil to show the merged values themselves.
  ///   - at: the offset in our record that conflicts are sorted by; nil for the value's own offset.
  func resolve(
    _ place: MergePlace, _ trio: ThreeVersions, note: String? = nil, values: (String?, String?, String?)? = nil,
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

  /// Asks for the resolution of a conflict that has two possible outcomes.
  func choose(
    _ place: MergePlace, _ trio: ThreeVersions, note: String? = nil, at: Int? = nil
  ) -> ThreeVersions.Merged {
    resolve(place, trio, note: note, at: at) == .theirs ? .theirs : .ours
  }

  private static func text(_ value: JSONNode?) -> String? {
    value.map { String(decoding: $0.raw, as: UTF8.self) }
  }

  /// Returns the pointer into our record, or into their record if ours has no value there.
  private func pointer(_ place: MergePlace) -> String {
    if let own = place.ours { return ourChildren.pointer(from: ours, to: own.index).description }
    if let parent = place.parent, parent.ours != nil, let name = place.name {
      return pointer(parent) + JSONPointer([.member(name)]).description
    }
    if let other = place.theirs { return theirChildren.pointer(from: theirs, to: other.index).description }
    return place.parent.map(pointer) ?? ""
  }

  /// Returns the offset of a position in our record. If our record does not have that position, this is the end of the
  /// nearest enclosing value.
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
    _ kind: RecordKind, _ trio: ThreeVersions, _ place: MergePlace, into out: inout ByteBuffer
  ) -> ThreeVersions.Merged {
    if let side = trio.trivialMerge(ThreeVersions.same), side == .ours { return side }
    guard let objects = trio.objects else {
      return trio.trivialMerge(ThreeVersions.same) ?? choose(place, trio)
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

  /// The result for an envelope member that the document repeats.
  private enum Repeated {
    case side(ThreeVersions.Merged)
    case text([UInt8])
  }

  /// Merges an item: its envelope and its document.
  ///
  /// The content type and the document are taken together. Envelope members that the document repeats are decided once.
  private func mergeItem(_ trio: ThreeVersions, _ place: MergePlace, into out: inout ByteBuffer) -> ThreeVersions.Merged
  {
    let types = members("content_type", of: trio)
    let documents = members("content_data", of: trio)
    let typeSide = ThreeVersions.same(types.ours, types.theirs) ? nil : resolveType(types, documents, place)
    let twins = typeSide == nil && documents.trivialMerge(ThreeVersions.same) == nil ? documents.objects : nil
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
    _ trio: ThreeVersions, _ shape: MergeShape, _ place: MergePlace, _ repeated: [String: Repeated],
    into out: inout ByteBuffer
  ) -> ThreeVersions.Merged {
    mergeObject(trio, shape, place, into: &out) { index, _, out in
      switch repeated[shape.names[index]] {
      case .side(let side): return side
      case .text(let bytes):
        out.append(bytes.span)
        return .written
      case nil: return nil
      }
    }
  }

  /// Returns the side whose content type and document are taken, if the types differ.
  private func resolveType(_ types: ThreeVersions, _ documents: ThreeVersions, _ place: MergePlace)
    -> ThreeVersions.Merged
  {
    if types.knowsBase {
      if ThreeVersions.same(types.base, types.theirs), ThreeVersions.same(documents.base, documents.theirs) {
        return .ours
      }
      if ThreeVersions.same(types.base, types.ours), ThreeVersions.same(documents.base, documents.ours) {
        return .theirs
      }
    }
    return choose(place.member("content_type", types), types)
  }

  /// Whether the document repeats the envelope's value in all versions.
  private static func isRepeated(_ values: ThreeVersions, _ twins: ThreeVersions) -> Bool {
    ThreeVersions.same(values.ours, twins.ours) && ThreeVersions.same(values.theirs, twins.theirs)
      && ThreeVersions.same(values.base, twins.base)
  }

  private func members(_ name: String, of trio: ThreeVersions) -> ThreeVersions {
    let wanted = Array(name.utf8)
    func value(_ node: JSONNode?) -> JSONNode? {
      var found: JSONNode?
      node?.forEachMember { name, value in if name.inner.elementsEqual(wanted) { found = value } }
      return found
    }
    return ThreeVersions(
      base: value(trio.base), ours: value(trio.ours), theirs: value(trio.theirs), knowsBase: trio.knowsBase)
  }

  // MARK: Objects, member by member

  /// The values that other code writes into an object that is merged or copied.
  struct Inserts {
    /// The number of the object's position; nil leaves the number to the members' rules.
    var number: Int?
    /// The id that is kept.
    var id: JSONNode?
    /// Writes the array of steps.
    var steps: ((inout ByteBuffer) -> Void)?
  }

  /// Writes an object merged from two objects, member by member. Without a shape, all members are merged in the same
  /// way.
  /// - Parameter special: merges some members itself; returns nil for the others.
  /// - Returns: `.written`, or a side if the members are ambiguous.
  func mergeObject(
    _ trio: ThreeVersions, _ shape: MergeShape?, _ place: MergePlace, inserts: Inserts = Inserts(),
    into out: inout ByteBuffer,
    special: (Int, ThreeVersions, inout ByteBuffer) -> ThreeVersions.Merged? = { _, _, _ in nil }
  ) -> ThreeVersions.Merged {
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
      let values = ThreeVersions(
        base: base[index], ours: ours[index], theirs: theirs[index], knowsBase: trio.knowsBase)
      let mark = begin(shape.shape.members[index].key, open, &out)
      let merged: ThreeVersions.Merged
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
      let key = RawString(name)
      let values = ThreeVersions(
        base: baseOthers[key], ours: ourOthers[key], theirs: theirOthers[key], knowsBase: trio.knowsBase)
      let mark = begin(nil, open, &out)
      out.append(name.raw.span)
      out.append(UInt8(ascii: ":"))
      let text = name.string ?? ""
      let isRecord = place.parent == nil
      let rule = isRecord ? Shapes.field(named: text).flatMap { MergeShape.rule(of: $0.merge) } ?? .any : .any
      finish(mergeMember(rule, values, place, text, into: &out), values, mark, &out)
    }
    if let node = ours.node { for name in ours.others { other(node.at(name)) } }
    if let node = theirs.node {
      for name in theirs.others where ourOthers[RawString(node.at(name))] == nil { other(node.at(name)) }
    }
    if out.count == open { out.append(UInt8(ascii: "{")) }
    out.append(UInt8(ascii: "}"))
    return .written
  }

  private func begin(_ key: UnsafeBufferPointer<UInt8>?, _ open: Int, _ out: inout ByteBuffer) -> Int {
    let mark = out.count
    out.append(mark == open ? UInt8(ascii: "{") : UInt8(ascii: ","))
    if let key { out.append(key.span) }
    return mark
  }

  /// Writes a side's value after its name, or removes the name if that side has no value.
  private func finish(_ merged: ThreeVersions.Merged, _ values: ThreeVersions, _ mark: Int, _ out: inout ByteBuffer) {
    let value: JSONNode?
    switch merged {
    case .ours: value = values.ours
    case .theirs: value = values.theirs
    case .written: return
    }
    if let value { out.append(value.raw.span) } else { out.truncate(to: mark) }
  }

  /// Copies an object unchanged except for the values that other code writes into it.
  func copyObject(_ node: JSONNode, _ inserts: Inserts, into out: inout ByteBuffer) {
    guard inserts.number != nil || inserts.id != nil || inserts.steps != nil, node.kind == .object else {
      return out.append(node.raw.span)
    }
    let open = out.count
    var steps = inserts.steps
    node.forEachMember { name, value in
      _ = begin(nil, open, &out)
      out.append(name.raw.span)
      out.append(UInt8(ascii: ":"))
      if let write = steps, name.equals("items") {
        write(&out)
        steps = nil
      } else if let id = inserts.id, name.equals("id") {
        out.append(id.raw.span)
      } else if let number = inserts.number, name.equals("sortOrder") {
        out.append(utf8: String(number))
      } else {
        out.append(value.raw.span)
      }
    }
    if let steps {
      // A section without an array of steps may have received steps.
      let mark = begin(nil, open, &out)
      out.append("\"items\":")
      let start = out.count
      steps(&out)
      if out.count == start + 2 { out.truncate(to: mark) }
    }
    if out.count == open { out.append(UInt8(ascii: "{")) }
    out.append(UInt8(ascii: "}"))
  }

  /// Whether two elements of a list are the same apart from their position numbers and their own elements.
  func sameElement(_ left: JSONNode, _ right: JSONNode, _ shape: MergeShape?) -> Bool {
    effort += 1
    if CanonicalValue.equal(left, right) { return true }
    guard let shape, left.kind == .object, right.kind == .object else { return false }
    let mine = MergeMembers(left, shape)
    let other = MergeMembers(right, shape)
    for index in shape.rules.indices {
      switch shape.rules[index] {
      case .position, .steps, .identity: continue
      case .text: if !ThreeVersions.sameText(mine[index], other[index]) { return false }
      default: if !ThreeVersions.same(mine[index], other[index]) { return false }
      }
    }
    guard mine.others.count == other.others.count else { return false }
    guard !mine.others.isEmpty else { return true }
    guard let values = mine.otherValues(), let others = other.otherValues() else { return false }
    return values.allSatisfy { name, value in others[name].map { ThreeVersions.same(value, $0) } ?? false }
  }

  // MARK: Values, by the kind of the member

  /// The depth to which objects are merged member by member. A deeper object is one value.
  private static let depth = 48

  /// Merges one member.
  private func mergeMember(
    _ rule: MergeShape.Rule, _ trio: ThreeVersions, _ parent: MergePlace, _ name: String, into out: inout ByteBuffer
  ) -> ThreeVersions.Merged {
    switch rule {
    case .identity: return ThreeVersions.isMissing(trio.ours) ? .theirs : .ours
    case .own where !mergesOwn: return .ours
    case .own:
      if let side = trio.trivialMerge(ThreeVersions.same) ?? resolveOwn(name, trio) { return side }
      return mergeContainer(rule, trio, parent, name, into: &out)
    case .text:
      if let side = trio.trivialMerge(ThreeVersions.same) ?? trio.trivialMerge(ThreeVersions.sameText) { return side }
      return mergeText(trio, parent.member(name, trio), into: &out)
    case .document, .tree, .steps, .ticks, .any:
      if let side = trio.trivialMerge(ThreeVersions.same) { return side }
      return mergeContainer(rule, trio, parent, name, into: &out)
    case .tags:
      if let side = trio.trivialMerge(ThreeVersions.same) { return side }
      return mergeTags(trio, into: &out) ? .written : choose(parent.member(name, trio), trio)
    case .created, .updated:
      return mergeTime(trio, isLater: rule == .updated) ?? choose(parent.member(name, trio), trio)
    case .progress:
      if let side = trio.trivialMerge(ThreeVersions.same) { return side }
      return (trio.theirs?.double ?? -1) > (trio.ours?.double ?? -1) ? .theirs : .ours
    case .review:
      if let side = trio.trivialMerge(ThreeVersions.same) { return side }
      return later(trio.ours?.member("lastReviewed"), trio.theirs?.member("lastReviewed"))
        ?? choose(parent.member(name, trio), trio)
    case .position:
      // The order of the array is what matters, so a different number is not a reason to ask.
      return trio.trivialMerge(ThreeVersions.same) ?? (ThreeVersions.isMissing(trio.ours) ? .theirs : .ours)
    case .value:
      return trio.trivialMerge(ThreeVersions.same) ?? choose(parent.member(name, trio), trio)
    }
  }

  private func mergeContainer(
    _ rule: MergeShape.Rule, _ trio: ThreeVersions, _ parent: MergePlace, _ name: String, into out: inout ByteBuffer
  ) -> ThreeVersions.Merged {
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

  /// Merges values of an unknown kind: objects by their members, lists of elements with ids by these ids, and strings
  /// by their lines. Every other value is taken from one side.
  private func mergeAny(_ trio: ThreeVersions, _ place: MergePlace, into out: inout ByteBuffer) -> ThreeVersions.Merged
  {
    if let side = trio.trivialMerge(ThreeVersions.same) { return side }
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

  /// Returns the side that wins if both sides changed a state or a count: a state that waits to be sent is kept, and
  /// the larger count wins. Returns nil for other members.
  private func resolveOwn(_ name: String, _ trio: ThreeVersions) -> ThreeVersions.Merged? {
    switch name {
    case "sync_status", "syncStatus": trio.theirs?.equals("pending") ?? false ? .theirs : .ours
    case "needs_sync": trio.theirs?.bool ?? false ? .theirs : .ours
    case "fork_count", "rating_count": (trio.theirs?.double ?? -1) > (trio.ours?.double ?? -1) ? .theirs : .ours
    case "last_synced_at": later(trio.ours, trio.theirs)
    default: nil
    }
  }

  // MARK: Times

  /// Returns the side whose time counts: the side that changed the time, or, if both sides did, the side with the later
  /// or the earlier time. Returns nil if neither side has a time.
  private func mergeTime(_ trio: ThreeVersions, isLater: Bool) -> ThreeVersions.Merged? {
    if let side = trio.trivialMerge(ThreeVersions.same) { return side }
    guard let mine = Self.time(trio.ours), let other = Self.time(trio.theirs) else {
      // One side removed the time or wrote another value. Any time is better than a missing one.
      if Self.time(trio.ours) != nil { return .ours }
      return Self.time(trio.theirs) != nil ? .theirs : nil
    }
    return isLater == (mine < other) ? .theirs : .ours
  }

  /// Returns the side with the later time; nil if neither time is later.
  private func later(_ ours: JSONNode?, _ theirs: JSONNode?) -> ThreeVersions.Merged? {
    switch (Self.time(ours), Self.time(theirs)) {
    case (let mine?, let other?): mine == other ? nil : mine < other ? .theirs : .ours
    case (nil, _?): .theirs
    case (_?, nil): .ours
    case (nil, nil): nil
    }
  }

  private static func time(_ value: JSONNode?) -> Timestamp? {
    guard let value, value.kind == .string else { return nil }
    return Timestamp.parse(value.inner.span)?.0
  }

  // MARK: Texts and tags

  /// Merges texts that both sides changed: line by line if there are several lines.
  private func mergeText(_ trio: ThreeVersions, _ place: MergePlace, into out: inout ByteBuffer) -> ThreeVersions.Merged
  {
    guard let base = trio.base, let ours = trio.ours, let theirs = trio.theirs, base.kind == .string,
      ours.kind == .string, theirs.kind == .string, Self.hasLines(base) || Self.hasLines(ours) && Self.hasLines(theirs)
    else { return choose(place, trio) }
    // A side that empties a text changes all of its lines.
    guard !ThreeVersions.isBlank(ours), !ThreeVersions.isBlank(theirs) else { return choose(place, trio) }
    let merge = TextMerge(base: base.textBytes, ours: ours.textBytes, theirs: theirs.textBytes)
    effort += merge.effort
    var takesTheirs = false
    if !merge.conflicts.isEmpty {
      switch resolve(place, trio, note: ConflictTerms.lines(merge.conflicts)) {
      case .undecided: return .ours
      case .ours: break
      case .theirs: takesTheirs = true
      }
    }
    out.appendJSONString(merge.text(takingTheirs: takesTheirs).span)
    return .written
  }

  /// Whether a text has more than one line. A canonical line contains a line end as `\n`.
  private static func hasLines(_ text: JSONNode) -> Bool {
    text.token.flags.contains(.escaped) && text.textBytes.contains(0x0A)
  }

  /// Merges tags that both sides changed. The result is our tags without the tags that theirs removed, and with the
  /// tags that theirs added, each after the tag that precedes it there. Tags never conflict.
  /// - Returns: whether the values are tags.
  private func mergeTags(_ trio: ThreeVersions, into out: inout ByteBuffer) -> Bool {
    var numbers: [RawString: Int] = [:]
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
        let number = numbers[RawString(tag)] ?? values.count
        if number == values.count {
          numbers[RawString(tag)] = number
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
      out.append(values[tag].raw.span)
    }
    out.append(UInt8(ascii: "]"))
    return true
  }

  // MARK: The ticks of an execution

  /// Merges ticks, each step separately, in the order of the steps' ids.
  private func mergeTicks(_ trio: ThreeVersions, _ place: MergePlace, into out: inout ByteBuffer)
    -> ThreeVersions.Merged
  {
    guard let base = MergeMembers(trio.base, nil).otherValues(), let ours = MergeMembers(trio.ours, nil).otherValues(),
      let theirs = MergeMembers(trio.theirs, nil).otherValues()
    else { return choose(place, trio) }
    let ids = Set(ours.keys).union(theirs.keys).sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    let open = out.count
    for id in ids {
      effort += 1
      let values = ThreeVersions(base: base[id], ours: ours[id], theirs: theirs[id], knowsBase: trio.knowsBase)
      let mark = out.count
      out.append(mark == open ? UInt8(ascii: "{") : UInt8(ascii: ","))
      out.append(UInt8(ascii: "\""))
      out.append(id.bytes.span)
      out.append("\":")
      switch mergeTick(values, id, place, into: &out) {
      case .written: continue
      case .ours: if let tick = values.ours { out.append(tick.raw.span) } else { out.truncate(to: mark) }
      case .theirs: if let tick = values.theirs { out.append(tick.raw.span) } else { out.truncate(to: mark) }
      }
    }
    if out.count == open { out.append(UInt8(ascii: "{")) }
    out.append(UInt8(ascii: "}"))
    return .written
  }

  private func mergeTick(
    _ trio: ThreeVersions, _ id: RawString, _ parent: MergePlace, into out: inout ByteBuffer
  ) -> ThreeVersions.Merged {
    if let side = trio.trivialMerge(ThreeVersions.same) { return side }
    let place = MergePlace(
      parent, .member("tick of step \(id.text)"), name: id.text, ours: trio.ours, theirs: trio.theirs)
    guard let objects = trio.objects else {
      let note = trio.ours == nil ? "deleted by ours" : trio.theirs == nil ? "deleted by theirs" : nil
      return choose(place, trio, note: note)
    }
    // The tick and its time belong together.
    let checked = members("checked", of: objects)
    let times = members("checkedAt", of: objects)
    var side = checked.trivialMerge(ThreeVersions.same)
    if ThreeVersions.same(checked.ours, checked.theirs) {
      side = times.trivialMerge(ThreeVersions.same) ?? later(times.ours, times.theirs) ?? .ours
    } else if side != nil, checked.knowsBase {
      // The side that changed the tick wins, unless the other side set the tick again.
      let isOurs = side == .ours
      let untouched = isOurs ? times.theirs : times.ours
      if !ThreeVersions.same(times.base, untouched) { side = nil }
    }
    let taken = side ?? choose(place.member("checked", checked), checked)
    return mergeObject(objects, .tick, place, into: &out) { index, _, _ in
      ["checked", "checkedAt"].contains(MergeShape.tick.names[index]) ? taken : nil
    }
  }
}
