import Content

/// What an import does with one member of a record.
enum MemberRule: UInt8 {
  /// Content: the source's.
  case content
  /// Publication: the library's own, or the default for a record that is new.
  case publication
  /// The state of synchronisation: starts anew whenever something is written.
  case status
  /// Numbers that a registry counts, and pins, which are this phone's: the library's own where it has some.
  case statistics
  /// What older schemas do not have: the library's where the source says nothing.
  case optional
  /// Ticks: those of both sides.
  case ticks
  /// A time: the library's where the source gives none.
  case time
  /// The record's own id.
  case id
  /// A reference to another record, which may have gone under another id.
  case reference
  /// The document of an item.
  case document
  /// The sections of a checklist, whose ids ticks hang on, or the cards of a deck with their reviews.
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
      case "fork_count", "rating_average", "rating_count", "is_pinned", "pinned_order": .statistics
      case "original_author_username", "original_author_user_id", "original_content_public_id", "latitude", "longitude",
        "location_place_id", "on_behalf_of_virtual_captain_id":
        .optional
      case "item_states": .ticks
      case "created_at", "updated_at", "last_updated", "createdAt", "updatedAt": .time
      case "id": .id
      case "forked_from_id", "check_in_checklist_id", "checklist_id", "charter_id": .reference
      case "content_data": .document
      case "sections", "cards": .sections
      case "extras": .extras
      default: .content
      }
    }
  }
}
