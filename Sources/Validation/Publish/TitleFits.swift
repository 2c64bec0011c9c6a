import Content
import Diagnostics
import JSONText

/// A published item's title has 3 to 100 characters.
///
/// The app counts characters as people see them, without surrounding blanks. An emoji or a letter with its accent
/// counts as one character.
///
/// ```json bad /title
/// {"content_type": "checklist", "title": " ab ", "content_data": {"sections": []}}
/// ```
///
/// ```json bad /title
/// {"content_type": "checklist", "title": "A checklist that tries to tell everything about the boat and her crew and the harbour and the sea in its title", "content_data": {"sections": []}}
/// ```
///
/// ```json bad /title
/// {"content_type": "checklist", "title": "👨‍👩‍👧‍👦🏝️", "content_data": {"sections": []}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "MOB", "content_data": {"sections": []}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Приёмка яхты перед выходом: корпус, такелаж, паруса, двигатель, спасательные средства, документы", "content_data": {"sections": []}}
/// ```
struct TitleFits: Rule {
  static let code = DiagnosticCode(
    "PUB0103", "title-length", .error, "The title is shorter than 3 or longer than 100 characters.",
    why: "the app does not publish the item", fix: "give it a title of 3 to 100 characters")
  static let layer = RuleLayer.publish

  private static let allowed = 3...100

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard let root = item.root else { return }
    guard let title = item.title else {
      return report.finding("the title has 0 characters; 3 to 100 are allowed", at: root)
    }
    if Self.surelyFits(title) { return }
    let count = Self.characters(title)
    guard !Self.allowed.contains(count) else { return }
    report.finding("the title has \(Plural.count(count, "character")); 3 to 100 are allowed", at: title.node)
  }

  /// Whether the byte count alone shows that the title fits. A title has at most as many characters as scalars, and at
  /// least as many as it has plain letters.
  private static func surelyFits(_ title: OutlineText) -> Bool {
    var letters = 0
    var scalars = 0
    for byte in title.bytes {
      if byte & 0xC0 != 0x80 { scalars += 1 }
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"), 0xD0, 0xD1:  // the last two begin a Cyrillic letter
        letters += 1
      default: break
      }
    }
    return letters >= allowed.lowerBound && scalars <= allowed.upperBound
  }

  private static func characters(_ title: OutlineText) -> Int {
    guard title.isASCII else { return title.string.trimmed.count }
    guard let first = title.bytes.firstIndex(where: { $0 > 0x20 }),
      let last = title.bytes.lastIndex(where: { $0 > 0x20 })
    else { return 0 }
    return last - first + 1
  }
}
