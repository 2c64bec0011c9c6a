import Content
import JSONText

/// Matches the sections and steps of three versions: elements with the same id, and elements that both sides added
/// identically.
struct TreeMatching {
  /// The index of a section or step in each version; -1 if the element is missing.
  struct Entry {
    var base = -1
    var ours = -1
    var theirs = -1
    /// Whether their side added an equal element, so that only ours is kept.
    var isVoid = false
  }

  let form: TreeForm
  let base: TreeSide
  let ours: TreeSide
  let theirs: TreeSide
  private(set) var sections: [Entry] = []
  private(set) var steps: [Entry] = []
  /// The sections by their positions in each version.
  private(set) var baseSections: [Int] = []
  private(set) var ourSections: [Int] = []
  private(set) var theirSections: [Int] = []
  private(set) var baseSteps: [Int] = []
  private(set) var ourSteps: [Int] = []
  private(set) var theirSteps: [Int] = []

  /// Matches three lists; nil if ids are missing or occur twice.
  init?(_ trio: ThreeVersions, _ form: TreeForm) {
    guard let base = TreeSide(trio.base, form), let ours = TreeSide(trio.ours, form),
      let theirs = TreeSide(trio.theirs, form)
    else { return nil }
    self.form = form
    self.base = base
    self.ours = ours
    self.theirs = theirs
    var names: [RawString: Int] = [:]
    if form == .sections {
      guard let first = Self.add(base.sections.map(\.id), \.base, &names, &sections),
        let second = Self.add(ours.sections.map(\.id), \.ours, &names, &sections),
        let third = Self.add(theirs.sections.map(\.id), \.theirs, &names, &sections)
      else { return nil }
      (baseSections, ourSections, theirSections) = (first, second, third)
    } else {
      sections = [Entry(base: trio.knowsBase ? 0 : -1, ours: 0, theirs: 0)]
      (baseSections, ourSections, theirSections) = ([0], [0], [0])
    }
    names = [:]
    guard let first = Self.add(base.steps.map(\.id), \.base, &names, &steps),
      let second = Self.add(ours.steps.map(\.id), \.ours, &names, &steps),
      let third = Self.add(theirs.steps.map(\.id), \.theirs, &names, &steps)
    else { return nil }
    (baseSteps, ourSteps, theirSteps) = (first, second, third)
  }

  private static func add(
    _ ids: [RawString], _ side: WritableKeyPath<Entry, Int>, _ names: inout [RawString: Int], _ entries: inout [Entry]
  ) -> [Int]? {
    var numbers: [Int] = []
    numbers.reserveCapacity(ids.count)
    for (index, id) in ids.enumerated() {
      let number = names[id] ?? entries.count
      if number == entries.count {
        names[id] = number
        entries.append(Entry())
      }
      guard entries[number][keyPath: side] < 0 else { return nil }
      entries[number][keyPath: side] = index
      numbers.append(number)
    }
    return numbers
  }

  // MARK: Places

  /// Returns the section of a step in one version; -1 if the step is missing there.
  func sectionInBase(_ step: Entry) -> Int { step.base < 0 ? -1 : baseSections[base.steps[step.base].section] }
  func sectionInOurs(_ step: Entry) -> Int { step.ours < 0 ? -1 : ourSections[ours.steps[step.ours].section] }
  func sectionInTheirs(_ step: Entry) -> Int {
    step.theirs < 0 ? -1 : theirSections[theirs.steps[step.theirs].section]
  }

  // MARK: Equal elements

  /// Joins elements that both sides added identically: sections with equal values of their own, and steps in the same
  /// section with equal values, apart from their ids.
  /// - Returns: the ids that were dropped, with the ids that replace them.
  mutating func joinAlike(effort: inout Int) -> [(theirs: JSONNode, ours: JSONNode)] {
    var joined: [(theirs: JSONNode, ours: JSONNode)] = []
    if form == .sections {
      for (mine, other) in Self.pairs(
        sections, effort: &effort,
        { entry in
          let node = entry.ours >= 0 ? ours.sections[entry.ours].node : theirs.sections[entry.theirs].node
          return node.map { Self.content($0, without: "items") }
        })
      {
        let twin = sections[other].theirs
        sections[mine].theirs = twin
        sections[other].isVoid = true
        theirSections[twin] = mine
        if let old = theirs.sections[twin].node?.member("id"),
          let new = ours.sections[sections[mine].ours].node?.member("id")
        {
          joined.append((old, new))
        }
      }
    }
    for (mine, other) in Self.pairs(
      steps, effort: &effort,
      { entry in
        let node = entry.ours >= 0 ? ours.steps[entry.ours].node : theirs.steps[entry.theirs].node
        let section = entry.ours >= 0 ? sectionInOurs(entry) : sectionInTheirs(entry)
        return Array("\(section)".utf8) + Self.content(node, without: "id")
      })
    {
      let twin = steps[other].theirs
      steps[mine].theirs = twin
      steps[other].isVoid = true
      theirSteps[twin] = mine
      if let old = theirs.steps[twin].node.member("id"), let new = ours.steps[steps[mine].ours].node.member("id") {
        joined.append((old, new))
      }
    }
    return joined
  }

  /// Pairs elements that only ours added with elements that only theirs added, if their content is the same. The pairs
  /// follow the order of the elements.
  private static func pairs(
    _ entries: [Entry], effort: inout Int, _ content: (Entry) -> [UInt8]?
  ) -> [(Int, Int)] {
    let mine = entries.indices.filter { entries[$0].base < 0 && entries[$0].theirs < 0 }
    let other = entries.indices.filter { entries[$0].base < 0 && entries[$0].ours < 0 }
    guard !mine.isEmpty, !other.isEmpty else { return [] }
    effort += mine.count + other.count
    var waiting: [[UInt8]: [Int]] = [:]
    for number in mine.reversed() {
      if let key = content(entries[number]) { waiting[key, default: []].append(number) }
    }
    var pairs: [(Int, Int)] = []
    for number in other {
      guard let key = content(entries[number]), let twin = waiting[key]?.popLast() else { continue }
      pairs.append((twin, number))
    }
    return pairs
  }

  /// Returns the content of a section or step without its id, its number and its elements.
  private static func content(_ node: JSONNode, without skipped: StaticString) -> [UInt8] {
    var content: [UInt8] = []
    node.forEachMember { name, value in
      if name.equals("id") || name.equals("sortOrder") || name.equals(skipped) || value.isNull { return }
      content += name.raw
      content += value.raw
    }
    return content
  }
}

/// The positions in our record of elements that only theirs has: after the element that precedes them there. Conflicts
/// are sorted by these positions.
struct TreeAnchors {
  /// Offsets in our record, by positions in their record.
  private(set) var sections: [Int] = []
  private(set) var steps: [Int] = []

  init(_ matching: TreeMatching, _ list: JSONNode?) {
    var last = list?.span.lowerBound ?? 0
    for (index, section) in matching.theirs.sections.enumerated() {
      let mine = matching.sections[matching.theirSections[index]].ours
      let own = mine < 0 ? nil : matching.ours.sections[mine].node ?? list
      var at = own?.span.lowerBound ?? last
      sections.append(at)
      for step in section.steps {
        let mine = matching.steps[matching.theirSteps[step]].ours
        // An element that we moved to another section is not a neighbour here.
        if mine >= 0 {
          let span = matching.ours.steps[mine].node.span
          if own?.span.contains(span.lowerBound) ?? false { at = span.upperBound }
        }
        steps.append(at)
      }
      if let own, matching.form == .sections { last = own.span.upperBound - 1 }
    }
  }
}

/// Gives sections, steps and cards of one version of a record the ids that the same elements have in another version.
///
/// If a source has no ids, they are derived from titles and change with the titles. Ids from the source are never
/// changed.
package final class StepAlignment {
  private let overlay = RecordOverlay()

  package init() {}

  /// Returns a version with the other version's ids; nil if it already has them. Both versions must stay valid during
  /// the call.
  package func align(_ version: JSONNode, to other: JSONNode) -> [UInt8]? {
    overlay.apply(version, over: other, coverage: nil, extent: .whole).map { Array($0) }
  }
}
