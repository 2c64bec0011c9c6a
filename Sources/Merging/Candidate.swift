import Content
import Foundation
import JSONText

/// A source's record together with the library's record with the same identity. Determines whether the two records are
/// the same, and what the library would hold if the source won.
///
/// Content is taken from the source. Publication is not taken unless it is restored: visibility, public ids and the
/// synchronization state stay the library's own. One candidate serves one thread and is loaded again for every record.
final class Candidate {
  let kind: RecordKind
  let source: MemberSlots
  let existing: MemberSlots
  private var documents: [ContentType: (source: MemberSlots, existing: MemberSlots)] = [:]
  private(set) var document: (source: MemberSlots, existing: MemberSlots)?
  /// The ids of records that have another id in the library.
  private let aligned: AlignedIDs
  /// Whether the ticks of both sides are kept if an execution exists on both sides.
  var unitesTicks = true
  /// Whether publication is taken from sources, as when a backup is restored.
  private let mayRestorePublishing: Bool
  /// Whether publication is taken from this record. A public item without a public id could never be withdrawn.
  private(set) var restoresPublishing = false
  private var timeOrigin: TimeOrigin = []
  /// The time when the library last changed its content, if the source has no time and still contains what was written
  /// to it.
  var updatedWhenWritten: Timestamp?

  /// The origin of the source's times, if they are not the times at which people changed the record.
  private struct TimeOrigin: OptionSet {
    let rawValue: UInt8
    /// The time of creation comes from the source's file. It changes with every copy and decides nothing.
    static let createdFromFile = TimeOrigin(rawValue: 1)
    /// The time of the last change comes from the source's file.
    static let updatedFromFile = TimeOrigin(rawValue: 2)
    /// The times come from the library that the source was written from. They show how old the source is, not when it
    /// was edited.
    static let ofExport = TimeOrigin(rawValue: 4)
  }

  /// How the library's record is written where the two sides do not determine it.
  struct Terms {
    /// The modification time of a record whose source has no time.
    let now: Timestamp
    /// Whether the library's values win, so that only values that the library does not have are taken from the source.
    var libraryWins = false
    /// Whether the library's times are kept regardless of the source's times. A modification time is not content.
    var keepsTimes = false
    /// The time when the record was changed, if neither side alone determines this time.
    var changed: Timestamp?
    /// The times that the library gives to a new item that has none.
    var standIns: (created: Timestamp, updated: Timestamp)?
  }

  init(_ kind: RecordKind, _ aligned: AlignedIDs = AlignedIDs(), mayRestorePublishing: Bool = false) {
    self.kind = kind
    self.aligned = aligned
    self.mayRestorePublishing = mayRestorePublishing
    source = MemberSlots(Shapes.record(kind))
    existing = MemberSlots(Shapes.record(kind))
    guard kind == .item else { return }
    for type in ContentType.allCases {
      documents[type] = (MemberSlots(Shapes.document(type)), MemberSlots(Shapes.document(type)))
    }
  }

  /// Loads a record of the source and the library's record, if there is one. Both must stay valid until the next load.
  /// - Parameter hasTimesOfExport: whether the source keeps its times when it is edited, as tables do.
  func load(_ node: JSONNode, existing other: JSONNode?, hasTimesOfExport: Bool = false) {
    timeOrigin = hasTimesOfExport ? .ofExport : []
    source.load(node)
    existing.load(other)
    updatedWhenWritten = nil
    document = nil
    restoresPublishing = mayRestorePublishing && !(kind == .item && node.isPublicWithoutID)
    guard kind == .item else { return }
    let provenance = source["extras"]?.member("provenance")
    if provenance?.member("created_at")?.equals("file") ?? false { timeOrigin.insert(.createdFromFile) }
    if provenance?.member("updated_at")?.equals("file") ?? false { timeOrigin.insert(.updatedFromFile) }
    let type = source["content_type"]?.string.flatMap(ContentType.init(rawValue:)) ?? .checklist
    document = documents[type]
    document?.source.load(source["content_data"])
    let hasSameType = existing["content_type"]?.string == type.rawValue
    document?.existing.load(hasSameType ? existing["content_data"] : nil)
  }

  /// Whether the source's item was published in its own library.
  var isPublishedElsewhere: Bool {
    source["public_id"] != nil || source["server_id"] != nil || source["public_metadata"] != nil
      || source["visibility"].map { !$0.equals("private") } ?? false
  }

  /// Whether neither side has a body.
  var hasNoBody: Bool { kind == .item && source["content_data"] == nil && existing["content_data"] == nil }

  /// Whether the source has ticks on steps that have no tick in the library's record.
  var addsTicks: Bool {
    kind == .execution && unitesTicks
      && !TickUnion.names(source["item_states"]).isSubset(
        of: TickUnion.names(existing["item_states"]))
  }

  /// Whether the library's record is published.
  var isPublished: Bool {
    existing["public_id"] != nil || existing["visibility"].map { $0.equals("public") } ?? false
  }

  /// Whether the library's record would be published in its current state if the source's publication were taken.
  var keepsPublication: Bool {
    Self.equal(source["public_id"], existing["public_id"])
      && (source["visibility"]?.equals("private") ?? true) == (existing["visibility"]?.equals("private") ?? true)
  }

  /// The times at which the two sides were last changed; nil for a side that has no time.
  var times: (source: Timestamp?, existing: Timestamp?) {
    (
      timeOrigin.contains(.updatedFromFile) ? updatedWhenWritten : time(source, \.source), time(existing, \.existing)
    )
  }

  private func time(
    _ slots: MemberSlots, _ side: KeyPath<(source: MemberSlots, existing: MemberSlots), MemberSlots>
  ) -> Timestamp? {
    let value = slots["updated_at"] ?? slots["last_updated"] ?? document?[keyPath: side]["updatedAt"]
    guard let value, value.kind == .string else { return nil }
    return Timestamp.parse(value.inner.span)?.0
  }

  // MARK: Comparing

  /// Whether the library already has everything that the source contains.
  var isSame: Bool { same(source, existing) }

  private func same(_ mine: MemberSlots, _ theirs: MemberSlots) -> Bool {
    for index in mine.rules.indices {
      switch mine.rules[index] {
      case .publication where restoresPublishing:
        if !samePublication(mine, theirs, index) { return false }
      case .publication, .status, .statistics, .id, .extras: continue
      case .created where isFromFile(.created), .updated where isFromFile(.updated): continue
      case .created, .updated, .optional:
        if let value = mine[index], !Self.equal(value, theirs[index]) { return false }
      case .ticks where unitesTicks:
        if let ticks = mine[index], !TickUnion.contains(theirs[index], ticks) { return false }
      case .reference:
        if !equalReference(mine[index], theirs[index]) { return false }
      case .document:
        guard mine[index] != nil, let document else { continue }
        if theirs[index] == nil || document.existing.node == nil || !same(document.source, document.existing) {
          return false
        }
      case .parts, .content, .ticks, .kind, .completed, .progress, .steps, .position, .review:
        if !Self.equal(mine[index], theirs[index]), !replacesMissingDay(mine, theirs, index) { return false }
      }
    }
    return true
  }

  /// Whether the library replaces a day that is missing from the source with the charter's other day.
  private func replacesMissingDay(_ mine: MemberSlots, _ theirs: MemberSlots, _ index: Int) -> Bool {
    guard kind == .charter, mine[index] == nil, mine.shape.members[index].kind == .date else { return false }
    return Self.equal(theirs["start_date"], theirs["end_date"])
  }

  /// Whether the two sides have the same publication. A missing value equals the app's default.
  private func samePublication(_ mine: MemberSlots, _ theirs: MemberSlots, _ index: Int) -> Bool {
    if Self.equal(mine[index], theirs[index]) { return true }
    let member = mine.shape.members[index]
    return [mine[index], theirs[index]].allSatisfy { $0.map { Self.isDefault($0, member) } ?? true }
  }

  /// Whether a time of the source is not the content's own time, but the time of the file or export that the content
  /// comes from.
  private func isFromFile(_ time: MergePolicy) -> Bool {
    if timeOrigin.isEmpty { return false }
    if timeOrigin.contains(.ofExport), existing.node != nil { return true }
    return timeOrigin.contains(time == .created ? .createdFromFile : .updatedFromFile)
  }

  private static func equal(_ left: JSONNode?, _ right: JSONNode?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return CanonicalValue.equal(left, right)
  }

  private func equalReference(_ left: JSONNode?, _ right: JSONNode?) -> Bool {
    if aligned.isEmpty { return Self.equal(left, right) }
    guard let id = left?.string, let new = aligned[id] else { return Self.equal(left, right) }
    return right?.string == new
  }

  // MARK: Writing

  /// Whether the source's record has members that have no column.
  fileprivate var hasUnknown: Bool { !source.unknown.isEmpty || !(document?.source.unknown.isEmpty ?? true) }

  /// Whether the source's line can be used unchanged for a new record.
  var isPlain: Bool {
    aligned.isEmpty && !hasUnknown && plain(source)
      && (document.map { $0.source.node == nil || plain($0.source) } ?? true)
  }

  private func plain(_ slots: MemberSlots) -> Bool {
    for index in slots.rules.indices {
      switch slots.rules[index] {
      case .publication where !restoresPublishing:
        if let value = slots[index], !Self.isDefault(value, slots.shape.members[index]) { return false }
      case .status:
        if let value = slots[index], !value.equals("pending") { return false }
      case .extras: if slots[index] != nil { return false }
      default: continue
      }
    }
    return true
  }

  private static func isDefault(_ value: JSONNode, _ member: ShapeMember) -> Bool {
    member.absent == .literal && value.raw.elementsEqual(member.literal)
  }

  /// Writes what the library would hold.
  /// - Parameters:
  ///   - terms: how the record is written where the two sides do not determine it.
  ///   - withUnknown: whether to write members that have no column, for the list of losses.
  func write(id: UnsafeBufferPointer<UInt8>, _ terms: Terms, withUnknown: Bool, into out: inout ByteBuffer) {
    write(source, existing, id: id, terms, withUnknown: withUnknown, into: &out)
  }

  /// Whether the source's item lacks a time that the library will add if the item is new.
  ///
  /// Decks are excluded, because they are not stored as rows.
  var lacksTimes: Bool {
    guard kind == .item, source["content_type"]?.equals("flashcard_deck") != true else { return false }
    return source["created_at"] == nil || source["updated_at"] == nil || document?.source["createdAt"] == nil
      || document?.source["updatedAt"] == nil
  }

  /// Writes what the library will return for a new item. Times that the source does not have are taken from the item's
  /// row.
  fileprivate func writeWithTimes(id: UnsafeBufferPointer<UInt8>, now: Timestamp, into out: inout ByteBuffer) {
    func time(_ slots: MemberSlots?, _ member: StaticString) -> Timestamp? {
      guard let value = slots?[member], value.kind == .string else { return nil }
      return Timestamp.parse(value.inner.span)?.0
    }
    let created = time(source, "created_at") ?? time(document?.source, "createdAt")
    let updated = time(source, "updated_at") ?? time(document?.source, "updatedAt")
    let instead = created ?? updated ?? now
    let standIns = (created: created ?? instead, updated: updated ?? instead)
    write(id: id, Terms(now: now, standIns: standIns), withUnknown: false, into: &out)
  }

  private func write(
    _ mine: MemberSlots, _ theirs: MemberSlots, id: UnsafeBufferPointer<UInt8>, _ terms: Terms, withUnknown: Bool,
    into out: inout ByteBuffer
  ) {
    let isNew = theirs.node == nil
    var separator = UInt8(ascii: "{")
    for index in mine.rules.indices {
      let member = mine.shape.members[index]
      let rule = mine.rules[index]
      let isTime = rule == .created || rule == .updated
      let value: JSONNode?
      switch rule {
      case .ticks where unitesTicks: value = nil
      case _ where terms.libraryWins: value = theirs[index]
      case .extras: continue
      case .publication: value = restoresPublishing ? mine[index] : theirs[index]
      case .status: value = restoredStatus(mine[index])
      case .statistics: value = isNew ? mine[index] : theirs[index]
      case _ where isTime && terms.keepsTimes && !isNew: value = theirs[index]
      case _ where isTime && !isNew && isFromFile(rule): value = rule == .created ? theirs[index] : nil
      case .created, .updated, .optional: value = mine[index] ?? theirs[index]
      case .document: value = mine[index] ?? theirs[index]
      default: value = mine[index]
      }
      if value == nil, member.absent == .omit, rule != .parts { continue }
      out.append(separator)
      separator = UInt8(ascii: ",")
      out.append(member.key.span)
      switch rule {
      case .id:
        out.append(UInt8(ascii: "\""))
        out.append(id.span)
        out.append(UInt8(ascii: "\""))
      case .status:
        if let value { out.append(value.raw.span) } else { out.append("\"pending\"") }
      case .reference: writeReference(value, into: &out)
      case .ticks where unitesTicks:
        let (first, second) = terms.libraryWins ? (theirs[index], mine[index]) : (mine[index], theirs[index])
        TickUnion.write(first, second, into: &out)
      case .updated where terms.changed != nil:
        if let changed = terms.changed { out.appendJSONDate(changed) }
      case _
      where isTime && !terms.libraryWins && !terms.keepsTimes
        && (value == nil || (mine[index] == nil && rule == .updated)):
        if let standIns = terms.standIns, isNew {
          out.appendJSONDate(rule == .created ? standIns.created : standIns.updated)
        } else if isNew {
          out.append("null")
        } else {
          out.appendJSONDate(terms.now)
        }
      case .document where mine[index] != nil:
        if let document {
          write(document.source, document.existing, id: id, terms, withUnknown: withUnknown, into: &out)
        } else {
          out.append("null")
        }
      default:
        if let value {
          out.append(value.raw.span)
        } else if member.absent == .literal, rule != .document {
          out.append(member.literal.span)
        } else {
          out.append("null")
        }
      }
    }
    if withUnknown, let node = mine.node {
      for name in mine.unknown {
        out.append(UInt8(ascii: ","))
        out.append(node.at(name).raw.span)
        out.append(UInt8(ascii: ":"))
        out.append(node.at(name + 1).raw.span)
      }
    }
    out.append(UInt8(ascii: "}"))
  }

  /// The synchronization state that is restored with a record; nil if the record starts with a new state.
  ///
  /// An operation that was waiting no longer waits, because the queue is not restored. A published item whose text
  /// differs must be published again.
  private func restoredStatus(_ value: JSONNode?) -> JSONNode? {
    guard restoresPublishing, !isPublished, let value, !value.equals("queued"), !value.equals("syncing") else {
      return nil
    }
    return value
  }

  private func writeReference(_ value: JSONNode?, into out: inout ByteBuffer) {
    guard let value else { return out.append("null") }
    if let id = value.string, let new = aligned[id] { return out.appendJSONString(new) }
    out.append(value.raw.span)
  }
}

/// The members of a canonical object by their position in its shape, and its unknown members.
final class MemberSlots {
  let shape: Shape
  /// The import policies of the shape's members, in the shape's order.
  let rules: [MergePolicy]
  private let slots: UnsafeMutableBufferPointer<Int>
  private(set) var node: JSONNode?
  /// Token indices of the names of unknown members.
  private(set) var unknown: [Int] = []

  init(_ shape: Shape) {
    self.shape = shape
    rules = shape.members.map(\.field.merge)
    slots = .allocate(capacity: shape.members.count)
    slots.initialize(repeating: -1)
  }

  deinit { slots.deallocate() }

  /// Finds the members of an object. If the object is nil, all slots become empty.
  func load(_ node: JSONNode?) {
    self.node = node
    slots.update(repeating: -1)
    if !unknown.isEmpty { unknown.removeAll(keepingCapacity: true) }
    guard let node, node.kind == .object else { return }
    var hint = 0
    let end = Int(node.token.next)
    var child = node.index + 1
    while child < end {
      let index = shape.index(of: node.at(child).inner.span, from: hint)
      if index >= 0 {
        slots[index] = child + 1
        hint = index + 1
      } else {
        unknown.append(child)
      }
      child = Int(node.tokens[child + 1].next)
    }
  }

  /// Returns the value of a member; nil if the member is missing or null.
  subscript(index: Int) -> JSONNode? {
    guard let node, slots[index] >= 0 else { return nil }
    let value = node.at(slots[index])
    return value.isNull ? nil : value
  }

  /// Returns the value of a member by name; nil if the member is missing or null.
  subscript(name: StaticString) -> JSONNode? {
    let index = name.withUTF8Buffer { shape.index(of: $0.span, from: 0) }
    return index < 0 ? nil : self[index]
  }
}

/// Combines the ticks of two versions of an execution, so that the result has every step that either version has.
///
/// Ticks of different steps are independent, so a version with fewer steps does not remove ticks.
enum TickUnion {
  /// Returns the ids of the steps.
  static func names(_ ticks: JSONNode?) -> Set<String> {
    var names = Set<String>()
    ticks?.forEachMember { name, _ in names.insert(name.string ?? "") }
    return names
  }

  /// Whether `all` contains everything in `some`.
  static func contains(_ all: JSONNode?, _ some: JSONNode) -> Bool {
    let mine = members(some)
    let theirs = members(all)
    return mine.allSatisfy { id, tick in
      guard let other = theirs[id] else { return false }
      return tick.raw.elementsEqual(other.raw) || notes(tick) == nil && isSame(tick, other)
    }
  }

  /// Writes the ticks of both versions in the order of the step ids. If both have a tick for a step, the first
  /// version's is used. Notes are kept even if only the second version has them.
  static func write(_ first: JSONNode?, _ second: JSONNode?, into out: inout ByteBuffer) {
    let mine = members(first)
    let theirs = members(second)
    out.append(UInt8(ascii: "{"))
    for (index, id) in Set(mine.keys).union(theirs.keys).sorted().enumerated() {
      if index > 0 { out.append(UInt8(ascii: ",")) }
      out.appendJSONString(id)
      out.append(UInt8(ascii: ":"))
      guard let tick = mine[id] ?? theirs[id] else { continue }
      if notes(tick) == nil, let kept = theirs[id].flatMap(notes) {
        let raw = tick.raw
        out.append(UnsafeBufferPointer(rebasing: raw[..<(raw.count - 1)]).span)
        out.append(tick.token.count > 0 ? ",\"notes\":" : "\"notes\":")
        out.append(kept.raw.span)
        out.append(UInt8(ascii: "}"))
      } else {
        out.append(tick.raw.span)
      }
    }
    out.append(UInt8(ascii: "}"))
  }

  private static func members(_ ticks: JSONNode?) -> [String: JSONNode] {
    var all: [String: JSONNode] = [:]
    ticks?.forEachMember { name, tick in all[name.string ?? ""] = tick }
    return all
  }

  private static func notes(_ tick: JSONNode) -> JSONNode? {
    guard let notes = tick.member("notes"), !notes.isNull else { return nil }
    return notes
  }

  /// Whether two ticks are the same apart from their notes.
  private static func isSame(_ left: JSONNode, _ right: JSONNode) -> Bool {
    left.member("checked")?.bool == right.member("checked")?.bool
      && left.member("checkedAt")?.string == right.member("checkedAt")?.string
  }
}

/// Composes the line that the library would hold for a record.
///
/// The line is valid until the next record is composed.
final class RecordComposer {
  private let scratch = ScratchLine(capacity: 1 << 14, tokens: 1024)
  /// The modification time of records whose source has no time.
  let now: Timestamp

  init(now: Timestamp) { self.now = now }

  /// Whether the composed line is the source's line, byte for byte.
  private(set) var isSource = false

  /// The last composed line.
  var line: UnsafeBufferPointer<UInt8> { scratch.bytes.bytes }

  /// Returns the last composed record.
  func record() throws -> JSONNode { try scratch.parse() }

  /// Returns when the last composed record was changed.
  func changed() throws -> Timestamp? { SourceRecord.changed(try record()) }

  /// Composes what the library would hold if the source won.
  /// - Parameters:
  ///   - target: the record's id in the library, if it has one.
  ///   - terms: the values that the two sides do not determine; nil for the default.
  ///   - isPack: whether the source is a pack, whose versions follow each other.
  /// - Returns: the SHA-256 of what the library will return, which is the line without members that have no column.
  func compose(
    _ candidate: Candidate, _ incoming: SourceRecord, target: String?, _ terms: Candidate.Terms? = nil, isPack: Bool
  ) -> [UInt8] {
    let terms = terms ?? Candidate.Terms(now: now)
    // If two files of a folder have no times, it is unknown which one is right.
    let isTable = incoming.coverage != nil
    guard target == nil, isTable || isPack, candidate.lacksTimes else {
      return write(candidate, incoming, target: target, terms)
    }
    // The row gets times, and the next import compares with what the library has then. The composed line has no times,
    // so that the missing times are reported.
    isSource = false
    scratch.bytes.removeAll()
    candidate.writeWithTimes(id: incoming.id, now: now, into: &scratch.bytes)
    let hash = Digest.sha256(line.span)
    // Tables never have times, so there is nothing to report.
    if isTable, !candidate.hasUnknown { return hash }
    _ = write(candidate, incoming, target: target, terms)
    return hash
  }

  private func write(
    _ candidate: Candidate, _ incoming: SourceRecord, target: String?, _ terms: Candidate.Terms
  ) -> [UInt8] {
    scratch.bytes.removeAll()
    isSource = target == nil && candidate.isPlain
    if isSource {
      scratch.bytes.append(incoming.line.span)
      return incoming.hash ?? Digest.sha256(line.span)
    }
    let id = Array((target ?? incoming.idText).utf8)
    return id.withUnsafeBufferPointer { id in
      candidate.write(id: id, terms, withUnknown: false, into: &scratch.bytes)
      let hash = Digest.sha256(line.span)
      guard candidate.hasUnknown else { return hash }
      scratch.bytes.removeAll()
      candidate.write(id: id, terms, withUnknown: true, into: &scratch.bytes)
      return hash
    }
  }
}
