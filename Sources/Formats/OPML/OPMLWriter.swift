import Content
import Foundation
import Interchange
import JSONText

/// Writes items as outlines to one file.
///
/// Members for which outlines have no attribute are written as JSON in `fk:members`, so that no member is lost. Other
/// programs ignore such attributes. Memory is bounded by a record.
final class OutlineWriter: ContentWriter {
  private let file: OutputFile
  private let sink: ByteSink
  private let losses: LossLog
  private var out = ByteBuffer(capacity: 1 << 16)
  private var plain = ByteBuffer(capacity: 1 << 12)
  private var tape = JSONTape(capacity: 1024)
  /// The current item's id, and the current position in the item.
  private var id = ""
  private var path = ""
  private var member: StaticString = "title"

  init(_ target: Target, context: RunContext) throws {
    losses = context.losses
    file = try OutputFile(target)
    sink = ByteSink(descriptor: file.descriptor, name: target.path)
    let title = target.isStandardOutput ? "Outline" : (target.name as NSString).lastPathComponent
    out.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
    out.append("<opml version=\"2.0\" xmlns:fk=\"https://anyfleet.app/fleetkit/opml\" fk:version=\"1\">\n<head><title>")
    escape((title as NSString).deletingPathExtension.utf8.span)
    out.append("</title></head>\n<body>\n")
  }

  func write(_ batch: RecordBatch, tally: inout Tally, rejects: RejectsWriter) throws {
    for (index, slot) in batch.slots.enumerated() {
      guard slot.kind == .item else {
        let reason = SkipReason.onlyItems(slot.kind.isKnown ? slot.kind.plural : "records of kind '\(slot.kind)'")
        let record = Record(batch: batch, index: index)
        losses.record(slot.kind, id: record.id, field: "", reason: .skipped(reason))
        tally[slot.kind].skipped[reason, default: 0] += 1
        continue
      }
      let line = batch.line(slot)
      tape.removeAll()
      guard let parse = try? tape.parse(line.span), let base = line.baseAddress else {
        throw RunFailure(.internalError, "a record is not JSON", advice: "Please report this.")
      }
      write(item: JSONNode(text: base, tokens: tape.tokens, index: parse.root))
      tally[.item].created += 1
      if out.count > 1 << 15 { try flush() }
    }
  }

  func prepare(tally: inout Tally, rejects: RejectsWriter) throws {
    out.append("</body>\n</opml>\n")
    try flush()
    try sink.flush()
  }

  func finish() throws -> Int { try file.publish() }

  func abort() { file.discard() }

  private func flush() throws {
    try sink.write(out.bytes.span)
    out.removeAll()
  }

  // MARK: Outlines

  private func write(item: JSONNode) {
    let type = item.member("content_type")?.string.flatMap(ContentType.init(rawValue:)) ?? .checklist
    let document = item.member("content_data").flatMap { $0.kind == .object ? $0 : nil }
    id = item.member("id")?.string ?? ""
    path = ""
    out.append("<outline")
    attribute("text", item.member("title"), "title")
    out.append(utf8: " type=\"\(type.rawValue)\"")
    if type == .practiceGuide {
      attribute("_note", document?.member("markdown"), "content_data/markdown")
      attribute("fk:description", item.member("description"), "description")
    } else {
      attribute("_note", item.member("description"), "description")
    }
    if let created = item.member("created_at")?.string, let time = Timestamp.parse(created)?.0 {
      out.append(utf8: " created=\"\(OutlineDate.text(time))\"")
    }
    attribute("fk:id", item.member("id"), "id")
    attribute("fk:language", item.member("language"), "language")
    attribute("fk:created", item.member("created_at"), "created_at")
    attribute("fk:updated", item.member("updated_at"), "updated_at")
    var held = Self.item
    if categories(item.member("tags")) { held.insert("tags") }
    members("fk:members", item, Shapes.item, held)
    guard let document else {
      out.append(" fk:document=\"none\"/>\n")
      return
    }
    members("fk:in-document", document, Shapes.document(type), Self.document, repeating: item)
    out.append(">\n")
    for (index, section) in Self.elements(document.member("sections")).enumerated() {
      path = "/content_data/sections/\(index)"
      write(section: section, index)
    }
    for (index, card) in Self.elements(document.member("cards")).enumerated() {
      path = "/content_data/cards/\(index)"
      write(card: card, index)
    }
    out.append("</outline>\n")
  }

  private func write(section: JSONNode, _ index: Int) {
    out.append("<outline")
    attribute("text", section.member("title"), "title")
    attribute("_note", section.member("description"), "description")
    attribute("fk:id", section.member("id"), "id")
    members("fk:members", section, Shapes.checklistSection, ["id", "title", "description", "items"], at: index)
    let steps = Self.elements(section.member("items"))
    out.append(steps.isEmpty ? "/>\n" : ">\n")
    if steps.isEmpty { return }
    let own = path
    for (index, step) in steps.enumerated() {
      path = own + "/items/\(index)"
      out.append("<outline")
      attribute("text", step.member("title"), "title")
      attribute("_note", step.member("itemDescription"), "itemDescription")
      attribute("fk:id", step.member("id"), "id")
      if step.member("isRequired")?.bool == true { out.append(" fk:required=\"true\"") }
      if step.member("isOptional")?.bool == true { out.append(" fk:optional=\"true\"") }
      if let minutes = step.member("estimatedMinutes")?.integer { out.append(utf8: " fk:minutes=\"\(minutes)\"") }
      var held: Set<String> = ["id", "title", "itemDescription", "isRequired", "isOptional"]
      if step.member("estimatedMinutes")?.integer != nil { held.insert("estimatedMinutes") }
      if categories(step.member("tags")) { held.insert("tags") }
      members("fk:members", step, Shapes.checklistItem, held, at: index)
      out.append("/>\n")
    }
    out.append("</outline>\n")
  }

  private func write(card: JSONNode, _ index: Int) {
    out.append("<outline")
    attribute("text", card.member("front"), "front")
    attribute("_note", card.member("back"), "back")
    attribute("fk:id", card.member("id"), "id")
    attribute("fk:hint", card.member("hint"), "hint")
    var held: Set<String> = ["id", "front", "back", "hint"]
    if categories(card.member("tags")) { held.insert("tags") }
    members("fk:members", card, Shapes.card, held, at: index)
    out.append("/>\n")
  }

  private static let item: Set<String> = [
    "kind", "id", "content_type", "title", "description", "language", "created_at", "updated_at", "content_data",
  ]
  private static let document: Set<String> = ["sections", "cards", "markdown"]

  private static func elements(_ node: JSONNode?) -> [JSONNode] {
    guard let node, node.kind == .array else { return [] }
    var all: [JSONNode] = []
    node.forEachElement { all.append($0) }
    return all
  }

  // MARK: Attributes

  private func attribute(_ name: StaticString, _ value: JSONNode?, _ member: StaticString) {
    guard let value, value.kind == .string else { return }
    self.member = member
    plain.removeAll()
    JSONStrings.unescape(value.inner.span, into: &plain)
    attribute(name, plain.bytes.span)
  }

  private func attribute(_ name: StaticString, _ text: Span<UInt8>) {
    out.append(UInt8(ascii: " "))
    out.append(name)
    out.append("=\"")
    escape(text)
    out.append(UInt8(ascii: "\""))
  }

  /// Writes tags as categories. Returns false if a tag cannot be written as a category.
  private func categories(_ tags: JSONNode?) -> Bool {
    let all = Self.elements(tags).compactMap(\.string)
    guard !all.isEmpty,
      all.allSatisfy({ !$0.isEmpty && !$0.contains(",") && $0 == $0.trimmingCharacters(in: .whitespaces) })
    else { return false }
    member = "tags"
    attribute("category", all.joined(separator: ",").utf8.span)
    return true
  }

  /// Writes the members that have no attribute and differ from their default values.
  private func members(
    _ name: StaticString, _ object: JSONNode, _ shape: Shape, _ held: Set<String>, repeating item: JSONNode? = nil,
    at position: Int? = nil
  ) {
    var json = ByteBuffer(capacity: 256)
    object.forEachMember(of: shape, beyond: held, repeating: item, at: position) { key, value in
      if json.count > 0 { json.append(UInt8(ascii: ",")) }
      json.append(key.raw.span)
      json.append(UInt8(ascii: ":"))
      json.append(value.raw.span)
    }
    if json.count > 0 { attribute(name, json.bytes.span) }
  }

  /// Escapes a string for an attribute. Most control characters cannot be represented in XML; they become U+FFFD and
  /// are reported as lost.
  private func escape(_ text: Span<UInt8>) {
    for index in text.indices {
      let byte = text[index]
      switch byte {
      case 0x26: out.append("&amp;")
      case 0x3C: out.append("&lt;")
      case 0x3E: out.append("&gt;")
      case 0x22: out.append("&quot;")
      case 0x09: out.append("&#9;")
      case 0x0A: out.append("&#10;")
      case 0x0D: out.append("&#13;")
      case 0..<0x20:
        out.append("\u{FFFD}")
        losses.record(.item, id: id, field: path + "/\(member)", reason: .noCharacter)
      default: out.append(byte)
      }
    }
  }
}
