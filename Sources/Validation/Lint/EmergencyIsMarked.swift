import Diagnostics

/// An emergency checklist has the type `emergency`.
///
/// The app shows emergency checklists where the crew finds them quickly. The rule checks checklists that have the
/// default type, `general`, and whose title names an emergency. A drill, a briefing or an inspection is not an
/// emergency.
///
/// ```json bad /content_data/checklistType
/// {"content_type": "checklist", "title": "MOB: man overboard", "content_data": {"checklistType": "general",
///   "sections": []}}
/// ```
///
/// ```json bad /content_data/checklistType
/// {"content_type": "checklist", "title": "Человек за бортом", "content_data": {"sections": []}}
/// ```
///
/// ```json good
/// [{"content_type": "checklist", "title": "Fire on board", "content_data": {"checklistType": "emergency",
///   "sections": []}},
///  {"content_type": "checklist", "title": "Fire extinguishers: yearly service", "content_data": {"sections": []}},
///  {"content_type": "checklist", "title": "Учение «Человек за бортом»", "content_data": {"sections": []}},
///  {"content_type": "checklist", "title": "Firewood and barbecue", "content_data": {"sections": []}}]
/// ```
struct EmergencyIsMarked: Rule {
  static let code = DiagnosticCode(
    "LNT0215", "emergency-not-marked", .note, "An emergency checklist does not have the type emergency.",
    why: "it is missing from the emergency checklists when seconds count",
    fix: "checklistType: emergency")

  /// Whole words and phrases, which are compared between blanks.
  private static let emergencies: [[UInt8]] = [
    "mob", "man overboard", "person overboard", "crew overboard", "fire", "abandon ship", "abandoning ship",
    "abandoning the ship", "mayday", "flooding", "sinking", "dismasting", "collision", "человек за бортом", "пожар",
    "покидание судна", "оставление судна", "затопление", "пробоина", "сигнал бедствия", "mann über bord", "feuer",
  ].map { Array($0.utf8) }
  private static let others: [[UInt8]] = [
    "drill", "drills", "training", "exercise", "practice", "briefing", "equipment", "extinguisher", "extinguishers",
    "blanket", "inspection", "service", "prevention", "preventing", "avoiding", "insurance", "safety", "pit",
    "regulations",
    "учение", "учения", "учебная", "тренировка", "инструктаж", "осмотр", "проверка", "профилактика", "предупреждение",
  ].map { Array($0.utf8) }

  /// The first bytes of these phrases. The first byte rules out most words in most titles.
  private static let beginnings: Set<UInt8> = Set(emergencies.compactMap(\.first))

  private var words: [UInt8] = []

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard item.type == .checklist, let title = item.title, item.checklistType?.equals("general") ?? true else { return }
    spread(title.bytes.span)
    guard mayName, let found = Self.emergencies.first(where: { contains($0) }),
      !Self.others.contains(where: { contains($0) })
    else { return }
    report.finding(
      "the title mentions “\(String(decoding: found, as: UTF8.self))”, but the type is general",
      at: item.checklistType ?? title.node)
  }

  /// Stores the title in `words`, in lower case and with a blank before and after each word.
  private mutating func spread(_ bytes: Span<UInt8>) {
    words.removeAll(keepingCapacity: true)
    words.append(0x20)
    var at = 0
    while at < bytes.count, at < 400 {
      let byte = bytes[at]
      let next = at + 1 < bytes.count ? bytes[at + 1] : 0
      at += 1
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): words.append(byte | 0x20)
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): words.append(byte)
      case 0..<0x80: if words.last != 0x20 { words.append(0x20) }
      case 0xD0 where (0x90...0x9F).contains(next): append(0xD0, next + 0x20, &at)
      case 0xD0 where (0xA0...0xAF).contains(next): append(0xD1, next - 0x20, &at)
      case 0xC2:  // « » and no-break space
        at += 1
        if words.last != 0x20 { words.append(0x20) }
      case 0xE2:  // dashes and quotation marks
        at += 2
        if words.last != 0x20 { words.append(0x20) }
      default: words.append(byte)
      }
    }
    words.append(0x20)
  }

  private mutating func append(_ first: UInt8, _ second: UInt8, _ at: inout Int) {
    words.append(first)
    words.append(second)
    at += 1
  }

  private var mayName: Bool {
    for at in 1..<words.count where words[at - 1] == 0x20 && Self.beginnings.contains(words[at]) { return true }
    return false
  }

  /// Whether the title contains a phrase between blanks.
  private func contains(_ phrase: [UInt8]) -> Bool {
    guard words.count > phrase.count + 1 else { return false }
    for start in 0..<(words.count - phrase.count - 1)
    where words[start] == 0x20 && words[start + 1] == phrase[0] && words[start + phrase.count + 1] == 0x20 {
      if words[(start + 1)...].prefix(phrase.count).elementsEqual(phrase) { return true }
    }
    return false
  }
}
