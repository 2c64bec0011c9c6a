import Content
import TestSupport

/// Random checklists and random edits like those that people make.
struct MergeRandom {
  var random: SeededRandom
  private var made = 0

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  /// Returns a word that occurs nowhere else.
  private mutating func word() -> String {
    made += 1
    return "\(random.pick(["oil", "Öl", "o\u{308}l", "line", "ж", "a/b", "\"q\""]))-\(made)"
  }

  private mutating func id() -> String {
    made += 1
    return CanonicalUUID.derived(["random", "\(random.next())", "\(made)"])
  }

  private mutating func text(_ count: Int) -> String {
    (0..<count).map { _ in word() }.joined(separator: "\n")
  }

  private mutating func step() -> ChecklistItem {
    let lines = random.below(7)
    return ChecklistItem(
      id: id(), title: word(), itemDescription: lines == 0 ? nil : text(lines), tags: random.below(2) == 0 ? ["t"] : [],
      estimatedMinutes: random.below(2) == 0 ? random.below(50) : nil)
  }

  private mutating func section() -> ChecklistSection {
    let count = random.below(6)
    return ChecklistSection(id: id(), title: word(), items: (0..<count).map { _ in step() })
  }

  mutating func item() -> LibraryItem {
    var checklist = Checklist(title: word(), description: text(1 + random.below(5)))
    checklist.sections = (0..<1 + random.below(4)).map { _ in section() }
    checklist.tags = ["x", "y", "z"]
    var item = LibraryItem(.checklist(checklist))
    item.id = id()
    item.updatedAt = Timestamp(milliseconds: 1000)
    return item
  }

  /// Edits an item `times` times.
  mutating func edit(_ item: LibraryItem, times: Int) -> LibraryItem {
    guard var checklist = item.content?.checklist else { return item }
    var copy = item
    for _ in 0..<times { edit(&checklist, &copy) }
    copy.content = .checklist(checklist)
    copy.updatedAt = Timestamp(milliseconds: Int64(1000 + random.below(5000)))
    return copy
  }

  private mutating func edit(_ checklist: inout Checklist, _ item: inout LibraryItem) {
    switch random.below(20) {
    case 0: item.title = word()
    case 1: checklist.title = word()
    case 2: checklist.description = edit(text: checklist.description)
    case 3: checklist.tags.removeAll { $0 == "y" }
    case 4: checklist.tags.insert(word(), at: random.below(checklist.tags.count + 1))
    case 5: checklist.sections.insert(section(), at: random.below(checklist.sections.count + 1))
    case 6 where !checklist.sections.isEmpty: checklist.sections.remove(at: random.below(checklist.sections.count))
    case 7 where !checklist.sections.isEmpty:
      let moved = checklist.sections.remove(at: random.below(checklist.sections.count))
      checklist.sections.insert(moved, at: random.below(checklist.sections.count + 1))
    case 8 where !checklist.sections.isEmpty: checklist.sections[random.below(checklist.sections.count)].title = word()
    case 9: item.language = random.pick(["en", "de", "el"])
    default:
      guard !checklist.sections.isEmpty else { return }
      let index = random.below(checklist.sections.count)
      if let moved = edit(&checklist.sections[index].items) {
        let target = random.below(checklist.sections.count)
        let place = random.below(checklist.sections[target].items.count + 1)
        checklist.sections[target].items.insert(moved, at: place)
      }
    }
  }

  /// Edits the steps of a section.
  /// - Returns: a step that moves to another section; nil if no step moves.
  private mutating func edit(_ steps: inout [ChecklistItem]) -> ChecklistItem? {
    let kind = random.below(8)
    if kind == 0 || steps.isEmpty {
      steps.insert(step(), at: random.below(steps.count + 1))
      return nil
    }
    let index = random.below(steps.count)
    switch kind {
    case 1: steps.remove(at: index)
    case 2: return steps.remove(at: index)
    case 3:
      let moved = steps.remove(at: index)
      steps.insert(moved, at: random.below(steps.count + 1))
    case 4: steps[index].title = word()
    case 5: steps[index].isRequired.toggle()
    case 6: steps[index].estimatedMinutes = random.below(3) == 0 ? nil : random.below(50)
    default: steps[index].itemDescription = edit(text: steps[index].itemDescription)
    }
    return nil
  }

  private mutating func edit(text: String?) -> String? {
    guard let text else { return self.text(1 + random.below(3)) }
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let index = random.below(lines.count)
    switch random.below(3) {
    case 0: lines[index] = word()
    case 1: lines.insert(word(), at: index)
    default: if lines.count > 1 { lines.remove(at: index) }
    }
    return lines.joined(separator: "\n")
  }
}
