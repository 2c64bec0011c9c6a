import Content
import JSONText

/// What the library would hold.
extension Candidate {
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

  static func isDefault(_ value: JSONNode, _ member: ShapeMember) -> Bool {
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
      case .time where keepsTimes && !isNew: value = theirs[index]
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
      case .time where changed != nil && !member.nameText.hasPrefix("created"):
        if let changed { out.appendJSONDate(changed) }
      case .time
      where !libraryWins && !keepsTimes
        && (value == nil || (mine[index] == nil && member.nameText.hasPrefix("created") == false)):
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
}
