import Content
import JSONText

/// Matches the sections and steps of a source with the library's: first by id, then by title, and the remaining ones by
/// similarity. A position alone never decides a match.
///
/// A charter's ticks depend on the ids of steps, and reviews depend on the ids of cards. A wrong match is worse than no
/// match: a task that was not done would be ticked.
/// - Source: docs/DESIGN.md, section 6
struct StepMatching {
  /// Whether steps whose titles are only similar are matched.
  enum Leniency {
    /// Similar steps are not matched, because steps that the source does not contain were not deleted.
    case none
    /// Only very similar steps are matched, because some steps that the source does not contain were not deleted.
    case strict
    /// Steps are matched if no other step is as similar.
    case full
  }

  let source: StepTree
  let library: StepTree
  /// The id of the record, from which ids in the source may have been derived.
  private let recordID: String
  /// The library's step for each step of the source, if there is a match.
  private(set) var steps: [Int?]
  /// The library's section for each section of the source, if there is a match.
  private(set) var sections: [Int?]
  /// Whether each step of the library is matched.
  private(set) var takenSteps: [Bool]
  private(set) var takenSections: [Bool]

  /// Matches the two trees.
  /// - Parameter recordID: the record's id in the source.
  init(_ source: StepTree, with library: StepTree, recordID: String, _ leniency: Leniency = .full) {
    self.source = source
    self.library = library
    self.recordID = recordID
    steps = .init(repeating: nil, count: source.steps.count)
    sections = .init(repeating: nil, count: source.sections.count)
    takenSteps = .init(repeating: false, count: library.steps.count)
    takenSections = .init(repeating: false, count: library.sections.count)
    matchSectionsByNames()
    matchStepsByID()
    matchStepsByTitle()
    matchSectionsByContent()
    matchStepsInOrder()
    var leftovers = FuzzyStepMatcher(self, isNameless: namelessLeftovers(), leniency)
    for (mine, theirs) in leftovers.pairs() { pair(step: mine, theirs) }
  }

  mutating func pair(step mine: Int, _ theirs: Int) {
    guard steps[mine] == nil, !takenSteps[theirs] else { return }
    steps[mine] = theirs
    takenSteps[theirs] = true
  }

  private mutating func pair(section mine: Int, _ theirs: Int) {
    guard sections[mine] == nil, !takenSections[theirs] else { return }
    sections[mine] = theirs
    takenSections[theirs] = true
  }

  // MARK: Sections

  private mutating func matchSectionsByNames() {
    guard source.hasSections, library.hasSections else {
      if source.hasSections == library.hasSections { pair(section: 0, 0) }
      return
    }
    var byID: [RawString: Int] = [:]
    for (index, section) in library.sections.enumerated() where !section.id.isEmpty { byID[section.id] = index }
    for (index, section) in source.sections.enumerated() {
      guard let other = byID[section.id] else { continue }
      // An id derived from a section's title does not count if that section now has a different title.
      let isSame = section.title == library.sections[other].title
      if isSame || !wasMade(section.id, from: section.title, around: sectionParents) { pair(section: index, other) }
    }
    var byTitle: [RawString: [Int]] = [:]
    for index in library.sections.indices.reversed() where !takenSections[index] {
      byTitle[library.sections[index].title, default: []].append(index)
    }
    for (index, section) in source.sections.enumerated() where isLoose(section: index) {
      if let other = byTitle[section.title]?.popLast() { pair(section: index, other) }
    }
  }

  /// Matches sections with a changed title with the sections that most of their steps come from.
  private mutating func matchSectionsByContent() {
    guard source.hasSections else { return }
    for index in source.sections.indices where isLoose(section: index) {
      var votes: [Int: Int] = [:]
      for step in source.sections[index].steps {
        if let other = steps[step] { votes[library.steps[other].section, default: 0] += 1 }
      }
      let best = votes.max { ($0.value, $1.key) < ($1.value, $0.key) }
      guard let best, !takenSections[best.key], 2 * best.value >= library.sections[best.key].steps.count else {
        continue
      }
      pair(section: index, best.key)
    }
    // Matches single remaining sections between matched sections.
    for index in source.sections.indices where isLoose(section: index) {
      let before = index == 0 ? -1 : sections[index - 1]
      let after = index + 1 == source.sections.count ? library.sections.count : sections[index + 1]
      guard let before, let after, after - before == 2, !takenSections[before + 1] else { continue }
      let mine = StepTitle(source.sections[index].title.text)
      let theirs = StepTitle(library.sections[before + 1].title.text)
      if mine.likeness(theirs, weight: { _ in 1 }) >= 0.3, !mine.opposes(theirs) { pair(section: index, before + 1) }
    }
  }

  private func isLoose(section index: Int) -> Bool {
    sections[index] == nil && (source.sections[index].id.isEmpty || source.sections[index].id.isDerivedID)
  }

  // MARK: Steps

  private mutating func matchStepsByID() {
    var byID: [RawString: Int] = [:]
    for (index, step) in library.steps.enumerated() where !step.id.isEmpty { byID[step.id] = index }
    let counts = (Self.counts(source), Self.counts(library))
    for (index, step) in source.steps.enumerated() {
      guard let other = byID[step.id] else { continue }
      // An id derived from a title is only as reliable as the title. The step that had the id may have a different
      // title now. If several steps have the same title, the first of them may have been removed.
      let isClear =
        step.title == library.steps[other].title && counts.0[step.title] == 1 && counts.1[step.title] == 1
      if isClear || !wasMade(step) { pair(step: index, other) }
    }
  }

  private static func counts(_ tree: StepTree) -> [RawString: Int] {
    var counts: [RawString: Int] = [:]
    for step in tree.steps { counts[step.title, default: 0] += 1 }
    return counts
  }

  /// Whether a step has no match yet, and has either no id or one that was derived from a name.
  private func isLoose(step index: Int) -> Bool {
    steps[index] == nil && (source.steps[index].id.isEmpty || source.steps[index].id.isDerivedID)
  }

  /// Matches steps whose title is unique on both sides, whichever section they are in.
  private mutating func matchStepsByTitle() {
    var mine: [RawString: Int] = [:]
    var theirs: [RawString: Int] = [:]
    for index in source.steps.indices {
      mine[source.steps[index].title] = mine[source.steps[index].title] == nil ? index : -1
    }
    for index in library.steps.indices {
      theirs[library.steps[index].title] = theirs[library.steps[index].title] == nil ? index : -1
    }
    for (title, index) in mine where index >= 0 && isLoose(step: index) {
      if let other = theirs[title], other >= 0 { pair(step: index, other) }
    }
  }

  /// Matches steps with repeated titles: first section by section in their order, then in any section.
  private mutating func matchStepsInOrder() {
    guard source.steps.indices.contains(where: { isLoose(step: $0) }) else { return }
    for (index, other) in sections.enumerated() {
      guard let other else { continue }
      let mine = source.sections[index].steps
      let theirs = library.sections[other].steps
      for (step, twin) in commonSubsequence(mine, theirs) { pair(step: step, twin) }
      matchEqualTitles(mine, theirs)
    }
    matchEqualTitles(source.steps.indices, library.steps.indices)
  }

  private mutating func matchEqualTitles(_ mine: Range<Int>, _ theirs: Range<Int>) {
    var free: [RawString: [Int]] = [:]
    for index in theirs.reversed() where !takenSteps[index] {
      free[library.steps[index].title, default: []].append(index)
    }
    if free.isEmpty { return }
    for index in mine where isLoose(step: index) {
      if let other = free[source.steps[index].title]?.popLast() { pair(step: index, other) }
    }
  }

  /// Pairs loose steps with free steps of the same title, so that their order agrees with the order of the matched
  /// steps as far as possible.
  private func commonSubsequence(_ mine: Range<Int>, _ theirs: Range<Int>) -> [(Int, Int)] {
    let free = Set(theirs.filter { !takenSteps[$0] }.map { library.steps[$0].title })
    guard !free.isEmpty, mine.contains(where: { isLoose(step: $0) && free.contains(source.steps[$0].title) }),
      mine.count * theirs.count <= 1_000_000
    else { return [] }
    func agree(_ i: Int, _ j: Int) -> Bool {
      if let other = steps[i] { return other == j }
      return !takenSteps[j] && isLoose(step: i) && source.steps[i].title == library.steps[j].title
    }
    let width = theirs.count + 1
    var lengths = [Int32](repeating: 0, count: (mine.count + 1) * width)
    for i in stride(from: mine.count - 1, through: 0, by: -1) {
      for j in stride(from: theirs.count - 1, through: 0, by: -1) {
        lengths[i * width + j] =
          agree(mine.lowerBound + i, theirs.lowerBound + j)
          ? lengths[(i + 1) * width + j + 1] + 1 : max(lengths[(i + 1) * width + j], lengths[i * width + j + 1])
      }
    }
    var pairs: [(Int, Int)] = []
    var i = 0
    var j = 0
    while i < mine.count, j < theirs.count {
      if agree(mine.lowerBound + i, theirs.lowerBound + j) {
        pairs.append((mine.lowerBound + i, theirs.lowerBound + j))
        i += 1
        j += 1
      } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
        i += 1
      } else {
        j += 1
      }
    }
    return pairs
  }

  // MARK: Derived ids

  /// Returns, for each step, whether it has no match and no id in the source.
  private func namelessLeftovers() -> [Bool] {
    guard takenSteps.contains(false) else { return .init(repeating: false, count: steps.count) }
    return source.steps.indices.map { isLoose(step: $0) && wasMade(source.steps[$0]) }
  }

  /// Whether a step's id was derived from its title, because the source had none.
  private func wasMade(_ step: StepTree.Step) -> Bool {
    guard !step.id.isEmpty else { return true }
    guard source.hasSections else { return wasMade(step.id, from: step.title, around: sectionParents) }
    let section = source.sections[step.section]
    return wasMade(step.id, from: step.title, around: [section.id.text, section.title.text] + sectionParents)
  }

  /// The parents that ids of sections may have been derived from.
  private var sectionParents: [String] { [recordID, ""] }

  /// - Source: `Canonicalizer.derivedID`
  private func wasMade(_ id: RawString, from title: RawString, around: [String]) -> Bool {
    guard id.isDerivedID else { return id.isEmpty }
    let text = id.text
    for parent in around.map(Canonicalizer.surroundings) {
      for repeats in 0..<Self.repeats
      where CanonicalUUID.derived([recordID, parent, title.text, "\(repeats)"]).utf8
        .elementsEqual(text.utf8)
      { return true }
    }
    return false
  }

  /// How many steps with the same title are tried in order to trace an id to its title.
  private static let repeats = 8

  /// Returns the ids that replace the ids of the source's sections and steps, with their positions; nil if all ids stay
  /// the same.
  func ids() -> [(span: Range<Int>, id: String)]? {
    var list: [(span: Range<Int>, id: String)] = []
    func replace(_ node: JSONNode?, by new: String?) {
      guard let value = node?.member("id"), let old = value.string, let new, !old.utf8.elementsEqual(new.utf8) else {
        return
      }
      list.append((value.span, new))
    }
    let freshSections = freshSectionIDs()
    for (index, section) in source.sections.enumerated() {
      replace(section.node, by: sections[index].map { library.sections[$0].id.text } ?? freshSections[index])
    }
    let fresh = freshIDs()
    for (index, step) in source.steps.enumerated() {
      replace(step.node, by: steps[index].map { library.steps[$0].id.text } ?? fresh[index])
    }
    return list.isEmpty ? nil : list
  }

  /// Returns new ids for new steps whose id belongs to another step of the library. Both ids were derived from the same
  /// title, which that other step no longer has.
  func freshIDs() -> [Int: String] {
    guard steps.contains(where: { $0 == nil }) else { return [:] }
    let known = Set(library.steps.map(\.id))
    var ids: [Int: String] = [:]
    for (index, step) in source.steps.enumerated() where steps[index] == nil && known.contains(step.id) {
      ids[index] = CanonicalUUID.derived([step.id.text, "another step", step.title.text, String(index)])
    }
    return ids
  }

  /// Returns new ids for new sections whose id belongs to another section of the library.
  func freshSectionIDs() -> [Int: String] {
    guard source.hasSections, sections.contains(where: { $0 == nil }) else { return [:] }
    let known = Set(library.sections.map(\.id))
    var ids: [Int: String] = [:]
    for (index, section) in source.sections.enumerated() where sections[index] == nil && known.contains(section.id) {
      ids[index] = CanonicalUUID.derived([section.id.text, "another section", section.title.text, String(index)])
    }
    return ids
  }
}

/// Pairs the elements of two versions of a list by their ids, and finds those that moved.
struct IDPairs {
  /// The elements of both versions, in the order of the later version.
  private(set) var pairs: [(before: Int, after: Int)] = []
  /// Whether each pair is in the longest sequence that has the same order before and after.
  private(set) var keepsOrder: [Bool] = []
  /// The elements that only the later version has.
  private(set) var added: [Int] = []
  /// The elements that only the earlier version has.
  private(set) var removed: [Int] = []

  /// Pairs the elements. If several elements have the same id, the last of them in the earlier version is paired with
  /// the first in the later one.
  init<Element>(_ before: [Element], _ after: [Element], id: (Element) -> RawString) {
    var byID: [RawString: Int] = [:]
    for (index, element) in before.enumerated() { byID[id(element)] = index }
    var stays = [Bool](repeating: false, count: before.count)
    for (index, element) in after.enumerated() {
      guard let old = byID[id(element)], !stays[old] else {
        added.append(index)
        continue
      }
      stays[old] = true
      pairs.append((old, index))
    }
    removed = stays.indices.filter { !stays[$0] }
    keepsOrder = Self.longestRise(pairs.map(\.before))
  }

  /// Returns, for each number, whether it is in the longest increasing subsequence.
  static func longestRise(_ numbers: [Int]) -> [Bool] {
    var tails: [Int] = []
    var previous = [Int](repeating: -1, count: numbers.count)
    for index in numbers.indices {
      var low = 0
      var high = tails.count
      while low < high {
        let middle = (low + high) / 2
        if numbers[tails[middle]] < numbers[index] { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[index] = tails[low - 1] }
      if low == tails.count { tails.append(index) } else { tails[low] = index }
    }
    var rises = [Bool](repeating: false, count: numbers.count)
    var at = tails.last ?? -1
    while at >= 0 {
      rises[at] = true
      at = previous[at]
    }
    return rises
  }
}

/// Pairs the steps that remain after matching by ids and titles, by the similarity of their titles. The best pairs are
/// chosen first.
///
/// Only steps without an id in the source are paired. Numbered steps (`Cylinder 1`, `Cylinder 2`) and opposite steps
/// (`port`, `starboard`) are similar but different, and are never paired.
struct FuzzyStepMatcher {
  private struct Candidate {
    let mine: Int
    let theirs: Int
    let score: Double
  }

  private let matching: StepMatching
  private let mine: [Int]
  private let theirs: [Int]
  private var titles: [Int: StepTitle] = [:]
  private var libraryTitles: [Int: StepTitle] = [:]
  /// How many steps on each side have a title in common, apart from its numbers.
  private var templates: [String: Int] = [:]
  private var weights = WordWeights()
  private var steps: [Int?]
  private var taken: [Bool]
  private let leniency: StepMatching.Leniency

  /// The maximum number of pairs that are compared in one section, and across the sections of one record.
  private static let mostPairs = 2_000
  /// The minimum similarity of steps in matched sections. For other steps, the minimum is higher.
  private static let alike = 0.58
  private static let alikeAnywhere = 0.7
  /// The lower minimum for single steps between matched neighbours.
  private static let alikeInGap = 0.35
  /// The similarity that equal details add.
  private static let sameDetails = 0.3

  init(_ matching: StepMatching, isNameless: [Bool], _ leniency: StepMatching.Leniency) {
    self.leniency = leniency
    self.matching = matching
    steps = matching.steps
    taken = matching.takenSteps
    mine = isNameless.indices.filter { isNameless[$0] }
    theirs = matching.takenSteps.indices.filter { !matching.takenSteps[$0] }
  }

  /// Returns the pairs, each with the index in the source and the index in the library.
  mutating func pairs() -> [(Int, Int)] {
    guard !mine.isEmpty, !theirs.isEmpty, leniency != .none else { return [] }
    for index in mine { titles[index] = StepTitle(matching.source.steps[index].title.text) }
    for index in theirs { libraryTitles[index] = StepTitle(matching.library.steps[index].title.text) }
    countTemplates()
    for step in matching.library.steps { weights.add(StepTitle(step.title.text)) }
    var found: [(Int, Int)] = []
    for (section, other) in matching.sections.enumerated() {
      guard let other else { continue }
      pairSimilar(
        mine.filter { matching.source.steps[$0].section == section },
        theirs.filter { matching.library.steps[$0].section == other },
        from: leniency == .strict ? Self.alikeAnywhere : Self.alike, &found)
    }
    guard leniency == .full else { return found }
    pairGaps(&found)
    pairSimilar(mine, theirs, from: Self.alikeAnywhere, &found)
    return found
  }

  /// Adds pairs, the best ones first, so that each step is used once.
  private mutating func pairSimilar(
    _ mine: [Int], _ theirs: [Int], from least: Double, _ found: inout [(Int, Int)]
  ) {
    let open = mine.filter { steps[$0] == nil }
    let free = theirs.filter { !taken[$0] }
    guard !open.isEmpty, !free.isEmpty else { return }
    // If there are too many pairs, each step is compared with the steps at about the same relative position.
    let reach = open.count * free.count <= Self.mostPairs ? free.count : max(1, Self.mostPairs / open.count / 2)
    var candidates: [Candidate] = []
    for (rank, index) in open.enumerated() {
      let centre = rank * free.count / open.count
      for other in free[max(0, centre - reach)..<min(free.count, centre + reach)] {
        let score = score(index, other)
        if score >= least { candidates.append(Candidate(mine: index, theirs: other, score: score)) }
      }
    }
    candidates.sort { ($1.score, $0.mine, $0.theirs) < ($0.score, $1.mine, $1.theirs) }
    for candidate in candidates { pair(candidate.mine, candidate.theirs, &found) }
  }

  /// Pairs single steps of both sides between two matched neighbours.
  private mutating func pairGaps(_ found: inout [(Int, Int)]) {
    for index in mine where steps[index] == nil {
      let section = matching.source.steps[index].section
      guard let other = matching.sections[section] else { continue }
      let range = matching.source.sections[section].steps
      let theirs = matching.library.sections[other].steps
      let before = index == range.lowerBound ? theirs.lowerBound - 1 : steps[index - 1]
      let after = index + 1 == range.upperBound ? theirs.upperBound : steps[index + 1]
      guard let before, let after, after - before == 2, theirs.contains(before + 1), !taken[before + 1],
        libraryTitles[before + 1] != nil, score(index, before + 1) >= Self.alikeInGap
      else { continue }
      pair(index, before + 1, &found)
    }
  }

  private mutating func pair(_ mine: Int, _ theirs: Int, _ found: inout [(Int, Int)]) {
    guard steps[mine] == nil, !taken[theirs] else { return }
    steps[mine] = theirs
    taken[theirs] = true
    found.append((mine, theirs))
  }

  private func score(_ index: Int, _ other: Int) -> Double {
    guard let mine = titles[index], let theirs = libraryTitles[other], !mine.opposes(theirs) else { return 0 }
    if mine.numbers != theirs.numbers, !isEditOfNumbers(mine, theirs) { return 0 }
    let likeness = mine.likeness(theirs, weight: weights.weight)
    let details = matching.source.steps[index].details
    let isSame = !details.isEmpty && details == matching.library.steps[other].details
    return likeness + (isSame ? Self.sameDetails : 0)
  }

  /// Whether two titles with different numbers may be versions of one title, because no other step of the checklist is
  /// numbered in this way.
  private func isEditOfNumbers(_ mine: StepTitle, _ theirs: StepTitle) -> Bool {
    let count = { (title: StepTitle) in templates[title.template, default: 0] }
    if mine.template == theirs.template { return count(mine) <= 2 }
    return count(mine) <= 1 && count(theirs) <= 1
  }

  /// Counts the remaining steps on each side, and the titles that occur once on both sides.
  private mutating func countTemplates() {
    for title in titles.values where !title.numbers.isEmpty { templates[title.template, default: 0] += 1 }
    for title in libraryTitles.values where !title.numbers.isEmpty { templates[title.template, default: 0] += 1 }
    for (index, step) in matching.source.steps.enumerated() where matching.steps[index] != nil {
      guard step.title.bytes.contains(where: { $0 >= 0x30 && $0 <= 0x39 }) else { continue }
      templates[StepTitle(step.title.text).template, default: 0] += 1
    }
  }
}
