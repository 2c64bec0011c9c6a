import JSONText

/// What kind of value a member holds and how it is written.
package enum ValueKind: UInt8, Sendable {
  /// A string.
  case text
  case bool
  /// A whole number of 64 bits.
  case integer
  /// Any number, kept as written.
  case number
  /// A time, written as `2026-01-05T10:11:12.345Z`.
  case date
  /// When a step was ticked, written as `2026-01-05T10:11:12Z`: Apple's decoder takes no fraction there.
  case tickTime
  /// A record's own id.
  case recordID
  /// A reference to a record.
  case identifier
  /// A content type, short names written out.
  case contentType
  /// What a record carries beside its known members.
  case extras
  /// The id of something inside a record: a section, an item, a card.
  case innerIdentifier
  /// An array of strings.
  case strings
  /// An array of objects of one shape.
  case objects
  /// An object of one shape.
  case object
  /// The ticks of an execution: id → object, in the order of the ids.
  case states
  /// Any value, kept as written; members of objects keep their order.
  case any
  /// A queue payload: any value, but an object's known members come first.
  case payload
  /// The document of an item; its shape depends on the content type.
  case document
}

/// What is written for a member that the source does not have.
package enum Absent: UInt8, Sendable {
  /// Nothing.
  case omit
  /// `null`.
  case null
  /// The member's default; the app would show nothing of the content without it.
  case literal
  /// What the surrounding item says: id, title, tags, times.
  case inherit
  /// The place among its siblings.
  case position
  /// An id derived from where it stands.
  case derivedID
  /// It cannot be left out.
  case refuse
}

/// One member of a shape. Holds addresses of text that lives as long as the program.
package struct ShapeMember: @unchecked Sendable {
  package let name: UnsafeBufferPointer<UInt8>
  /// `"name":` as it is written.
  package let key: UnsafeBufferPointer<UInt8>
  package let kind: ValueKind
  package let absent: Absent
  /// The value written when `absent` is `.literal`.
  package let literal: UnsafeBufferPointer<UInt8>
  /// The shape of the object or of each object in the array.
  package let child: Shape?
  /// Whether the app decodes null here.
  package let nullable: Bool

  package var nameText: String { String(decoding: name, as: UTF8.self) }
}

/// The members of an object in the order in which they are written.
///
/// Made once, lives as long as the program; the tables in `Shapes.swift` are the one place that says which
/// members there are and in which order.
package struct Shape: @unchecked Sendable {
  package let members: UnsafeBufferPointer<ShapeMember>
  /// What messages call such an object: `a step`.
  package let noun: StaticString

  package init(_ members: [ShapeMember], noun: StaticString = "this object") {
    self.noun = noun
    let copy = UnsafeMutableBufferPointer<ShapeMember>.allocate(capacity: members.count)
    _ = copy.initialize(from: members)
    self.members = UnsafeBufferPointer(copy)
  }

  /// Index of the member called `name` (escapes not resolved), or -1.
  @inlinable @inline(__always)
  package func index(of name: UnsafeBufferPointer<UInt8>, from hint: Int) -> Int {
    let count = members.count
    var index = hint < count ? hint : 0
    for _ in 0..<count {
      let candidate = members[index].name
      if candidate.count == name.count, Self.same(candidate, name) { return index }
      index += 1
      if index == count { index = 0 }
    }
    return -1
  }

  @inlinable @inline(__always)
  package static func same(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = left.baseAddress, let second = right.baseAddress else { return left.isEmpty }
    return ShortBytes.same(first, second, left.count)
  }
}

extension ShapeMember {
  package init(
    _ name: String, _ kind: ValueKind, _ absent: Absent = .omit, literal: String = "null",
    child: Shape? = nil, nullable: Bool? = nil
  ) {
    self.name = Self.immortal(name)
    key = Self.immortal("\"\(name)\":")
    self.kind = kind
    self.absent = absent
    self.literal = Self.immortal(literal)
    self.child = child
    self.nullable = nullable ?? (absent == .omit || absent == .null)
  }

  private static func immortal(_ text: String) -> UnsafeBufferPointer<UInt8> {
    let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
    _ = copy.initialize(from: text.utf8)
    return UnsafeBufferPointer(copy)
  }
}

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

  /// The shape of a document, nil for unknown content types.
  package static func document(_ type: ContentType) -> Shape {
    switch type {
    case .checklist: checklist
    case .practiceGuide: practiceGuide
    case .flashcardDeck: flashcardDeck
    }
  }
}

extension Shape {
  /// What a damaged text of this shape is expected to hold.
  ///
  /// An object is identified by its id and its required members; lists count as well, because a section without a name may
  /// still have its steps.
  var outline: JSONOutline.Value {
    .object(
      members.map { ($0.nameText, $0.outline) },
      identity: Set(
        members.filter { $0.absent == .refuse || $0.absent == .derivedID || $0.kind == .objects }.map(\.nameText)))
  }
}

extension ShapeMember {
  fileprivate var outline: JSONOutline.Value {
    switch kind {
    case .text, .date, .tickTime, .contentType: .text
    case .bool: .boolean
    case .integer, .number: .number
    case .recordID, .identifier, .innerIdentifier: .identifier
    case .strings: .array(of: .text)
    case .objects: .array(of: child?.outline ?? .any)
    case .object: child?.outline ?? .any
    case .states, .extras, .any, .payload, .document: .any
    }
  }
}

extension JSONOutline {
  /// The sections of a checklist, the app's `checklists.content` column.
  package static let sections = JSONOutline(.array(of: Shapes.checklistSection.outline))
  /// The ticks of an execution, by the ids of their steps.
  package static let ticks = JSONOutline(.map(of: Shapes.itemState.outline))
  /// An array of texts.
  package static let texts = JSONOutline(.array(of: .text))
}
