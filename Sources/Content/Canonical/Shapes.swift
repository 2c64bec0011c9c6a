/// The shapes of everything that a bundle can hold: members, order, types and defaults.
///
/// - Source: formats/json-bundle.md; the app's columns and documents, formats/sqlite-library.md
package enum Shapes {
  // MARK: Documents

  package static let checklistItem = Shape(
    [
      ShapeMember("id", .innerIdentifier, .derivedID),
      ShapeMember("title", .text, .refuse),
      ShapeMember("itemDescription", .text),
      ShapeMember("isOptional", .bool, .literal, literal: "false"),
      ShapeMember("isRequired", .bool, .literal, literal: "false"),
      ShapeMember("tags", .strings, .literal, literal: "[]"),
      ShapeMember("estimatedMinutes", .integer),
      ShapeMember("sortOrder", .integer, .position),
    ], noun: "a step")

  package static let checklistSection = Shape(
    [
      ShapeMember("id", .innerIdentifier, .derivedID),
      ShapeMember("title", .text, .refuse),
      ShapeMember("icon", .text),
      ShapeMember("description", .text),
      ShapeMember("items", .objects, .literal, literal: "[]", child: checklistItem),
      ShapeMember("isExpandedByDefault", .bool, .literal, literal: "true"),
      ShapeMember("sortOrder", .integer, .position),
    ], noun: "a section")

  /// The array of sections as a member, for the app's `checklists.content` column.
  package static let sections = ShapeMember("sections", .objects, .literal, literal: "[]", child: checklistSection)

  private static let documentHead = [
    ShapeMember("id", .recordID, .inherit),
    ShapeMember("title", .text, .inherit),
    ShapeMember("description", .text, .inherit, nullable: true),
  ]
  private static let documentTail = [
    ShapeMember("tags", .strings, .inherit),
    ShapeMember("creatorID", .identifier, .null),
    ShapeMember("createdAt", .date, .inherit, nullable: true),
    ShapeMember("updatedAt", .date, .inherit, nullable: true),
    ShapeMember("syncStatus", .text, .inherit),
  ]

  package static let checklist = Shape(
    documentHead + [
      ShapeMember("checklistType", .text, .literal, literal: "\"general\""), sections,
    ] + documentTail, noun: "a checklist")

  package static let practiceGuide = Shape(
    documentHead + [ShapeMember("markdown", .text, .literal, literal: "\"\"")] + documentTail, noun: "a guide")

  package static let cardReview = Shape(
    [
      ShapeMember("easeFactor", .number),
      ShapeMember("intervalDays", .number),
      ShapeMember("repetitions", .integer),
      ShapeMember("lapses", .integer),
      ShapeMember("lastReviewed", .date),
      ShapeMember("due", .date),
    ], noun: "a review")

  package static let card = Shape(
    [
      ShapeMember("id", .innerIdentifier, .derivedID),
      ShapeMember("front", .text, .refuse),
      ShapeMember("back", .text, .refuse),
      ShapeMember("tags", .strings, .literal, literal: "[]"),
      ShapeMember("hint", .text),
      ShapeMember("source", .text),
      ShapeMember("sortOrder", .integer, .position),
      ShapeMember("review", .object, .omit, child: cardReview),
    ], noun: "a card")

  package static let flashcardDeck = Shape(
    documentHead + [ShapeMember("cards", .objects, .literal, literal: "[]", child: card)] + documentTail, noun: "a deck"
  )

  // MARK: Records

  package static let publicMetadata = Shape(
    [
      ShapeMember("publishedAt", .any),
      ShapeMember("publicID", .any),
      ShapeMember("canFork", .any),
      ShapeMember("authorUsername", .any),
      ShapeMember("authorUserId", .any),
    ], noun: "public_metadata")

  package static let item = Shape(
    [
      ShapeMember("kind", .text, .literal, literal: "\"item\""),
      ShapeMember("id", .recordID, .derivedID),
      ShapeMember("content_type", .contentType, .refuse),
      ShapeMember("title", .text, .refuse),
      ShapeMember("description", .text, .null),
      ShapeMember("tags", .strings, .literal, literal: "[]"),
      ShapeMember("language", .text, .literal, literal: "\"en\""),
      ShapeMember("visibility", .text, .literal, literal: "\"private\""),
      ShapeMember("sync_status", .text, .literal, literal: "\"pending\""),
      ShapeMember("creator_id", .identifier, .null),
      ShapeMember("forked_from_id", .identifier, .null),
      ShapeMember("fork_count", .integer, .literal, literal: "0"),
      ShapeMember("original_author_username", .text, .null),
      ShapeMember("original_author_user_id", .identifier, .null),
      ShapeMember("original_content_public_id", .text, .null),
      ShapeMember("rating_average", .number, .null),
      ShapeMember("rating_count", .integer, .literal, literal: "0"),
      ShapeMember("is_pinned", .bool, .literal, literal: "false"),
      ShapeMember("pinned_order", .integer, .null),
      ShapeMember("created_at", .date, .null),
      ShapeMember("updated_at", .date, .null),
      ShapeMember("published_at", .date, .null),
      ShapeMember("public_id", .text, .null),
      ShapeMember("public_metadata", .object, .null, child: publicMetadata),
      ShapeMember("content_data", .document, .literal, literal: "{}", nullable: true),
      ShapeMember("extras", .extras),
    ], noun: "an item")

  package static let charter = Shape(
    [
      ShapeMember("kind", .text, .literal, literal: "\"charter\""),
      ShapeMember("id", .recordID, .derivedID),
      ShapeMember("name", .text, .refuse),
      ShapeMember("boat_name", .text, .null),
      ShapeMember("location", .text, .null),
      ShapeMember("start_date", .date, .null),
      ShapeMember("end_date", .date, .null),
      ShapeMember("check_in_checklist_id", .identifier, .null),
      ShapeMember("created_at", .date, .null),
      ShapeMember("updated_at", .date, .null),
      ShapeMember("sync_status", .text, .literal, literal: "\"pending\""),
      ShapeMember("server_id", .text, .null),
      ShapeMember("visibility", .text, .literal, literal: "\"private\""),
      ShapeMember("needs_sync", .bool, .literal, literal: "false"),
      ShapeMember("last_synced_at", .date, .null),
      ShapeMember("latitude", .number, .null),
      ShapeMember("longitude", .number, .null),
      ShapeMember("location_place_id", .text, .null),
      ShapeMember("on_behalf_of_virtual_captain_id", .text, .null),
      ShapeMember("extras", .extras),
    ], noun: "a charter")

  package static let itemState = Shape(
    [
      ShapeMember("checked", .bool, .literal, literal: "false"),
      ShapeMember("checkedAt", .tickTime),
      ShapeMember("notes", .text),
    ], noun: "a tick")

  package static let execution = Shape(
    [
      ShapeMember("kind", .text, .literal, literal: "\"execution\""),
      ShapeMember("id", .recordID, .derivedID),
      ShapeMember("checklist_id", .identifier, .refuse),
      ShapeMember("charter_id", .identifier, .refuse),
      ShapeMember("item_states", .states, .literal, literal: "{}", child: itemState),
      ShapeMember("progress_percentage", .number, .null),
      ShapeMember("created_at", .date, .null),
      ShapeMember("last_updated", .date, .null),
      ShapeMember("completed_at", .date, .null),
      ShapeMember("sync_status", .text, .literal, literal: "\"pending\""),
      ShapeMember("extras", .extras),
    ], noun: "an execution")

  package static let payload = Shape([
    ShapeMember("title", .any),
    ShapeMember("description", .any),
    ShapeMember("content_type", .any),
    ShapeMember("content_data", .any),
    ShapeMember("tags", .any),
    ShapeMember("language", .any),
    ShapeMember("public_id", .any),
    ShapeMember("forked_from_id", .any),
  ])

  package static let syncOperation = Shape(
    [
      ShapeMember("kind", .text, .literal, literal: "\"sync_operation\""),
      ShapeMember("id", .integer, .refuse),
      ShapeMember("content_id", .identifier, .refuse),
      ShapeMember("operation", .text, .refuse),
      ShapeMember("visibility_state", .text, .literal, literal: "\"private\""),
      ShapeMember("payload", .payload, .null),
      ShapeMember("created_at", .date, .null),
      ShapeMember("retry_count", .integer, .literal, literal: "0"),
      ShapeMember("last_error", .text, .null),
      ShapeMember("synced_at", .date, .null),
      ShapeMember("next_retry_at", .date, .null),
      ShapeMember("extras", .extras),
    ], noun: "an operation")

  /// Records whose members FleetKit only carries: kind and id first, the rest as it came.
  package static let carried = Shape([
    ShapeMember("kind", .text, .refuse),
    ShapeMember("id", .any),
  ])

  /// The shape of a record kind.
  package static func record(_ kind: RecordKind) -> Shape {
    switch kind {
    case .item: item
    case .charter: charter
    case .execution: execution
    case .syncOperation: syncOperation
    default: carried
    }
  }

  /// The shape of a document, nil for content types that nobody knows.
  package static func document(_ type: ContentType) -> Shape {
    switch type {
    case .checklist: checklist
    case .practiceGuide: practiceGuide
    case .flashcardDeck: flashcardDeck
    }
  }
}
