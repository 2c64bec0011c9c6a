import Content
import JSONText
import Publishing
import RegistryModel

/// Writes what is published; the order of members is fixed.
extension JSONText.ByteBuffer {
  /// An item with its document, as `GET /content/{public_id}` answers.
  mutating func appendItem(_ item: SharedContent) {
    appendItemOpening(item.head)
    append(raw: item.contentData)
    appendItemMiddle(item.head)
    appendNumber(item.head.viewCount)
    appendItemEnd(item.head)
  }

  /// An item up to its document.
  mutating func appendItemOpening(_ head: ContentHead) {
    appendOpening(head)
    append(",\"content_data\":")
  }

  /// An item between its document and the count of its views.
  mutating func appendItemMiddle(_ head: ContentHead) {
    appendDescription(head)
    append(",\"can_fork\":")
    appendBool(head.canFork)
    append(",\"view_count\":")
  }

  /// An item behind the count of its views.
  mutating func appendItemEnd(_ head: ContentHead) {
    appendForksAndTimes(head)
    append(UInt8(ascii: "}"))
  }

  /// An item of a public list up to the count of its views.
  mutating func appendListedOpening(_ head: ContentHead) {
    appendOpening(head)
    appendDescription(head)
    append(",\"view_count\":")
  }

  /// An item of a public list behind the count of its views.
  mutating func appendListedEnd(_ head: ContentHead) {
    appendForksAndTimes(head)
    append(UInt8(ascii: "}"))
  }

  /// An item of its owner's list.
  mutating func appendOwned(_ head: ContentHead) {
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

  /// The answer to a publication.
  /// - Parameter notes: what was done otherwise than it was asked for.
  mutating func appendPublished(_ head: ContentHead, publicURL: String?, notes: [IntakeFinding]) {
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

  /// The answer to a change.
  mutating func appendUpdated(_ head: ContentHead) {
    append("{\"id\":")
    appendID(head.id)
    append(",\"public_id\":")
    appendJSONString(head.publicID)
    append(",\"updated_at\":")
    appendDate(head.updatedAt)
    append(UInt8(ascii: "}"))
  }

  private mutating func appendOpening(_ head: ContentHead) {
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

  private mutating func appendDescription(_ head: ContentHead) {
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

  private mutating func appendCountsAndTimes(_ head: ContentHead) {
    append(",\"view_count\":")
    appendNumber(head.viewCount)
    appendForksAndTimes(head)
  }

  private mutating func appendForksAndTimes(_ head: ContentHead) {
    append(",\"fork_count\":")
    appendNumber(head.forkCount)
    append(",\"created_at\":")
    appendDate(head.createdAt)
    append(",\"updated_at\":")
    appendDate(head.updatedAt)
  }
}
