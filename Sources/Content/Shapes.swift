import JSONText

/// The kind of a member's value and how it is written.
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
  /// The time when a step was ticked, written as `2026-01-05T10:11:12Z`. Apple's decoder accepts no fraction here.
  case tickTime
  /// A record's own id.
  case recordID
  /// A reference to a record.
  case identifier
  /// A content type. Short names are expanded.
  case contentType
  /// The members that a record carries in addition to its known members.
  case extras
  /// The id of an object inside a record: a section, an item or a card.
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

/// The value that is written for a member that the source does not have.
package enum AbsentValue: UInt8, Sendable {
  /// Nothing.
  case omit
  /// `null`.
  case null
  /// The member's default. Without the default, the app would show none of the content.
  case literal
  /// The surrounding item's value: id, title, tags, times.
  case inherit
  /// The position among its siblings.
  case position
  /// An id derived from the member's position.
  case derivedID
  /// The member cannot be left out.
  case refuse
}

/// How an import and a merge treat a member.
package enum MergePolicy: UInt8, Sendable {
  /// Content: an import takes the source's value, and a merge takes the value of the side that changed it.
  case content
  /// The identity and the kind of a record.
  case kind, id
  /// Publication: an import keeps the library's value; a new record gets the default.
  case publication
  /// The synchronisation state: reset on every write.
  case status
  /// Numbers that a registry counts, and pins, which belong to this phone. The library's value is kept if it has one.
  case statistics
  /// A member that older schemas lack. The library's value is kept if the source has none.
  case optional
  /// A time: the library's value is kept if the source has none. A merge takes the earlier time for `created` and the
  /// later one for `updated`.
  case created, updated
  /// The time when a checklist was completed: a merge takes the later one.
  case completed
  /// The progress: a merge takes the larger number, and the app computes it again.
  case progress
  /// A reference to another record, whose id may have changed.
  case reference
  /// The document of an item.
  case document
  /// The sections of a checklist, with the ids to which ticks refer, or the cards of a deck with their reviews.
  case parts
  /// The steps of a section, merged with the sections.
  case steps
  /// The position in a list. It follows from the list's order.
  case position
  /// A card's review: a merge takes the later review as a whole and never combines two.
  case review
  /// Ticks: a merge combines the ticks of both sides one by one.
  case ticks
  /// Values for which the library has no column.
  case extras
}

/// The forms of a member outside bundles.
package struct Field: Sendable {
  /// A column of the app's library.
  package struct Column: Sendable {
    package let name: String
    /// The name in an early build, if it differs.
    package let oldName: String?
    package let isNullable: Bool
    /// The allowed values and the fallback for unknown values; nil for a column that accepts any value.
    package let choices: (values: [String], fallback: String)?

    /// Makes a column that is NOT NULL.
    package static func required(
      _ name: String, old: String? = nil, of values: [String]? = nil, else fallback: String = ""
    ) -> Column {
      Column(name: name, oldName: old, isNullable: false, choices: values.map { ($0, fallback) })
    }

    /// Makes a column that may be NULL.
    package static func nullable(_ name: String, old: String? = nil) -> Column {
      Column(name: name, oldName: old, isNullable: true, choices: nil)
    }
  }

  /// How an import and a merge treat the member.
  package let merge: MergePolicy
  /// The column in the app's table; nil if the member has no column of its own.
  package let column: Column?
  /// The column in tables (CSV, XLSX); nil if tables have none.
  package let tableColumn: String?
  /// The key in front matter; nil if it equals the member's name.
  package let noteKey: String?
  /// The name in messages; nil if it consists of the words of the member's name.
  package let label: String?
  /// The item's member that a document's member repeats; nil if it repeats no member.
  package let repeats: String?
}

/// One member of a shape: a row of the table of fields. Holds addresses of memory that is never freed.
package struct ShapeMember: @unchecked Sendable {
  package let name: UnsafeBufferPointer<UInt8>
  /// The bytes of `"name":`.
  package let key: UnsafeBufferPointer<UInt8>
  package let kind: ValueKind
  package let absent: AbsentValue
  /// The value written when `absent` is `.literal`.
  package let literal: UnsafeBufferPointer<UInt8>
  /// The shape of the object or of each object in the array.
  package let child: Shape?
  /// Whether the app decodes null here.
  package let nullable: Bool
  private let info: UnsafePointer<Field>

  /// The forms of the member outside bundles.
  package var field: Field { info.pointee }

  package var nameText: String { String(decoding: name, as: UTF8.self) }
}

/// The members of an object in the order in which they are written.
///
/// Shapes are made once and never freed. The tables in `Shapes.swift` are the only definition of the members and their
/// order.
package struct Shape: @unchecked Sendable {
  package let members: UnsafeBufferPointer<ShapeMember>
  /// The name of such an object in messages: `a step`.
  package let noun: StaticString

  package init(_ members: [ShapeMember], noun: StaticString = "this object") {
    self.noun = noun
    let copy = UnsafeMutableBufferPointer<ShapeMember>.allocate(capacity: members.count)
    _ = copy.initialize(from: members)
    self.members = UnsafeBufferPointer(copy)
  }

  /// Returns the index of the member called `name` (escapes not resolved), or -1.
  @inlinable @inline(__always)
  package func index(of name: Span<UInt8>, from hint: Int) -> Int {
    let count = members.count
    var index = hint < count ? hint : 0
    for _ in 0..<count {
      if members[index].name.span.equals(name) { return index }
      index += 1
      if index == count { index = 0 }
    }
    return -1
  }
}

extension ShapeMember {
  package init(
    _ name: String, _ kind: ValueKind, _ absent: AbsentValue = .omit, literal: String = "null",
    child: Shape? = nil, nullable: Bool? = nil, merge: MergePolicy = .content, column: Field.Column? = nil,
    table: String? = nil, note: String? = nil, label: String? = nil, repeats: String? = nil
  ) {
    self.name = Self.immortal(name)
    key = Self.immortal("\"\(name)\":")
    self.kind = kind
    self.absent = absent
    self.literal = Self.immortal(literal)
    self.child = child
    self.nullable = nullable ?? (absent == .omit || absent == .null)
    let info = UnsafeMutablePointer<Field>.allocate(capacity: 1)
    info.initialize(
      to: Field(
        merge: kind == .extras ? .extras : merge, column: column, tableColumn: table, noteKey: note, label: label,
        repeats: repeats))
    self.info = UnsafePointer(info)
  }

  private static func immortal(_ text: String) -> UnsafeBufferPointer<UInt8> {
    let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
    _ = copy.initialize(from: text.utf8)
    return UnsafeBufferPointer(copy)
  }
}

/// The table of fields: everything that a bundle can hold, with its order, type, default, column in the app's library
/// and in tables, key in front matter, merge policy and label. Readers, writers and merges are derived from it.
///
/// - Source: formats/json-bundle.md; the app's columns and documents, formats/sqlite-library.md
package enum Shapes {
  // MARK: Documents

  package static let checklistItem = Shape(
    [
      ShapeMember("id", .innerIdentifier, .derivedID, merge: .id, table: "item_id"),
      ShapeMember("title", .text, .refuse, table: "item"),
      ShapeMember("itemDescription", .text, table: "details", label: "description"),
      ShapeMember("isOptional", .bool, .literal, literal: "false", table: "optional", label: "optional"),
      ShapeMember("isRequired", .bool, .literal, literal: "false", table: "required", label: "required"),
      ShapeMember("tags", .strings, .literal, literal: "[]", table: "tags"),
      ShapeMember("estimatedMinutes", .integer, table: "minutes", label: "minutes"),
      ShapeMember("sortOrder", .integer, .position, merge: .position),
    ], noun: "a step")

  package static let checklistSection = Shape(
    [
      ShapeMember("id", .innerIdentifier, .derivedID, merge: .id),
      ShapeMember("title", .text, .refuse),
      ShapeMember("icon", .text),
      ShapeMember("description", .text),
      ShapeMember("items", .objects, .literal, literal: "[]", child: checklistItem, merge: .steps),
      ShapeMember("isExpandedByDefault", .bool, .literal, literal: "true", label: "expanded"),
      ShapeMember("sortOrder", .integer, .position, merge: .position),
    ], noun: "a section")

  /// The array of sections as a member, for the app's `checklists.content` column.
  package static let sections = ShapeMember(
    "sections", .objects, .literal, literal: "[]", child: checklistSection, merge: .parts, column: .required("content"))

  private static let contentStates = ["pending", "queued", "syncing", "synced", "failed"]

  private static let documentHead = [
    ShapeMember("id", .recordID, .inherit, merge: .id, column: .required("id"), repeats: "id"),
    ShapeMember("title", .text, .inherit, column: .required("title"), repeats: "title"),
    ShapeMember(
      "description", .text, .inherit, nullable: true, column: .nullable("description"), repeats: "description"),
  ]
  private static let documentTail = [
    ShapeMember("tags", .strings, .inherit, literal: "[]", column: .required("tags"), repeats: "tags"),
    ShapeMember("creatorID", .identifier, .null, column: .nullable("creatorID")),
    ShapeMember(
      "createdAt", .date, .inherit, nullable: true, merge: .created, column: .required("createdAt"),
      repeats: "created_at"),
    ShapeMember(
      "updatedAt", .date, .inherit, nullable: true, merge: .updated, column: .required("updatedAt"),
      repeats: "updated_at"),
    ShapeMember(
      "syncStatus", .text, .inherit, literal: "\"pending\"", merge: .status,
      column: .required("syncStatus", of: contentStates, else: "pending"), repeats: "sync_status"),
  ]

  package static let checklist = Shape(
    documentHead + [
      ShapeMember(
        "checklistType", .text, .literal, literal: "\"general\"",
        column: .required(
          "checklistType",
          of: [
            "pre_charter", "check_in", "daily", "post_charter", "emergency", "general", "maintenance", "safety",
            "provisioning",
          ], else: "general"), label: "kind of checklist"), sections,
    ] + documentTail, noun: "a checklist")

  package static let practiceGuide = Shape(
    documentHead + [
      ShapeMember("markdown", .text, .literal, literal: "\"\"", column: .required("markdown"), label: "text")
    ] + documentTail, noun: "a guide")

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
      ShapeMember("id", .innerIdentifier, .derivedID, merge: .id, table: "card_id"),
      ShapeMember("front", .text, .refuse, table: "front"),
      ShapeMember("back", .text, .refuse, table: "back"),
      ShapeMember("tags", .strings, .literal, literal: "[]", table: "tags"),
      ShapeMember("hint", .text, table: "hint"),
      ShapeMember("source", .text),
      ShapeMember("sortOrder", .integer, .position, merge: .position),
      ShapeMember("review", .object, .omit, child: cardReview, merge: .review),
    ], noun: "a card")

  package static let flashcardDeck = Shape(
    documentHead + [ShapeMember("cards", .objects, .literal, literal: "[]", child: card, merge: .parts)] + documentTail,
    noun: "a deck"
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
      ShapeMember("kind", .text, .literal, literal: "\"item\"", merge: .kind),
      ShapeMember("id", .recordID, .derivedID, merge: .id, column: .required("id")),
      ShapeMember(
        "content_type", .contentType, .refuse, column: .required("type"), note: "type", label: "kind of content"),
      ShapeMember("title", .text, .refuse, column: .required("title")),
      ShapeMember("description", .text, .null, column: .nullable("description")),
      ShapeMember("tags", .strings, .literal, literal: "[]", column: .required("tags")),
      ShapeMember("language", .text, .literal, literal: "\"en\"", column: .required("language"), table: "language"),
      ShapeMember(
        "visibility", .text, .literal, literal: "\"private\"", merge: .publication,
        column: .required("visibility", of: ["private", "unlisted", "public", "unknown"], else: "private")),
      ShapeMember(
        "sync_status", .text, .literal, literal: "\"pending\"", merge: .status,
        column: .required("syncStatus", of: contentStates, else: "pending")),
      ShapeMember("creator_id", .identifier, .null, column: .nullable("creatorID")),
      ShapeMember(
        "forked_from_id", .identifier, .null, merge: .reference, column: .nullable("forkedFromID"),
        table: "forked_from_id"),
      ShapeMember(
        "fork_count", .integer, .literal, literal: "0", merge: .statistics, column: .required("forkCount"),
        table: "fork_count"),
      ShapeMember(
        "original_author_username", .text, .null, merge: .optional, column: .nullable("originalAuthorUsername"),
        table: "original_author_username"),
      ShapeMember(
        "original_author_user_id", .identifier, .null, merge: .optional, column: .nullable("originalAuthorUserId"),
        table: "original_author_user_id"),
      ShapeMember(
        "original_content_public_id", .text, .null, merge: .optional, column: .nullable("originalContentPublicID"),
        table: "original_content_public_id"),
      ShapeMember("rating_average", .number, .null, merge: .statistics, column: .nullable("ratingAverage")),
      ShapeMember(
        "rating_count", .integer, .literal, literal: "0", merge: .statistics, column: .required("ratingCount")),
      ShapeMember(
        "is_pinned", .bool, .literal, literal: "false", merge: .statistics, column: .required("isPinned"),
        label: "pinned"),
      ShapeMember("pinned_order", .integer, .null, merge: .statistics, column: .nullable("pinnedOrder")),
      ShapeMember(
        "created_at", .date, .null, merge: .created, column: .required("createdAt"), table: "created", note: "created"),
      ShapeMember(
        "updated_at", .date, .null, merge: .updated, column: .required("updatedAt"), table: "updated", note: "updated"),
      ShapeMember("published_at", .date, .null, merge: .publication, column: .nullable("publishedAt")),
      ShapeMember("public_id", .text, .null, merge: .publication, column: .nullable("publicID")),
      ShapeMember(
        "public_metadata", .object, .null, child: publicMetadata, merge: .publication,
        column: .nullable("publicMetadata")),
      ShapeMember(
        "content_data", .document, .literal, literal: "{}", nullable: true, merge: .document, label: "document"),
      ShapeMember("extras", .extras),
    ], noun: "an item")

  package static let charter = Shape(
    [
      ShapeMember("kind", .text, .literal, literal: "\"charter\"", merge: .kind),
      ShapeMember("id", .recordID, .derivedID, merge: .id, column: .required("id")),
      ShapeMember("name", .text, .refuse, column: .required("name")),
      ShapeMember("boat_name", .text, .null, column: .nullable("boatName")),
      ShapeMember("location", .text, .null, column: .nullable("location")),
      ShapeMember("start_date", .date, .null, column: .required("startDate")),
      ShapeMember("end_date", .date, .null, column: .required("endDate")),
      ShapeMember(
        "check_in_checklist_id", .identifier, .null, merge: .reference, column: .nullable("checkInChecklistID")),
      ShapeMember("created_at", .date, .null, merge: .created, column: .required("createdAt")),
      ShapeMember("updated_at", .date, .null, merge: .updated, column: .required("updatedAt")),
      ShapeMember(
        "sync_status", .text, .literal, literal: "\"pending\"", merge: .status, column: .required("syncStatus")),
      ShapeMember("server_id", .text, .null, merge: .publication, column: .nullable("serverID")),
      ShapeMember(
        "visibility", .text, .literal, literal: "\"private\"", merge: .publication,
        column: .required("visibility", of: ["private", "community", "public", "unknown"], else: "private")),
      ShapeMember("needs_sync", .bool, .literal, literal: "false", merge: .publication, column: .required("needsSync")),
      ShapeMember("last_synced_at", .date, .null, merge: .publication, column: .nullable("lastSyncedAt")),
      ShapeMember("latitude", .number, .null, merge: .optional, column: .nullable("latitude")),
      ShapeMember("longitude", .number, .null, merge: .optional, column: .nullable("longitude")),
      ShapeMember("location_place_id", .text, .null, merge: .optional, column: .nullable("locationPlaceID")),
      ShapeMember(
        "on_behalf_of_virtual_captain_id", .text, .null, merge: .optional,
        column: .nullable("onBehalfOfVirtualCaptainID")),
      ShapeMember("extras", .extras),
    ], noun: "a charter")

  package static let itemState = Shape(
    [
      ShapeMember("checked", .bool, .literal, literal: "false"),
      ShapeMember("checkedAt", .tickTime, label: "time of the tick"),
      ShapeMember("notes", .text),
    ], noun: "a tick")

  package static let execution = Shape(
    [
      ShapeMember("kind", .text, .literal, literal: "\"execution\"", merge: .kind),
      ShapeMember("id", .recordID, .derivedID, merge: .id, column: .required("id")),
      ShapeMember("checklist_id", .identifier, .refuse, merge: .reference, column: .required("checklistID")),
      ShapeMember("charter_id", .identifier, .refuse, merge: .reference, column: .required("charterID")),
      ShapeMember(
        "item_states", .states, .literal, literal: "{}", child: itemState, merge: .ticks,
        column: .required("itemStates"), label: "ticks"),
      ShapeMember("progress_percentage", .number, .null, merge: .progress, column: .nullable("progressPercentage")),
      ShapeMember("created_at", .date, .null, merge: .created, column: .required("createdAt")),
      ShapeMember("last_updated", .date, .null, merge: .updated, column: .required("lastUpdated")),
      ShapeMember("completed_at", .date, .null, merge: .completed, column: .nullable("completedAt")),
      ShapeMember(
        "sync_status", .text, .literal, literal: "\"pending\"", merge: .status,
        column: .required("syncStatus", of: ["pending", "synced", "error"], else: "pending")),
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
      ShapeMember("kind", .text, .literal, literal: "\"sync_operation\"", merge: .kind),
      ShapeMember("id", .integer, .refuse, merge: .id, column: .required("id")),
      ShapeMember("content_id", .identifier, .refuse, column: .required("contentID", old: "content_id")),
      ShapeMember("operation", .text, .refuse, column: .required("operation")),
      ShapeMember(
        "visibility_state", .text, .literal, literal: "\"private\"",
        column: .required("visibilityState", old: "visibility_state")),
      ShapeMember("payload", .payload, .null, column: .nullable("payload")),
      ShapeMember("created_at", .date, .null, merge: .created, column: .required("createdAt", old: "created_at")),
      ShapeMember("retry_count", .integer, .literal, literal: "0", column: .required("retryCount", old: "retry_count")),
      ShapeMember("last_error", .text, .null, column: .nullable("lastError", old: "last_error")),
      ShapeMember("synced_at", .date, .null, column: .nullable("syncedAt", old: "synced_at")),
      ShapeMember("next_retry_at", .date, .null, column: .nullable("nextRetryAt", old: "next_retry_at")),
      ShapeMember("extras", .extras),
    ], noun: "an operation")

  /// Records that FleetKit only carries: kind and id come first, and the other members follow in source order.
  package static let carried = Shape([
    ShapeMember("kind", .text, .refuse),
    ShapeMember("id", .any),
  ])

  /// Returns the shape of a record kind.
  package static func record(_ kind: RecordKind) -> Shape {
    switch kind {
    case .item: item
    case .charter: charter
    case .execution: execution
    case .syncOperation: syncOperation
    default: carried
    }
  }

  /// For each member of a document that repeats a member of the item, the name of the item's member.
  package static let repeats: [String: String] = Dictionary(
    (documentHead + documentTail).compactMap { member in member.field.repeats.map { (member.nameText, $0) } },
    uniquingKeysWith: { first, _ in first })

  /// Returns the field with this name in any shape. A name has the same policy and label in all shapes.
  package static func field(named name: String) -> Field? { fields[name] }

  private static let fields: [String: Field] = Dictionary(
    [
      item, charter, execution, syncOperation, checklist, practiceGuide, flashcardDeck, checklistSection, checklistItem,
      card, itemState,
    ].flatMap { $0.members.map { ($0.nameText, $0.field) } },
    uniquingKeysWith: { first, other in first.label == nil && first.merge == .content ? other : first })

  /// Returns the shape of a document, nil for unknown content types.
  package static func document(_ type: ContentType) -> Shape {
    switch type {
    case .checklist: checklist
    case .practiceGuide: practiceGuide
    case .flashcardDeck: flashcardDeck
    }
  }
}

extension Shape {
  /// The expected structure of damaged JSON of this shape.
  ///
  /// An object is identified by its id and its required members. Lists also identify an object, because a section
  /// without a name may still have its steps.
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

extension JSONNode {
  /// Calls `body` for each member of a canonical object that has a value other than the default and that the writer
  /// cannot store.
  /// - Parameters:
  ///   - shape: the object's shape; members with default values are skipped.
  ///   - held: the members that the writer can store.
  ///   - item: the item of a document; members that repeat its values are skipped.
  ///   - position: the position among its siblings; a `sortOrder` equal to it is skipped.
  package func forEachMember(
    of shape: Shape, beyond held: Set<String>, repeating item: JSONNode? = nil, at position: Int? = nil,
    _ body: (_ name: JSONNode, _ value: JSONNode) -> Void
  ) {
    forEachMember { name, value in
      guard let text = name.string, !held.contains(text) else { return }
      if text == "sortOrder", let position, value.integer == Int64(position) { return }
      if let item, let repeated = Shapes.repeats[text], let same = item.member(named: repeated) {
        if same.raw.elementsEqual(value.raw) { return }
      } else if value.isNull {
        return
      } else if let member = shape.member(text), member.absent == .literal, value.raw.elementsEqual(member.literal) {
        return
      }
      body(name, value)
    }
  }
}

extension JSONOutline {
  /// The sections of a checklist, the app's `checklists.content` column.
  package static let sections = JSONOutline(.array(of: Shapes.checklistSection.outline))
  /// The ticks of an execution, by the ids of their steps.
  package static let ticks = JSONOutline(.map(of: Shapes.itemState.outline))
  /// An array of strings.
  package static let texts = JSONOutline(.array(of: .text))
}
