import Content
import JSONText

/// Builds the payload of a queued publication in the form of the current app, from the payload of an early build and
/// the item.
struct PayloadRepair {
  /// The parts of the old payload that can be read; nil if no part can be read.
  private let old: JSONValue?
  private let item: QueueItem?

  init(_ payload: String?, _ item: QueueItem?) {
    let root = payload.flatMap { try? JSONDocument(parsing: $0).root }
    old = root?.kind == .object ? root : nil
    self.item = item
  }

  /// Returns the payload of a publication or update; nil if the public id or the document cannot be found.
  func publication() -> String? {
    let record = item.flatMap { try? JSONDocument(parsing: $0.line).root }
    let own = record?["content_data"].flatMap { $0.kind == .object ? $0 : nil }
    guard let publicID = text("public_id", "publicID") ?? item?.item.publicID, !publicID.isEmpty,
      let document = document(own)
    else { return nil }
    var out = ByteBuffer(capacity: 4096)
    out.append("{\"title\":")
    out.appendJSONString(text("title") ?? item?.item.title ?? "")
    if let description = old?["description"] != nil ? text("description") : item?.item.description {
      out.append(",\"description\":")
      out.appendJSONString(description)
    }
    out.append(",\"content_type\":")
    out.appendJSONString(type)
    out.append(",\"content_data\":")
    out.append(utf8: document)
    out.append(",\"tags\":")
    appendTags(old?["tags"], into: &out)
    out.append(",\"language\":")
    out.appendJSONString(text("language") ?? item?.item.language ?? "en")
    out.append(",\"public_id\":")
    out.appendJSONString(publicID)
    if let parent = text("forked_from_id", "forkedFromID") {
      out.append(",\"forked_from_id\":")
      out.appendJSONString(parent)
    }
    for (name, value) in old?.members ?? [] where !Self.known.contains(name) {
      out.append(",")
      out.appendJSONString(name)
      out.append(":")
      out.append(utf8: value.text)
    }
    out.append("}")
    return String(decoding: out.bytes, as: UTF8.self)
  }

  private static let known: Set<String> = [
    "title", "description", "content_type", "contentType", "content_data", "contentData", "tags", "language",
    "public_id", "publicID", "forked_from_id", "forkedFromID",
  ]

  private func text(_ names: String...) -> String? {
    for name in names {
      if let text = old?[name]?.string { return text }
    }
    return nil
  }

  /// The content type of the payload.
  var type: String {
    text("content_type", "contentType") ?? item?.item.contentType.rawValue ?? ContentType.checklist.rawValue
  }

  private func appendTags(_ tags: JSONValue?, into out: inout ByteBuffer) {
    let words =
      tags.flatMap { $0.kind == .array ? $0.elements.compactMap(\.string) : nil } ?? item?.item.tags ?? []
    out.append("[")
    for (index, word) in words.enumerated() {
      if index > 0 { out.append(",") }
      out.appendJSONString(word)
    }
    out.append("]")
  }

  // MARK: The document

  /// The payload's own document; nil if the payload has none.
  var document: String? { document(nil) }

  /// Returns the document to be published: the payload's document, which is an object or the JSON text of one,
  /// otherwise the item's document.
  private func document(_ own: JSONValue?) -> String? {
    var found = old?["content_data"] ?? old?["contentData"]
    if let text = found?.string { found = try? JSONDocument(parsing: text).root }
    guard let source = found?.kind == .object ? found : own else { return nil }
    var out = ByteBuffer(capacity: 4096)
    out.append("{")
    var written = Set<String>()
    func member(_ name: String, _ value: JSONValue) {
      guard written.insert(name).inserted else { return }
      if written.count > 1 { out.append(",") }
      out.appendJSONString(name)
      out.append(":")
      if name == "createdAt" || name == "updatedAt" {
        // A value that is not a time is replaced with another time of the same item.
        let time =
          Self.time(value) ?? ["createdAt", "updatedAt"].lazy.compactMap { own?[$0].flatMap(Self.time) }.first
          ?? ["createdAt", "updatedAt"].lazy.compactMap { source[$0].flatMap(Self.time) }.first ?? item?.item.createdAt
        if let time { out.appendJSONString(time.wholeSeconds) } else { out.append(utf8: value.text) }
      } else {
        out.append(utf8: value.text)
      }
    }
    for (name, _) in source.members {
      // As everywhere, if two members have the same name, the last one counts.
      if let value = source[name] { member(name, value) }
    }
    // A document that lacks one of these members cannot be decoded by users who fork it.
    let body = type == ContentType.practiceGuide.rawValue ? "markdown" : "sections"
    for name in ["id", "title", body, "tags", "createdAt", "updatedAt", "syncStatus"] {
      if let value = own?[name], !value.isNull { member(name, value) }
    }
    out.append("}")
    return String(decoding: out.bytes, as: UTF8.self)
  }

  /// Parses a time; a number counts seconds since 2001, as in early builds.
  private static func time(_ value: JSONValue) -> Timestamp? {
    value.double.flatMap(Timestamp.init(secondsSince2001:)) ?? value.string.flatMap { Timestamp.parse($0)?.0 }
  }
}
