import Content
import Interchange
import JSONText

/// An item in its published form, without data that concerns only the person who made it.
///
/// Required members are reset to the values of a new item, so that the line stays canonical.
/// - Source: formats/content-pack.md, "What a content pack leaves out"
struct PublishableItem {
  private static let members: [(name: StaticString, standard: StaticString, reason: LossReason)] = [
    ("visibility", "\"private\"", .publication), ("sync_status", "\"pending\"", .publication),
    ("creator_id", "null", .account), ("fork_count", "0", .counts), ("rating_average", "null", .counts),
    ("rating_count", "0", .counts), ("is_pinned", "false", .pins), ("pinned_order", "null", .pins),
    ("published_at", "null", .publication), ("public_id", "null", .publication),
    ("public_metadata", "null", .publication),
  ]
  private static let documentMembers: [(name: StaticString, standard: StaticString, reason: LossReason)] = [
    ("creatorID", "null", .account), ("syncStatus", "\"pending\"", .publication),
  ]

  private struct Edit {
    let range: Range<Int>
    let text: StaticString
  }

  private var edits: [Edit] = []
  /// The data that was left out, with its member's name.
  private(set) var left: [(reason: LossReason, field: String)] = []

  /// Examines an item.
  init(_ root: JSONNode) {
    set(Self.members, in: root, path: "")
    if let document = root.member("content_data"), document.kind == .object {
      set(Self.documentMembers, in: document, path: "/content_data")
      document.member("cards")?.forEachElement { card in
        remove(from: card, "/content_data/cards", reason: .reviews) { $0.equals("review") }
      }
    }
    guard let extras = root.member("extras"), extras.kind == .object else { return }
    dropFileTimes(extras, root)
    let isOurs: (JSONNode) -> Bool = { name in
      name.equals("markdown") || name.equals("provenance") || name.equals("raw") || name.equals("table")
    }
    var others = 0
    extras.forEachMember { name, _ in if !isOurs(name) { others += 1 } }
    if others == 0 {
      remove(from: root, "", reason: .typing) { $0.equals("extras") }
    } else {
      remove(from: extras, "/extras", reason: .typing, where: isOurs)
    }
  }

  /// Drops the times that a note takes from its file, because copying the file changes them.
  private mutating func dropFileTimes(_ extras: JSONNode, _ root: JSONNode) {
    guard let provenance = extras.member("provenance"), provenance.kind == .object else { return }
    let document = root.member("content_data")
    if provenance.member("created_at")?.equals("file") ?? false {
      set([("created_at", "null", .typing)], in: root, path: "")
      if let document { set([("createdAt", "null", .typing)], in: document, path: "/content_data") }
    }
    if provenance.member("updated_at")?.equals("file") ?? false {
      set([("updated_at", "null", .typing)], in: root, path: "")
      if let document { set([("updatedAt", "null", .typing)], in: document, path: "/content_data") }
    }
  }

  /// Appends the item in its published form.
  /// - Parameter line: the canonical line that was examined.
  func write(_ line: UnsafeBufferPointer<UInt8>, from start: Int, into out: inout ByteBuffer) {
    var at = 0
    for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      out.append(UnsafeBufferPointer(rebasing: line[at..<edit.range.lowerBound - start]))
      out.append(edit.text)
      at = edit.range.upperBound - start
    }
    out.append(UnsafeBufferPointer(rebasing: line[at...]))
  }

  private mutating func note(_ reason: LossReason, _ field: String) {
    if !left.contains(where: { $0.reason == reason }) { left.append((reason, field)) }
  }

  private mutating func set(
    _ members: [(name: StaticString, standard: StaticString, reason: LossReason)], in object: JSONNode, path: String
  ) {
    for member in members {
      guard let value = object.member(member.name) else { continue }
      let isStandard = member.standard.withUTF8Buffer { value.raw.elementsEqual($0) }
      if isStandard { continue }
      edits.append(Edit(range: value.span, text: member.standard))
      note(member.reason, "\(path)/\(member.name)")
    }
  }

  /// Removes members from an object, each together with an adjacent comma.
  private mutating func remove(
    from object: JSONNode, _ path: String, reason: LossReason, where leaves: (JSONNode) -> Bool
  ) {
    var kept = 0
    var end = object.span.lowerBound + 1
    object.forEachMember { name, value in
      if leaves(name) {
        // Remove the comma before the member. If no member remains before it, remove the comma after it.
        let isLast = value.span.upperBound + 1 == object.span.upperBound
        let upper = kept == 0 && !isLast ? value.span.upperBound + 1 : value.span.upperBound
        edits.append(Edit(range: (kept == 0 ? name.span.lowerBound : end)..<upper, text: ""))
        note(reason, path + "/" + String(decoding: name.inner, as: UTF8.self))
      } else {
        kept += 1
      }
      end = value.span.upperBound
    }
  }
}
