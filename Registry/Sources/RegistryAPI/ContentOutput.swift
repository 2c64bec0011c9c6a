import Content
import JSONText
import Publishing
import RegistryModel

/// Writes publications; the order of members is fixed.
extension JSONText.ByteBuffer {
  /// Appends an item with its document, for `GET /content/{public_id}`.
  mutating func appendItem(_ item: SharedContent) {
    appendOpening(item.head)
    append(",\"content_data\":")
    append(raw: item.contentData)
    appendDescription(item.head)
    append(",\"can_fork\":")
    appendBool(item.head.canFork)
    appendCountsAndTimes(item.head)
    append(UInt8(ascii: "}"))
  }

  /// Appends the members of a listed public item before its view count.
  mutating func appendListedOpening(_ head: PublicationHead) {
    appendOpening(head)
    appendDescription(head)
    append(",\"view_count\":")
  }

  /// Appends the members of a listed public item after its view count.
  mutating func appendListedEnd(_ head: PublicationHead) {
    appendForksAndTimes(head)
    append(UInt8(ascii: "}"))
  }

  /// Appends an item in its owner's list.
  mutating func appendOwned(_ head: PublicationHead) {
    appendOpening(head)
    appendDescription(head)
    appendCountsAndTimes(head)
    append(",\"deleted_at\":")
    appendDate(orNull: head.deletedAt)
    append(",\"can_fork\":")
    appendBool(head.canFork)
    append(",\"digest\":")
    append(utf8: EntityTag.text(head.digest))
    append(UInt8(ascii: "}"))
  }

  /// Appends the answer to a publication.
  /// - Parameter notes: deviations from the request.
  mutating func appendPublished(_ head: PublicationHead, publicURL: String?, notes: [IntakeFinding]) {
    append("{\"id\":")
    appendID(head.id)
    append(",\"public_id\":")
    appendJSONString(head.publicID)
    append(",\"published_at\":")
    appendDate(head.createdAt)
    append(",\"author_username\":")
    appendJSONString(orNull: head.authorUsername)
    append(",\"author_user_id\":")
    appendID(head.userID)
    append(",\"can_fork\":")
    appendBool(head.canFork)
    if let publicURL {
      append(",\"public_url\":")
      appendJSONString("\(publicURL)/\(head.publicID)")
    }
    for (position, note) in notes.enumerated() {
      append(position == 0 ? ",\"notes\":[" : ",")
      note.write(into: &self)
    }
    if !notes.isEmpty { append(UInt8(ascii: "]")) }
    append(UInt8(ascii: "}"))
  }

  /// Appends the answer to a change.
  mutating func appendUpdated(_ head: PublicationHead) {
    append("{\"id\":")
    appendID(head.id)
    append(",\"public_id\":")
    appendJSONString(head.publicID)
    append(",\"updated_at\":")
    appendDate(head.updatedAt)
    append(UInt8(ascii: "}"))
  }

  private mutating func appendOpening(_ head: PublicationHead) {
    append("{\"id\":")
    appendID(head.id)
    append(",\"title\":")
    appendJSONString(head.title)
    append(",\"description\":")
    appendJSONString(orNull: head.description)
    append(",\"content_type\":\"")
    append(utf8: head.contentType.rawValue)
    append(UInt8(ascii: "\""))
  }

  private mutating func appendDescription(_ head: PublicationHead) {
    append(",\"tags\":")
    appendStrings(head.tags)
    append(",\"language\":")
    appendJSONString(head.language)
    append(",\"public_id\":")
    appendJSONString(head.publicID)
    append(",\"author_username\":")
    appendJSONString(orNull: head.authorUsername)
    append(",\"author_user_id\":")
    appendID(head.userID)
    append(",\"forked_from_id\":")
    appendID(head.forkedFromID)
    append(",\"original_author_username\":")
    appendJSONString(orNull: head.originalAuthorUsername)
    append(",\"original_author_user_id\":")
    appendID(head.originalAuthorUserID)
    append(",\"original_content_public_id\":")
    appendJSONString(orNull: head.originalPublicID)
    append(",\"chain_depth\":")
    appendNumber(head.chainDepth)
  }

  private mutating func appendCountsAndTimes(_ head: PublicationHead) {
    append(",\"view_count\":")
    appendNumber(head.viewCount)
    appendForksAndTimes(head)
  }

  private mutating func appendForksAndTimes(_ head: PublicationHead) {
    append(",\"fork_count\":")
    appendNumber(head.forkCount)
    append(",\"created_at\":")
    appendDate(head.createdAt)
    append(",\"updated_at\":")
    appendDate(head.updatedAt)
  }
}
