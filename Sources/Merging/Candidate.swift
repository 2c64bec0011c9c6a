import Content
import Foundation
import JSONText

/// A record of a source beside the library's record of the same identity: are they the same, and what would the
/// library hold if the source won?
///
/// Content is taken, publication never, unless it is restored: visibility, public ids and the state of
/// synchronisation are the library's own. One candidate serves one thread and is loaded again for every record.
final class Candidate {
  private let kind: RecordKind
  private let source: MemberSlots
  private let existing: MemberSlots
  private var documents: [ContentType: (source: MemberSlots, existing: MemberSlots)] = [:]
  private var document: (source: MemberSlots, existing: MemberSlots)?
  /// Ids of records that went under another id, by the id that the source uses.
  var moved: [String: String] = [:]
  /// Whether ticks of both sides are kept when an execution is in both.
  var unitesTicks = true
  /// Whether everything but what only the source has is the library's.
  var libraryWins = false
  /// Whether publication is taken from the source, as a backup is taken that is restored.
  var restoresPublishing = false
  private var now = Timestamp(milliseconds: 0)
  /// The times that the library gives an item that says none, while such an item is written.
  private var standIns: (created: Timestamp, updated: Timestamp)?
  /// Whether the source's times are those of its file, which change with every copy and decide nothing.
  private var isCreatedFromFile = false
  private var isUpdatedFromFile = false
  /// Sections or cards of the source with the ids of the library's, when they had to be found by their titles.
  private var sections: [UInt8]?

  init(_ kind: RecordKind) {
    self.kind = kind
    source = MemberSlots(Shapes.record(kind))
    existing = MemberSlots(Shapes.record(kind))
    guard kind == .item else { return }
    for type in ContentType.allCases {
      documents[type] = (MemberSlots(Shapes.document(type)), MemberSlots(Shapes.document(type)))
    }
  }

  /// Takes a record of the source and the library's, if there is one. Both must stay until the next load.
  func load(_ node: JSONNode, existing other: JSONNode?) {
    source.load(node)
    existing.load(other)
    libraryWins = false
    sections = nil
    document = nil
    guard kind == .item else { return }
    let provenance = source["extras"]?.member("provenance")
    isCreatedFromFile = provenance?.member("created_at")?.equals("file") ?? false
    isUpdatedFromFile = provenance?.member("updated_at")?.equals("file") ?? false
    let type = source["content_type"]?.string.flatMap(ContentType.init(rawValue:)) ?? .checklist
    document = documents[type]
    document?.source.load(source["content_data"])
    let hasSameType = existing["content_type"]?.string == type.rawValue
    document?.existing.load(hasSameType ? existing["content_data"] : nil)
    alignSections()
  }

  /// Whether the source's item was published where it comes from.
  var isPublishedElsewhere: Bool {
    source["public_id"] != nil || source["server_id"] != nil || source["public_metadata"] != nil
      || source["visibility"].map { !$0.equals("private") } ?? false
  }

  /// Whether neither side has a body.
  var hasNoBody: Bool { kind == .item && source["content_data"] == nil && existing["content_data"] == nil }

  /// Whether the source has ticks of steps that the library's record has none of.
  var addsTicks: Bool {
    kind == .execution && unitesTicks
      && !TickUnion.names(source["item_states"]).isSubset(
        of: TickUnion.names(existing["item_states"]))
  }

  /// Whether the library's record is published.
  var isPublished: Bool {
    existing["public_id"] != nil || existing["visibility"].map { $0.equals("public") } ?? false
  }

  /// Whether the library's record would be published as it is now if the source's publication were taken.
  var keepsPublication: Bool {
    Self.equal(source["public_id"], existing["public_id"])
      && (source["visibility"]?.equals("private") ?? true) == (existing["visibility"]?.equals("private") ?? true)
  }

  /// When either side was last changed; nil when it does not say.
  var times: (source: Timestamp?, existing: Timestamp?) {
    (isUpdatedFromFile ? nil : time(source, \.source), time(existing, \.existing))
  }

  private func time(
    _ slots: MemberSlots, _ side: KeyPath<(source: MemberSlots, existing: MemberSlots), MemberSlots>
  ) -> Timestamp? {
    let value = slots["updated_at"] ?? slots["last_updated"] ?? document?[keyPath: side]["updatedAt"]
    guard let value, value.kind == .string else { return nil }
    return Timestamp.parse(value.inner)?.0
  }

  // MARK: Equality

  /// Whether the library has everything already that the source says.
  var isSame: Bool { same(source, existing) }

  private func same(_ mine: MemberSlots, _ theirs: MemberSlots) -> Bool {
    for index in mine.rules.indices {
      switch mine.rules[index] {
      case .publication where restoresPublishing:
        if !samePublication(mine, theirs, index) { return false }
      case .publication, .status, .statistics, .id, .extras: continue
      case .time where isFromFile(mine.shape.members[index]): continue
      case .time, .optional:
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
      case .sections:
        if let sections {
          guard let other = theirs[index], sections.elementsEqual(other.raw) else { return false }
        } else if !Self.equal(mine[index], theirs[index]) {
          return false
        }
      case .content, .ticks:
        if !Self.equal(mine[index], theirs[index]) { return false }
      }
    }
    return true
  }

  /// Whether both sides say the same of a record's publication; to say nothing is to say what the app assumes.
  private func samePublication(_ mine: MemberSlots, _ theirs: MemberSlots, _ index: Int) -> Bool {
    if Self.equal(mine[index], theirs[index]) { return true }
    let member = mine.shape.members[index]
    return [mine[index], theirs[index]].allSatisfy { $0.map { Self.isDefault($0, member) } ?? true }
  }

  /// Whether a time of the source is that of its file.
  private func isFromFile(_ member: ShapeMember) -> Bool {
    guard isCreatedFromFile || isUpdatedFromFile else { return false }
    return member.nameText.hasPrefix("created") ? isCreatedFromFile : isUpdatedFromFile
  }

  private static func equal(_ left: JSONNode?, _ right: JSONNode?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    let mine = left.raw
    let theirs = right.raw
    if mine.count == theirs.count, let first = mine.baseAddress, let second = theirs.baseAddress,
      memcmp(first, second, mine.count) == 0
    {
      return true
    }
    // 38 and 38.0 are one number.
    return left.kind == .number && right.kind == .number && left.double == right.double
  }

  private func equalReference(_ left: JSONNode?, _ right: JSONNode?) -> Bool {
    if moved.isEmpty { return Self.equal(left, right) }
    guard let id = left?.string, let new = moved[id] else { return Self.equal(left, right) }
    return right?.string == new
  }

  // MARK: What the library would hold

  /// Whether the source's record has members that no column takes.
  var hasUnknown: Bool { !source.unknown.isEmpty || !(document?.source.unknown.isEmpty ?? true) }

  /// Whether the source's own line can be taken as it is for a record that is new.
  var isPlain: Bool {
    moved.isEmpty && !hasUnknown && plain(source)
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
  ///   - now: when a record changes whose source does not say when.
  ///   - withUnknown: whether members are written that no column takes, for the list of losses.
  func write(id: UnsafeBufferPointer<UInt8>, now: Timestamp, withUnknown: Bool, into out: inout ByteBuffer) {
    self.now = now
    write(source, existing, id: id, withUnknown: withUnknown, into: &out)
  }

  /// Whether the source's item lacks a time that the library will give it when it is new.
  ///
  /// Decks stay as they are: they are no row.
  var lacksTimes: Bool {
    guard kind == .item, source["content_type"]?.equals("flashcard_deck") != true else { return false }
    return source["created_at"] == nil || source["updated_at"] == nil || document?.source["createdAt"] == nil
      || document?.source["updatedAt"] == nil
  }

  /// Writes what the library will give out for a new item, with the times that its row gets instead of those that the
  /// source does not say.
  func writeWithTimes(id: UnsafeBufferPointer<UInt8>, now: Timestamp, into out: inout ByteBuffer) {
    func time(_ slots: MemberSlots?, _ member: StaticString) -> Timestamp? {
      guard let value = slots?[member], value.kind == .string else { return nil }
      return Timestamp.parse(value.inner)?.0
    }
    let created = time(source, "created_at") ?? time(document?.source, "createdAt")
    let updated = time(source, "updated_at") ?? time(document?.source, "updatedAt")
    let instead = created ?? updated ?? now
    standIns = (created ?? instead, updated ?? instead)
    write(id: id, now: now, withUnknown: false, into: &out)
    standIns = nil
  }

  private func write(
    _ mine: MemberSlots, _ theirs: MemberSlots, id: UnsafeBufferPointer<UInt8>, withUnknown: Bool,
    into out: inout ByteBuffer
  ) {
    let isNew = theirs.node == nil
    var separator = UInt8(ascii: "{")
    for index in mine.rules.indices {
      let member = mine.shape.members[index]
      let value: JSONNode?
      switch mine.rules[index] {
      case .ticks where unitesTicks: value = nil
      case _ where libraryWins: value = theirs[index]
      case .extras: continue
      case .publication: value = restoresPublishing ? mine[index] : theirs[index]
      case .status: value = restoredStatus(mine[index])
      case .statistics: value = isNew ? mine[index] : theirs[index]
      case .time where !isNew && isFromFile(member):
        value = member.nameText.hasPrefix("created") ? theirs[index] : nil
      case .time, .optional: value = mine[index] ?? theirs[index]
      case .document: value = mine[index] ?? theirs[index]
      default: value = mine[index]
      }
      if value == nil, member.absent == .omit, mine.rules[index] != .sections { continue }
      out.append(separator)
      separator = UInt8(ascii: ",")
      out.append(member.key)
      switch mine.rules[index] {
      case .id:
        out.append(UInt8(ascii: "\""))
        out.append(id)
        out.append(UInt8(ascii: "\""))
      case .status:
        if let value { out.append(value.raw) } else { out.append("\"pending\"") }
      case .reference: writeReference(value, into: &out)
      case .ticks where unitesTicks:
        let (first, second) = libraryWins ? (theirs[index], mine[index]) : (mine[index], theirs[index])
        TickUnion.write(first, second, into: &out)
      case .time
      where !libraryWins && (value == nil || (mine[index] == nil && member.nameText.hasPrefix("created") == false)):
        if let standIns, isNew {
          out.appendJSONDate(member.nameText.hasPrefix("created") ? standIns.created : standIns.updated)
        } else if isNew {
          out.append("null")
        } else {
          out.appendJSONDate(now)
        }
      case .document where mine[index] != nil:
        if let document {
          write(document.source, document.existing, id: id, withUnknown: withUnknown, into: &out)
        } else {
          out.append("null")
        }
      case .sections where sections != nil:
        sections?.withUnsafeBufferPointer { out.append($0) }
      default:
        if let value {
          out.append(value.raw)
        } else if member.absent == .literal, mine.rules[index] != .document {
          out.append(member.literal)
        } else {
          out.append("null")
        }
      }
    }
    if withUnknown, let node = mine.node {
      for name in mine.unknown {
        out.append(UInt8(ascii: ","))
        out.append(node.at(name).raw)
        out.append(UInt8(ascii: ":"))
        out.append(node.at(name + 1).raw)
      }
    }
    out.append(UInt8(ascii: "}"))
  }

  /// The state of synchronisation that comes back with a record; nil for one that starts anew.
  ///
  /// What waited in the queue does not wait any more, because the queue is not restored with it. And what is
  /// published and gets another text must be published again.
  private func restoredStatus(_ value: JSONNode?) -> JSONNode? {
    guard restoresPublishing, !isPublished, let value, !value.equals("queued"), !value.equals("syncing") else {
      return nil
    }
    return value
  }

  private func writeReference(_ value: JSONNode?, into out: inout ByteBuffer) {
    guard let value else { return out.append("null") }
    if let id = value.string, let new = moved[id] { return out.appendJSONString(new) }
    out.append(value.raw)
  }

  /// Whether the source's record carries something beside its members.
  var extras: JSONNode? { source["extras"] }

  // MARK: Ids inside checklists and decks

  private func alignSections() {
    guard let document, let mine = document.source["sections"] ?? document.source["cards"],
      let theirs = document.existing["sections"] ?? document.existing["cards"]
    else { return }
    if Self.equal(mine, theirs) { return }
    sections = InnerIDAlignment.align(mine, with: theirs)
  }
}
