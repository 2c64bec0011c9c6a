import Content
import Diagnostics
import JSONText

/// An item has content: a checklist has steps, a guide has text, and a deck has cards.
///
/// Often the content exists, but one level too high or under another name, where the app does not look for it. The
/// finding then names that member. `empty-section` reports sections without steps.
///
/// ```json bad /content_data/sections
/// {"content_type": "checklist", "title": "Leaving the berth", "content_data": {"items": [{"title": "Seacocks open"}]}}
/// ```
///
/// ```json bad /content_data/markdown
/// {"content_type": "practice_guide", "title": "Якорь", "content_data": {"markdown": " \n"}}
/// ```
///
/// ```json bad /content_data/cards
/// {"content_type": "flashcard_deck", "title": "Lights", "content_data": {"cards": []}}
/// ```
///
/// ```json good
/// [{"content_type": "checklist", "title": "Leaving the berth", "content_data": {"sections": [
///   {"title": "Below", "items": [{"title": "Seacocks open"}]}]}},
///  {"content_type": "checklist", "title": "Draft", "content_data": {"sections": [{"title": "Below", "items": []}]}},
///  {"content_type": "practice_guide", "title": "Night orders", "content_data": {"markdown": "Call me in doubt."}}]
/// ```
struct RequireContent: Rule {
  static let code = DiagnosticCode(
    "LNT0218", "nothing-inside", .warning, "An item has no content.",
    why: "the app shows a title that opens an empty page", fix: "add the content, or delete the item")
  /// Before publishing, these rules report this problem as an error.
  static var yieldsTo: [DiagnosticCode] {
    [RequireBody.code, RequireSections.code, RequireGuideText.code, RequireCards.code]
  }

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard let type = item.type, let root = item.root else { return }
    guard let document = item.document, !document.isNull else {
      if root.member("contentData") == nil { addFinding(type, item.document ?? root, nil, root, report) }
      return
    }
    guard document.kind == .object else { return }
    let body: JSONNode?
    switch type {
    case .checklist:
      guard item.sections.isEmpty else { return }
      body = item.sectionsNode
    case .practiceGuide:
      guard item.markdown?.saysNothing ?? true else { return }
      body = item.markdown?.node ?? document.member("markdown")
    case .flashcardDeck:
      guard item.cards.isEmpty else { return }
      body = item.cardsNode
    }
    // The structure check reports a value of the wrong type.
    if let body, !body.isNull, body.kind != (type == .practiceGuide ? .string : .array) { return }
    addFinding(type, body ?? document, document, root, report)
  }

  private func addFinding(
    _ type: ContentType, _ node: JSONNode, _ document: JSONNode?, _ root: JSONNode, _ report: RuleReport
  ) {
    let misplaced = Self.misplaced(type, document, root)
    let what =
      switch type {
      case .checklist: "the checklist has no steps"
      case .practiceGuide: "the guide has no text"
      case .flashcardDeck: "the deck has no cards"
      }
    let fix: String? = misplaced.map {
      switch type {
      case .checklist where $0.isSections: "put the sections into content_data.sections[]"
      case .checklist: "put the steps into content_data.sections[].items"
      case .practiceGuide: "put the text into content_data.markdown"
      case .flashcardDeck: "put the cards into content_data.cards[]"
      }
    }
    report.finding(
      "\(what)\(misplaced.map { ", because “\($0.name)” is not read" } ?? ""); the app shows an empty item", at: node,
      fix: fix
    )
  }

  // MARK: Content in a wrong place

  private static func misplaced(
    _ type: ContentType, _ document: JSONNode?, _ root: JSONNode
  ) -> (name: String, isSections: Bool)? {
    let names: [StaticString]
    switch type {
    case .checklist: names = ["sections", "items", "steps", "tasks", "checklist"]
    case .practiceGuide: names = ["markdown", "text", "body", "content"]
    case .flashcardDeck: names = ["cards", "flashcards", "items", "deck"]
    }
    for (place, prefix) in [(document, "content_data."), (root, "")] {
      guard let place else { continue }
      for name in names {
        guard let node = place.member(name), holdsSomething(node, type) else { continue }
        return (prefix + "\(name)", "\(name)" == "sections")
      }
    }
    return nil
  }

  private static func holdsSomething(_ node: JSONNode, _ type: ContentType) -> Bool {
    switch node.kind {
    case .string: type == .practiceGuide && node.token.length > 2
    case .array, .object: type != .practiceGuide && node.token.count > 0
    default: false
    }
  }
}
