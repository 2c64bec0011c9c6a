import Content

/// What an import does with one member of a record.
enum MemberRule: UInt8 {
  /// Content: the source's.
  case content
  /// Publication: the library's own, or the default for a record that is new.
  case publication
  /// The state of synchronisation: starts anew whenever something is written.
  case status
  /// Numbers that a registry counts: the library's own where it has some.
  case statistics
  /// A time: the library's where the source gives none.
  case time
  /// The record's own id.
  case id
  /// A reference to another record, which may have gone under another id.
  case reference
  /// The document of an item.
  case document
  /// The sections of a checklist, whose ids ticks hang on.
  case sections
  /// What the library has no place for.
  case extras

  /// The rules for the members of a shape, in its order.
  static func rules(_ shape: Shape) -> [MemberRule] {
    shape.members.map { member in
      switch member.nameText {
      case "visibility", "published_at", "public_id", "public_metadata", "server_id", "needs_sync", "last_synced_at":
        .publication
      case "sync_status", "syncStatus": .status
      case "fork_count", "rating_average", "rating_count": .statistics
      case "created_at", "updated_at", "last_updated", "createdAt", "updatedAt": .time
      case "id": .id
      case "forked_from_id", "check_in_checklist_id", "checklist_id", "charter_id": .reference
      case "content_data": .document
      case "sections": .sections
      case "extras": .extras
      default: .content
      }
    }
  }
}
