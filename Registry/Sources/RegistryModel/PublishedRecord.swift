import Content
import JSONText
import Publishing

extension LibraryItem {
  /// Creates the record of a publication without its document.
  package init(_ head: PublicationHead) {
    self.init(
      id: head.id.text.uppercased(), contentType: head.contentType, title: head.title, description: head.description,
      tags: head.tags, language: head.language, visibility: "public", syncStatus: "synced",
      creatorID: head.userID?.text, forkedFromID: head.forkedFromID?.text, forkCount: Int(head.forkCount),
      originalAuthorUsername: head.originalAuthorUsername, originalAuthorUserID: head.originalAuthorUserID?.text,
      originalContentPublicID: head.originalPublicID, createdAt: head.createdAt, updatedAt: head.updatedAt,
      publishedAt: head.createdAt, publicID: head.publicID,
      publicMetadata: PublicMetadata(
        publishedAt: Double(head.createdAt.milliseconds) / 1000 - 978_307_200, publicID: head.publicID,
        canFork: head.canFork, authorUsername: head.authorUsername, authorUserID: head.userID?.text))
  }

  /// Creates the record of a publication, with the id of its document, or else the registry's id.
  /// - Throws: `JSONError` and `ModelError` if the document is damaged.
  package init(_ content: SharedContent) throws {
    self.init(content.head)
    var text = ByteBuffer(capacity: content.contentData.count + 128)
    text.append("{\"kind\":\"item\",\"title\":\"\",\"content_type\":\"")
    text.append(utf8: content.head.contentType.rawValue)
    text.append("\",\"content_data\":")
    text.append(content.contentData.span)
    text.append("}")
    guard case .item(let item) = try TypedRecord(json: JSONDocument(parsing: text.bytes.span).root) else { return }
    self.content = item.content
    let own = item.content.map(Self.documentID) ?? ""
    if !own.isEmpty { id = own }
  }

  /// Creates the record of a reader's own copy of a publication: private, with ids that are derived from the registry's,
  /// and with the lineage by which a registry credits the author if the copy is published.
  /// - Throws: `JSONError` and `ModelError` if the document is damaged.
  package init(copyOf content: SharedContent) throws {
    let head = content.head
    let original = head.id.text.uppercased()
    let own = CanonicalUUID.derived([original])
    let document = ForkedDocument(id: own, title: nil, now: nil) { CanonicalUUID.derived([original, $0]) }
    try self.init(SharedContent(head: head, contentData: document.bytes(of: content.contentData)))
    id = own
    forkedFromID = original
    if head.forkedFromID == nil, head.originalAuthorUsername == nil {
      originalAuthorUsername = head.authorUsername
      originalAuthorUserID = head.userID?.text.uppercased()
      originalContentPublicID = head.publicID
    }
    (visibility, syncStatus, forkCount) = ("private", "pending", 0)
    (creatorID, publishedAt, publicID, publicMetadata) = (nil, nil, nil, nil)
  }

  private static func documentID(_ content: ItemContent) -> String {
    switch content {
    case .checklist(let document): document.id
    case .practiceGuide(let document): document.id
    case .flashcardDeck(let document): document.id
    }
  }

  /// The first line of a bundle with the records of publications, without a line feed.
  package static let bundleHeader = #"{"kind":"bundle","format":"fleetkit.bundle","version":1,"min_reader":1}"#
}
