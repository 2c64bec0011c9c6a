import Content
import Diagnostics
import Interchange
import JSONText
import Publishing
import RegistryClient
import SQLiteLibrary
import Validation

/// A public item as a library record: published data comes from the registry, all other data from the library.
///
/// Data that a publication does not contain (pins, author, review state of cards) must not look as if it had been
/// removed.
struct RemoteRecord {
  /// The item's content in the registry.
  let request: PublishRequest
  /// The origin of the item, if it is a copy.
  var original: PublicItem.Origin?

  private static let kept: [(StaticString, StaticString)] = [
    ("creator_id", ",\"creator_id\":"), ("forked_from_id", ",\"forked_from_id\":"),
    ("fork_count", ",\"fork_count\":"), ("original_author_username", ",\"original_author_username\":"),
    ("original_author_user_id", ",\"original_author_user_id\":"),
    ("original_content_public_id", ",\"original_content_public_id\":"), ("rating_average", ",\"rating_average\":"),
    ("rating_count", ",\"rating_count\":"), ("is_pinned", ",\"is_pinned\":"), ("pinned_order", ",\"pinned_order\":"),
  ]

  /// Returns the record as JSON.
  /// - Parameters:
  ///   - id: the item's id in the library.
  ///   - library: the library's record; nil for an item that the library does not have.
  func line(id: String, over library: JSONNode?) throws(JSONError) -> [UInt8] {
    let parsed = try JSONDocument(parsing: request.contentData)
    return parsed.withRoot { document in
      var out = ByteBuffer(capacity: request.contentData.count + 1024)
      RecordMembers.append("item", as: "{\"kind\":", to: &out)
      RecordMembers.append(id, as: ",\"id\":", to: &out)
      RecordMembers.append(request.contentType.rawValue, as: ",\"content_type\":", to: &out)
      RecordMembers.append(request.title, as: ",\"title\":", to: &out)
      RecordMembers.append(request.description, as: ",\"description\":", to: &out)
      RecordMembers.append(request.tags, as: ",\"tags\":", to: &out)
      RecordMembers.append(request.language, as: ",\"language\":", to: &out)
      if let library {
        for (name, key) in Self.kept {
          guard let value = library.member(name) else { continue }
          out.append(key)
          out.append(value.raw.span)
        }
      } else {
        RecordMembers.append(request.forkedFromID?.uppercased(), as: ",\"forked_from_id\":", to: &out)
        RecordMembers.append(original?.authorUsername, as: ",\"original_author_username\":", to: &out)
        RecordMembers.append(
          original?.authorUserID?.uppercased(), as: ",\"original_author_user_id\":", to: &out)
        RecordMembers.append(original?.publicID, as: ",\"original_content_public_id\":", to: &out)
      }
      let created = library?.member("created_at") ?? document.member("createdAt")
      append(created, same: nil, as: ",\"created_at\":", to: &out)
      append(
        document.member("updatedAt"), same: library?.member("updated_at"), as: ",\"updated_at\":", to: &out)
      out.append(",\"content_data\":")
      write(document, over: library?.member("content_data"), into: &out)
      out.append("}")
      return Array(out.bytes)
    }
  }

  /// Returns the record in canonical form, as if it came from a bundle.
  func canonicalLine(id: String, over library: JSONNode?) throws(JSONError) -> [UInt8] {
    let parsed = try JSONDocument(parsing: line(id: id, over: library))
    return parsed.withRoot { root in
      var canonicalizer = Canonicalizer(mode: .bundle)
      var out = ByteBuffer(capacity: request.contentData.count + 1024)
      canonicalizer.writeRecord(root, kind: .item, derivedID: { id }, into: &out)
      return Array(out.bytes)
    }
  }

  // MARK: The document

  private func write(_ document: JSONNode, over library: JSONNode?, into out: inout ByteBuffer) {
    let reviews = Self.reviews(library?.member("cards"))
    var isFirst = true
    out.append("{")
    document.forEachMember { name, value in
      if !isFirst { out.append(",") }
      isFirst = false
      if name.equals("createdAt") {
        append(value, same: library?.member("createdAt"), as: "\"createdAt\":", to: &out)
      } else if name.equals("updatedAt") {
        append(value, same: library?.member("updatedAt"), as: "\"updatedAt\":", to: &out)
      } else {
        out.append(name.raw.span)
        out.append(":")
        if name.equals("cards"), !reviews.isEmpty {
          Self.write(cards: value, reviews, into: &out)
        } else if name.equals("id"), let id = library?.member("id") {
          out.append(id.raw.span)
        } else {
          out.append(value.raw.span)
        }
      }
    }
    out.append("}")
  }

  /// Writes a time. Publications have times in whole seconds; if the library's time is in the same second, the
  /// library's time is kept.
  private func append(_ time: JSONNode?, same own: JSONNode?, as key: StaticString, to out: inout ByteBuffer) {
    out.append(key)
    guard let time, time.kind == .string else { return out.append("null") }
    if let own, own.kind == .string, let mine = Timestamp.parse(own.inner.span)?.0,
      let other = Timestamp.parse(time.inner.span)?.0,
      mine.wholeSeconds == other.wholeSeconds
    {
      return out.append(own.raw.span)
    }
    out.append(time.raw.span)
  }

  private static func reviews(_ cards: JSONNode?) -> [String: JSONNode] {
    guard let cards, cards.kind == .array else { return [:] }
    var found: [String: JSONNode] = [:]
    cards.forEachElement { card in
      if let id = card.member("id")?.string, let review = card.member("review"), !review.isNull { found[id] = review }
    }
    return found
  }

  private static func write(cards: JSONNode, _ reviews: [String: JSONNode], into out: inout ByteBuffer) {
    guard cards.kind == .array else { return out.append(cards.raw.span) }
    var isFirst = true
    out.append("[")
    cards.forEachElement { card in
      if !isFirst { out.append(",") }
      isFirst = false
      guard card.kind == .object, let id = card.member("id")?.string, let review = reviews[id] else {
        return out.append(card.raw.span)
      }
      out.append("{")
      card.forEachMember { name, value in
        if name.equals("review") { return }
        out.append(name.raw.span)
        out.append(":")
        out.append(value.raw.span)
        out.append(",")
      }
      out.append("\"review\":")
      out.append(review.raw.span)
      out.append("}")
    }
    out.append("]")
  }
}
