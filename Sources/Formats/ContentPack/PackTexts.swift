import Content
import Foundation
import Interchange
import JSONText

/// Renders items on up to four threads, but on no more threads than processors.
final class PackTexts: Sendable {
  /// An item rendered as a pack file.
  struct Text: Sendable {
    let id: String
    let type: ContentType
    let title: String
    let language: String?
    let slug: String
    let isNote: Bool
    let bytes: [UInt8]
    /// The SHA-256 of the bytes.
    let sha256: String
    let lineage: Lineage?
    let left: [(reason: LossReason, field: String)]
  }

  private let notes: any ItemTextWriter
  private let documents: any ItemTextWriter
  private let isPublished: Bool

  init(_ formats: PackFormats, isPublished: Bool) {
    notes = formats.notes.itemWriter()
    documents = formats.documents.itemWriter()
    self.isPublished = isPublished
  }

  /// The number of items that a thread processes at a time.
  private static let stretch = 32
  /// The number of threads. Further threads would only wait for the reading thread.
  private static let threads = max(1, min(4, ProcessInfo.processInfo.activeProcessorCount))

  /// Begins rendering the selected items of a batch. The batch must not change until the returned closure has been
  /// called.
  /// - Returns: a closure that waits for the texts and returns them in batch order. The closure throws `RunFailure` if
  ///   an item cannot be rendered, which readers prevent.
  func begin(_ batch: RecordBatch, where isSelected: (Int) -> Bool) -> () throws -> [Text] {
    let chosen = batch.slots.indices.filter(isSelected)
    // The rules have usually parsed the items already. From here on, the batch must not change.
    for index in chosen { _ = batch.parsed(index) }
    let starts = stride(from: 0, to: chosen.count, by: Self.stretch)
    let parts = starts.underestimatedCount
    let made = OrderedMap<[Text]>(starts, threads: min(Self.threads, parts), ahead: max(1, parts)) { [self] _ in
      { [self] start, made in
        let part = chosen[start..<min(chosen.count, start + Self.stretch)]
        _ = made.send(
          try part.map { index in
            guard let text = text(Record(batch: batch, index: index)) else {
              throw RunFailure(
                .internalError, "an item cannot be written as a pack file", advice: "Please report this.")
            }
            return text
          })
      }
    }
    return {
      var texts: [Text] = []
      while let part = try made.next() { texts += part }
      return texts
    }
  }

  private func text(_ record: Record) -> Text? {
    guard let root = record.batch.node(record.slot),
      let type = root.member("content_type")?.string.flatMap(ContentType.init(rawValue:))
    else { return nil }
    let title = root.member("title")?.string ?? ""
    let slug = Slug.of(title)
    var item = record
    var left: [(reason: LossReason, field: String)] = []
    if isPublished {
      let publishable = PublishableItem(root)
      left = publishable.left
      if !left.isEmpty {
        let line = record.batch.line(record.slot)
        let copy = RecordBatch(like: record.batch, capacity: line.count + 64)
        publishable.write(line.span, from: root.span.lowerBound, into: &copy.canonical)
        copy.appendSlot(.item, from: 0)
        item = Record(batch: copy, index: 0)
      }
    }
    let name = "\(PackPaths.folder(of: type))/\(slug)"
    let note = type == .practiceGuide ? notes.text(of: item, at: name + ".md") : nil
    guard let bytes = note ?? documents.text(of: item, at: name + ".json") else { return nil }
    return Text(
      id: record.id, type: type, title: title, language: root.member("language")?.string, slug: slug,
      isNote: note != nil, bytes: bytes, sha256: Digest.hex(Digest.sha256(bytes.span)),
      lineage: Lineage(root), left: left)
  }
}

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
  func write(_ line: Span<UInt8>, from start: Int, into out: inout ByteBuffer) {
    var at = 0
    for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      out.append(line.extracting(at..<edit.range.lowerBound - start))
      out.append(edit.text)
      at = edit.range.upperBound - start
    }
    out.append(line.extracting(droppingFirst: at))
  }

  private mutating func recordLoss(_ reason: LossReason, _ field: String) {
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
      recordLoss(member.reason, "\(path)/\(member.name)")
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
        recordLoss(reason, path + "/" + String(decoding: name.inner, as: UTF8.self))
      } else {
        kept += 1
      }
      end = value.span.upperBound
    }
  }
}

/// The origin of an item's content, as given by the item.
struct Lineage {
  /// The name of the original author.
  var author: String?
  /// The original author's account.
  var authorID: String?
  /// The original's public id.
  var publicID: String?
  /// The registry id of the publication that the item was forked from.
  var forkedFrom: String?

  /// Reads an item's lineage; returns nil if the item names no origin.
  init?(_ item: JSONNode) {
    func text(_ name: StaticString) -> String? { item.member(name)?.string.flatMap { $0.isEmpty ? nil : $0 } }
    author = text("original_author_username")
    authorID = text("original_author_user_id")
    publicID = text("original_content_public_id")
    forkedFrom = text("forked_from_id")
    if author == nil, authorID == nil, publicID == nil, forkedFrom == nil { return nil }
  }
}

/// Writes `data/ATTRIBUTION.md`, which lists the origins of the items in a pack.
struct AttributionWriter {
  /// The pack's description, with its publisher and licence.
  let info: PackInfo

  /// Returns the content of the file.
  /// - Parameter entries: the items that are based on other authors' work, in pack order.
  func text(_ entries: [(title: String, path: String, lineage: Lineage)]) -> [UInt8] {
    var text = "# Attribution\n\n"
    text += "Pack: \(Self.plain(info.name))"
    if let version = info.version { text += " \(Self.plain(version.text))" }
    text += "  \nPublisher: \(Self.plain(info.publisher ?? "NOASSERTION"))"
    text += "  \nLicence: \(Self.plain(info.licence ?? "NOASSERTION"))\n\n"
    guard !entries.isEmpty else {
      return Array((text + "No item in this pack states that it is based on another work.\n").utf8)
    }
    text += "According to their lineage, these items are based on other authors' work.\n"
    for entry in entries {
      text += "\n## \(Self.plain(entry.title))\n\n- File: `\(entry.path)`\n"
      if let author = entry.lineage.author { text += "- Original author: \(Self.plain(author))\n" }
      if let authorID = entry.lineage.authorID { text += "- Original author's account: \(Self.plain(authorID))\n" }
      if let publicID = entry.lineage.publicID { text += "- Public id of the original: \(Self.plain(publicID))\n" }
      if let forkedFrom = entry.lineage.forkedFrom { text += "- Forked from: \(Self.plain(forkedFrom))\n" }
    }
    return Array(text.utf8)
  }

  /// Returns a string on one line, with Markdown's special characters escaped.
  private static func plain(_ text: String) -> String {
    var out = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\", "`", "*", "_", "[", "]", "<", ">", "#", "|", "!", "&": out.append(contentsOf: ["\\", scalar])
      default: out.append(scalar.properties.isWhitespace || scalar.value < 0x20 || scalar.value == 0x7F ? " " : scalar)
      }
    }
    return String(out)
  }
}
