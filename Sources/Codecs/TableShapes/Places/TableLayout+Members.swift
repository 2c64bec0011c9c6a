import Content

extension TableLayout {
  /// The column that says a member of a step or card; nil for members that no column says.
  func stepColumn(_ member: String) -> TableColumn? {
    switch member {
    case "id": shape == .cards ? .cardID : .itemID
    case "title": .item
    case "itemDescription": .details
    case "isOptional": .optional
    case "isRequired": .required
    case "tags": .tags
    case "estimatedMinutes": .minutes
    case "front": .front
    case "back": .back
    case "hint": .hint
    default: nil
    }
  }

  /// The column that says a member of an item or its document; nil for members that no column says.
  func itemColumn(_ member: String) -> TableColumn? {
    switch (member, shape) {
    case ("id", .steps): .checklistID
    case ("id", .cards): .deckID
    case ("id", .catalogue): .id
    case ("title", .steps): .checklist
    case ("title", .cards): .deck
    case ("title", .catalogue): .title
    case ("description", .steps): .checklistDescription
    case ("description", .cards): .deckDescription
    case ("description", .catalogue): .description
    case ("tags", .steps): .checklistTags
    case ("tags", .cards): .deckTags
    case ("tags", .catalogue): .tags
    case ("content_type", .catalogue): .type
    case ("checklistType", .steps): .type
    case ("language", _): .language
    case ("created_at", _), ("createdAt", _): .created
    case ("updated_at", _), ("updatedAt", _): .updated
    case ("markdown", .catalogue): .document
    default: TableColumn.lineage.first { $0.rawValue == member }
    }
  }

  /// What a table with these columns can say. A number for the order is never said: the order of the rows says it.
  package var saidMembers: SaidMembers {
    func said(_ members: [String], _ column: (String) -> TableColumn?) -> Set<String> {
      Set(members.filter { column($0).map(has) ?? false })
    }
    let item = said(
      ["id", "title", "description", "tags", "language", "created_at", "updated_at"]
        + TableColumn.lineage.map(\.rawValue), itemColumn
    ).union(["kind", "content_type", "content_data"])
    switch shape {
    case .steps:
      return SaidMembers(
        item: item, document: said(["checklistType"], itemColumn).union(["sections"]),
        section: Set(has(.section) ? ["id", "title", "items"] : ["items"]),
        step: said(
          ["id", "title", "itemDescription", "isOptional", "isRequired", "tags", "estimatedMinutes"], stepColumn
        ).union(["id"]))
    case .cards:
      return SaidMembers(
        item: item, document: ["cards"], section: [],
        step: said(["id", "front", "back", "hint", "tags"], stepColumn).union(["id"]))
    case .catalogue:
      let hasDocument = has(.document)
      return SaidMembers(
        item: hasDocument ? item : item.subtracting(has(.type) ? ["content_data"] : ["content_data", "content_type"]),
        document: hasDocument ? ["sections", "cards", "markdown", "checklistType"] : [],
        section: hasDocument ? Set(Shapes.checklistSection.members.map(\.nameText)) : [],
        step: hasDocument ? Set(Shapes.checklistItem.members.map(\.nameText) + Shapes.card.members.map(\.nameText)) : []
      )
    }
  }
}
