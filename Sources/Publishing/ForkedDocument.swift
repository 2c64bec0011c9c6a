import Content
import JSONText

/// Makes the document of a copy, which is the same as the original except for ids, times and owner.
///
/// The original's ids must not be kept: the app overwrites an item with the same id, and ticks of charters refer to the
/// ids of steps.
public struct ForkedDocument {
  /// The copy's id.
  let id: String
  /// The item's title and its replacement; nil if the title is kept.
  let title: (old: String, new: String)?
  /// The copy's times; nil if the original's times are kept.
  let now: Timestamp?
  /// Returns the new id for the id of a section, step or card.
  let newID: (String) -> String

  /// Prepares the document of a copy.
  /// - Parameters:
  ///   - id: the copy's id.
  ///   - title: the item's title and its replacement; nil if the title is kept.
  ///   - now: the copy's times; nil if the original's times are kept.
  ///   - newID: returns the new id for the id of a section, step or card.
  public init(id: String, title: (old: String, new: String)?, now: Timestamp?, newID: @escaping (String) -> String) {
    self.id = id
    self.title = title
    self.now = now
    self.newID = newID
  }

  /// Returns the copy's document.
  /// - Parameter document: a canonical document, as `PublishIntake` returns it.
  /// - Throws: `JSONError` if the document is damaged.
  public func bytes(of document: [UInt8]) throws(JSONError) -> [UInt8] {
    let parsed = try JSONDocument(parsing: document)
    return parsed.withRoot { root in
      var out = ByteBuffer(capacity: document.count + 64)
      object(root, into: &out, top)
      return Array(out.bytes)
    }
  }

  private func top(_ name: JSONNode, _ value: JSONNode, _ out: inout ByteBuffer) -> Bool {
    if name.equals("id") {
      out.appendJSONString(id)
    } else if name.equals("title"), let title, Self.isText(value, title.old) {
      out.appendJSONString(title.new)
    } else if name.equals("creatorID") {
      out.append("null")
    } else if let now, name.equals("createdAt") || name.equals("updatedAt") {
      out.appendJSONDate(now)
    } else if name.equals("syncStatus") {
      out.append("\"pending\"")
    } else if name.equals("sections") {
      list(value, into: &out, section)
    } else if name.equals("cards") {
      list(value, into: &out, step)
    } else {
      return false
    }
    return true
  }

  private static func isText(_ value: JSONNode, _ text: String) -> Bool {
    value.kind == .string && (value.string ?? "").utf8.elementsEqual(text.utf8)
  }

  private func section(_ name: JSONNode, _ value: JSONNode, _ out: inout ByteBuffer) -> Bool {
    guard name.equals("items") else { return step(name, value, &out) }
    list(value, into: &out, step)
    return true
  }

  private func step(_ name: JSONNode, _ value: JSONNode, _ out: inout ByteBuffer) -> Bool {
    guard name.equals("id") else { return false }
    out.appendJSONString(newID(value.string ?? ""))
    return true
  }

  // MARK: Copying

  private typealias Member = (JSONNode, JSONNode, inout ByteBuffer) -> Bool

  private func object(_ node: JSONNode, into out: inout ByteBuffer, _ member: Member) {
    guard node.kind == .object else { return out.append(node.raw.span) }
    var isFirst = true
    out.append("{")
    node.forEachMember { name, value in
      // A card's review state belongs to the other person.
      if name.equals("review") { return }
      if !isFirst { out.append(",") }
      isFirst = false
      out.append(name.raw.span)
      out.append(":")
      if !member(name, value, &out) { out.append(value.raw.span) }
    }
    out.append("}")
  }

  private func list(_ node: JSONNode, into out: inout ByteBuffer, _ member: Member) {
    guard node.kind == .array else { return out.append(node.raw.span) }
    var isFirst = true
    out.append("[")
    node.forEachElement { element in
      if !isFirst { out.append(",") }
      isFirst = false
      object(element, into: &out, member)
    }
    out.append("]")
  }
}
