import Content

extension PublicationReceipt {
  /// Reads the answer to a publication or a change.
  init(_ answer: HTTPAnswer, _ name: String) throws(RegistryError) {
    try self.init(AnswerValue(answer.body, name), digest: DigestHeader.digest(answer["etag"]))
  }

  /// Reads the answer's body.
  init(_ body: AnswerValue, digest: String?) throws(RegistryError) {
    var notes: [String] = []
    for note in try body.optional("notes")?.elements ?? [] { notes.append(try note["message"].string) }
    self.init(
      id: try body["id"].id, publicID: try body["public_id"].string,
      date: try (body.optional("published_at") ?? body.optional("updated_at"))?.time,
      authorUsername: try body.optional("author_username")?.string,
      authorUserID: try body.optional("author_user_id")?.id, digest: digest, notes: notes)
  }
}

extension PublicItem {
  /// Reads the answer to a HEAD request for an item.
  init(_ answer: HTTPAnswer) throws(RegistryError) {
    let body = try AnswerValue(answer.body, "the item")
    var tags: [String] = []
    for tag in try body.optional("tags")?.elements ?? [] { tags.append(try tag.string) }
    var original: Origin? = Origin(
      authorUsername: try body.optional("original_author_username")?.string,
      authorUserID: try body.optional("original_author_user_id")?.id,
      publicID: try body.optional("original_content_public_id")?.string)
    let publicID = try body["public_id"].string
    if original == Origin() || original?.publicID == publicID { original = nil }
    self.init(
      id: try body["id"].id, publicID: publicID, title: try body["title"].string,
      description: try body.optional("description")?.string, contentType: try body["content_type"].contentType,
      contentData: try body["content_data"].object, tags: tags,
      language: try body.optional("language")?.string ?? "en",
      authorUsername: try body.optional("author_username")?.string,
      authorUserID: try body.optional("author_user_id")?.id, original: original,
      canFork: try body.optional("can_fork")?.bool ?? true,
      forkedFromID: try body.optional("forked_from_id")?.id, createdAt: try body.optional("created_at")?.time,
      updatedAt: try body.optional("updated_at")?.time, digest: DigestHeader.digest(answer["etag"]))
  }
}

extension OwnedItem {
  /// Reads an element of the item list.
  init(_ body: AnswerValue) throws(RegistryError) {
    let digest = try body["digest"].string
    guard DigestHeader.isDigest(digest) else { throw .unreadable("an item in the list has an invalid digest") }
    self.init(
      id: try body["id"].id, publicID: try body["public_id"].string, title: try body["title"].string,
      contentType: try body["content_type"].contentType, canFork: try body.optional("can_fork")?.bool ?? true,
      updatedAt: try body.optional("updated_at")?.time, deletedAt: try body.optional("deleted_at")?.time,
      digest: digest)
  }
}

extension LineageStep {
  /// Reads an element of the lineage.
  init(_ body: AnswerValue) throws(RegistryError) {
    // Registries write an empty title for an item that is no longer public.
    let title = try body.optional("title")?.string
    self.init(
      title: title == "" ? nil : title, creator: try body.optional("creator")?.string,
      createdAt: try body.optional("created_at")?.time, isCurrent: try body.optional("is_current")?.bool ?? false)
  }
}

extension RegistryUser {
  /// Reads an account.
  init(_ body: AnswerValue) throws(RegistryError) {
    let id = try body["id"].id
    // The user name is required but may be null: services may have accounts without a name.
    _ = try body["username"]
    self.init(id: id, username: try body.optional("username")?.string ?? id)
  }
}
