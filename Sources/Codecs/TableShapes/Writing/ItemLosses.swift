import Content
import Interchange
import JSONText

/// Finds the members of an item that a table cannot hold: the members that have no column and differ from their
/// default.
struct ItemLosses {
  private let shape: TableShape
  private let losses: LossLog
  private let item: Set<String>
  private let inner: Set<String>
  private static let sectionMembers: Set<String> = ["id", "title", "items"]

  init(_ shape: TableShape, losses: LossLog) {
    self.shape = shape
    self.losses = losses
    let every = Set(
      ["kind", "id", "content_type", "title", "language", "created_at", "updated_at", "content_data"]
        + TableColumn.lineage.map(\.rawValue))
    switch shape {
    case .steps:
      item = every.union(["description", "tags"])
      inner = Set(Shapes.checklistItem.tableMembers)
    case .cards:
      item = every.union(["description", "tags"])
      inner = Set(Shapes.card.tableMembers)
    case .catalogue:
      item = every.union(["description", "tags"])
      inner = []
    case .charters:
      item = [
        "kind", "id", "name", "boat_name", "location", "start_date", "end_date", "created_at", "updated_at",
      ]
      inner = []
    }
  }

  /// Returns whether a document must be written to its cell as JSON because Markdown cannot express all of it.
  func needsJSON(_ node: JSONNode) -> Bool {
    guard let document = node.member("content_data"), document.kind == .object else { return false }
    guard node.member("content_type")?.equals("practice_guide") == true,
      let text = document.member("markdown")?.string
    else { return true }
    // A text that begins like this would be read as JSON or as front matter.
    let start = text.utf8.drop { $0 == 0x20 || $0 &- 0x09 < 5 }
    if start.first == UInt8(ascii: "{") || text.utf8.starts(with: "---".utf8) { return true }
    var differs = false
    visit(document, Shapes.practiceGuide, held: ["markdown"], repeating: node) { _ in differs = true }
    return differs
  }

  /// Records the losses of an item.
  /// - Parameter documentIsWhole: whether the item's document is in its cell as JSON.
  func record(_ node: JSONNode, documentIsWhole: Bool) {
    let id = node.member("id")?.string ?? ""
    if shape == .charters {
      return visit(node, Shapes.charter, held: item) { member in
        losses.record(
          .charter, id: id, field: "/\(member)",
          reason: .noTableColumn(shape: shape.rawValue, member: member, noun: "a charter"))
      }
    }
    func lose(_ field: String, _ noun: String, _ member: String) {
      losses.record(
        .item, id: id, field: field, reason: .noTableColumn(shape: shape.rawValue, member: member, noun: noun))
    }
    visit(node, Shapes.item, held: item) { member in
      // The column names are restored together with the columns.
      if shape == .steps, member == "extras", let extras = node.member("extras"), CustomColumnNames.isAll(of: extras) {
        return
      }
      lose("/\(member)", "an item", member)
    }
    recordTags(node.member("tags"), "/tags", id, isHeld: item.contains("tags"))
    guard let document = node.member("content_data"), document.kind == .object else {
      // An empty cell is read as an empty guide, and a list without rows is read as an empty list.
      if shape != .catalogue || node.member("content_type")?.equals("practice_guide") == true {
        losses.record(.item, id: id, field: "/content_data", reason: .noDocument)
      }
      return
    }
    if documentIsWhole { return }
    let held: Set<String> =
      switch shape {
      case .steps: ["checklistType", "sections"]
      case .cards: ["cards"]
      case .catalogue, .charters: ["markdown"]
      }
    let type = node.member("content_type")?.string.flatMap(ContentType.init(rawValue:)) ?? .practiceGuide
    visit(document, Shapes.document(type), held: held, repeating: node) {
      lose("/content_data/\($0)", "a document", $0)
    }
    var ids: Set<String> = []
    /// Records the loss of an id that occurs twice, because readers treat the second of two steps with the same id as a
    /// copied row.
    func recordID(_ node: JSONNode, _ path: String) {
      guard let own = node.member("id")?.string, !ids.insert(own).inserted else { return }
      losses.record(.item, id: id, field: path + "/id", reason: .repeatedID)
    }
    forEach(document.member("sections")) { section, number in
      let path = "/content_data/sections/\(number)"
      visit(section, Shapes.checklistSection, held: Self.sectionMembers, at: number) {
        lose("\(path)/\($0)", "a section", $0)
      }
      forEach(section.member("items")) { step, number in
        let path = "\(path)/items/\(number)"
        visit(step, Shapes.checklistItem, held: inner, at: number) { lose("\(path)/\($0)", "a step", $0) }
        recordID(step, path)
        recordTags(step.member("tags"), path + "/tags", id, isHeld: true)
      }
    }
    forEach(document.member("cards")) { card, number in
      let path = "/content_data/cards/\(number)"
      visit(card, Shapes.card, held: inner, at: number) { lose("\(path)/\($0)", "a card", $0) }
      recordID(card, path)
      recordTags(card.member("tags"), path + "/tags", id, isHeld: true)
    }
  }

  /// Calls `body` for the members that have no column and differ from their default. A document's status is ignored,
  /// because it is that of its item.
  private func visit(
    _ node: JSONNode, _ shape: Shape, held: Set<String>, repeating item: JSONNode? = nil, at position: Int? = nil,
    _ body: (String) -> Void
  ) {
    node.forEachMember(of: shape, beyond: held, repeating: item, at: position) { name, value in
      guard let name = name.string, name != "syncStatus" || !value.equals("pending") else { return }
      body(name)
    }
  }

  private func recordTags(_ tags: JSONNode?, _ path: String, _ id: String, isHeld: Bool) {
    guard isHeld, let tags, tags.kind == .array else { return }
    var all: [[UInt8]] = []
    tags.forEachElement { all.append(Array(($0.string ?? "").utf8)) }
    if CellTags.cell(all) != nil { return }
    losses.record(
      .item, id: id, field: path,
      reason: .tagsInCell)
  }

  private func forEach(_ list: JSONNode?, _ body: (JSONNode, Int) -> Void) {
    guard let list, list.kind == .array else { return }
    var number = 0
    list.forEachElement { element in
      body(element, number)
      number += 1
    }
  }
}
