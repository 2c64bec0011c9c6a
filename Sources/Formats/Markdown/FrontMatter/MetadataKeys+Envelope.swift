import Content

extension MetadataKeys {
  /// Whether a name is that of a member which every envelope has.
  static func isEnvelope(_ name: String) -> Bool { positions[name] != nil }

  /// Where the members of an envelope stand, by name.
  static let positions = Dictionary(
    uniqueKeysWithValues: Shapes.item.members.enumerated().map { ($0.element.nameText, $0.offset) })

  static let idPosition = position("id")
  static let typePosition = position("content_type")
  static let titlePosition = position("title")
  static let descriptionPosition = position("description")
  static let tagsPosition = position("tags")
  static let languagePosition = position("language")
  static let statusPosition = position("sync_status")
  static let createdPosition = position("created_at")
  static let updatedPosition = position("updated_at")
  static let documentPosition = position("content_data")
  static let extrasPosition = position("extras")

  private static func position(_ name: String) -> Int { positions[name] ?? -1 }
}
