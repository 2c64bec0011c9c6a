import Foundation
import TestSupport

/// Content that changes at random, and sources in several formats that contain it.
struct RandomContent {
  var random: SeededRandom
  private var items: [Item] = []
  private var decks: [Item] = []
  private var charters: [(id: String, name: String)] = []
  private var executions: [(id: String, checklist: String, charter: String, note: String)] = []
  private var others: [(id: String, text: String)] = []
  private var clock = 0
  private var next = 0

  private struct Item {
    let id: String
    var title: String
    var steps: [(id: String, title: String)]
    var isGuide = false
    var hasTimes = true
    var updated: String
  }

  private static let words = [
    "Weigh anchor", "Note the depth", "Slip the lines", "Проверить якорь", "Check “Aurora”", "O'Brien's knot",
    "Reef \\\\ early",
    "Fenders out", "⚓︎ set", "Log it", "Seacocks open", "Radio check, channel 16",
  ]

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
    for _ in 0..<random.below(12) { change() }
  }

  private mutating func id() -> String {
    next += 1
    return String(format: "%08X-%04X-4000-8000-%012X", random.below(1 << 31), random.below(1 << 16), next)
  }

  private mutating func time() -> String {
    clock += 1
    return String(format: "2026-03-%02dT%02d:%02d:00.000Z", 1 + clock / 1440 % 28, clock / 60 % 24, clock % 60)
  }

  private mutating func steps() -> [(id: String, title: String)] {
    (0..<1 + random.below(6)).map { _ in (id(), random.pick(Self.words)) }
  }

  /// Makes one random change.
  mutating func change() {
    switch random.below(12) {
    case 0, 1:
      items.append(Item(id: id(), title: title(), steps: steps(), hasTimes: random.below(3) > 0, updated: time()))
    case 2: items.append(Item(id: id(), title: title(), steps: steps(), isGuide: true, updated: time()))
    case 3: decks.append(Item(id: id(), title: title(), steps: steps(), updated: time()))
    case 4: charters.append((id(), title()))
    case 5:
      if let item = items.first(where: { !$0.isGuide }), let charter = charters.last,
        !executions.contains(where: { $0.checklist == item.id && $0.charter == charter.id })
      {
        executions.append((id(), item.id, charter.id, random.pick(Self.words)))
      }
    case 6: others.append((id(), random.pick(Self.words)))
    case 7 where !decks.isEmpty: decks = edited(decks)
    case 8 where !charters.isEmpty:
      let name = title()
      charters[random.below(charters.count)].name = name
    case 9 where !others.isEmpty:
      let text = title()
      others[random.below(others.count)].text = text
    default: items = edited(items)
    }
  }

  private mutating func title() -> String { "\(random.pick(Self.words)) \(random.below(1000))" }

  private mutating func edited(_ old: [Item]) -> [Item] {
    guard !old.isEmpty else { return old }
    var list = old
    var item = list[random.below(list.count)]
    let index = list.firstIndex { $0.id == item.id } ?? 0
    switch random.below(5) {
    case 0: item.title = title()
    case 1 where item.steps.count > 1: item.steps.remove(at: random.below(item.steps.count))
    case 2: item.steps.insert((id(), random.pick(Self.words)), at: random.below(item.steps.count + 1))
    case 3: item.steps.shuffle(using: &random)
    default: item.steps[random.below(item.steps.count)].title = title()
    }
    item.updated = time()
    list[index] = item
    return list
  }

  // MARK: Sources

  /// Writes the content as a bundle, a table, a vault, or a combination of these, and returns their paths.
  mutating func write(to scratch: Scratch, _ name: String) throws -> [String] {
    switch random.below(5) {
    case 0: return [try table(scratch, name)]
    case 1: return [try vault(scratch, name)]
    case 2: return [try bundle(scratch, name), try vault(scratch, name)]
    default: return [try bundle(scratch, name)]
    }
  }

  private func quoted(_ text: String) -> String { "\"" + text.replacing("\"", with: "\\\"") + "\"" }

  private mutating func bundle(_ scratch: Scratch, _ name: String) throws -> String {
    var text = "{\"kind\":\"bundle\",\"format\":\"fleetkit.bundle\",\"version\":1,\"min_reader\":1}\n"
    for charter in charters {
      text +=
        "{\"kind\":\"charter\",\"id\":\"\(charter.id)\",\"name\":\(quoted(charter.name)),\"start_date\":"
        + "\"2026-06-06T00:00:00.000Z\",\"end_date\":\"2026-06-13T00:00:00.000Z\"}\n"
    }
    for item in items + decks {
      let isDeck = decks.contains { $0.id == item.id }
      let times =
        item.hasTimes ? "\"created_at\":\"2026-01-01T00:00:00.000Z\",\"updated_at\":\"\(item.updated)\"," : ""
      let body: String
      if isDeck {
        body =
          "\"cards\":["
          + item.steps.map { "{\"id\":\"\($0.id)\",\"front\":\(quoted($0.title)),\"back\":\"b\"}" }
          .joined(separator: ",") + "]"
      } else if item.isGuide {
        body = "\"markdown\":" + quoted(item.steps.map(\.title).joined(separator: "\\n"))
      } else {
        body =
          "\"sections\":[{\"title\":\"A\",\"items\":["
          + item.steps.map { "{\"id\":\"\($0.id)\",\"title\":\(quoted($0.title))}" }.joined(separator: ",") + "]}]"
      }
      let type = isDeck ? "flashcard_deck" : item.isGuide ? "practice_guide" : "checklist"
      text +=
        "{\"id\":\"\(item.id)\",\"content_type\":\"\(type)\",\"title\":\(quoted(item.title)),\(times)"
        + "\"content_data\":{\(body)}}\n"
    }
    for execution in executions {
      let item = items.first { $0.id == execution.checklist }
      let tick = item?.steps.first.map { "\"\($0.id)\":{\"isChecked\":true,\"notes\":\(quoted(execution.note))}" } ?? ""
      text +=
        "{\"kind\":\"execution\",\"id\":\"\(execution.id)\",\"checklist_id\":\"\(execution.checklist)\","
        + "\"charter_id\":\"\(execution.charter)\",\"item_states\":{\(tick)}}\n"
    }
    for other in others {
      text += "{\"kind\":\"practice_session\",\"id\":\"\(other.id)\",\"note\":\(quoted(other.text))}\n"
    }
    // The source sometimes contains an invalid record.
    if random.below(3) == 0 { text += "{\"id\":\"\(id())\",\"content_type\":\"checklist\"}\n" }
    return try scratch.write("\(name).jsonl", text)
  }

  private func table(_ scratch: Scratch, _ name: String) throws -> String {
    var text = "id,checklist,item_id,item\r\n"
    for item in items where !item.isGuide {
      for step in item.steps {
        text +=
          [item.id, item.title, step.id, step.title].map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" }
          .joined(separator: ",") + "\r\n"
      }
    }
    return try scratch.write("table.csv", text)
  }

  private func vault(_ scratch: Scratch, _ name: String) throws -> String {
    try? FileManager.default.removeItem(atPath: scratch["vault"])
    try FileManager.default.createDirectory(atPath: scratch["vault"], withIntermediateDirectories: true)
    for (index, item) in items.prefix(6).enumerated() {
      let steps = item.steps.map { "- [ ] \($0.title)" }.joined(separator: "\n")
      let picture = index % 2 == 0 ? "\n![k](knot-\(item.steps.count).png)\n" : ""
      let head = index % 3 == 0 ? "" : "---\nid: \(item.id)\n---\n"
      _ = try scratch.write("vault/note \(index).md", "\(head)# \(item.title)\n\n## A\n\n\(steps)\n\(picture)")
      _ = try scratch.write("vault/knot-\(item.steps.count).png", "\u{1}PNG \(item.steps.count)")
    }
    _ = try scratch.write("vault/about.md", "# About\n\nText \(clock).\n")
    return scratch["vault"]
  }
}
