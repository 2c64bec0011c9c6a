import Content
import JSONText

/// Finds out which section and which step of a source is which one of the library's: by id, by title, then by what is
/// left over and alike; never by number.
///
/// Ticks of a charter hang on the ids of steps, and reviews on those of cards. To take one step for another is worse
/// than to take it for a new one: a tick would be on something that was not done.
/// - Source: docs/DESIGN.md, section 6
struct StepMatching {
  /// Whether steps are paired whose titles are no more than alike.
  enum Leniency {
    /// Never: what the source does not mention has not gone.
    case none
    /// When they are much alike: some of what the source does not mention has not gone.
    case strict
    /// When nothing else is as much alike.
    case full
  }

  let source: StepTree
  let library: StepTree
  /// Ids that may have been made from names in the source: the record's.
  private let recordID: String
  /// For each step of the source the library's, where it has one.
  private(set) var steps: [Int?]
  /// For each section of the source the library's, where it has one.
  private(set) var sections: [Int?]
  /// Whether a step, or a section, of the library belongs to one of the source.
  private(set) var takenSteps: [Bool]
  private(set) var takenSections: [Bool]

  /// Matches.
  /// - Parameter recordID: the id that the source has for the record.
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
    var leftovers = StepLeftovers(self, isNameless: namelessLeftovers(), leniency)
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
    var byID: [RawText: Int] = [:]
    for (index, section) in library.sections.enumerated() where !section.id.isEmpty { byID[section.id] = index }
    for (index, section) in source.sections.enumerated() {
      guard let other = byID[section.id] else { continue }
      // An id that was made from the title of one section says nothing of one that has another title now.
      let isSame = section.title == library.sections[other].title
      if isSame || !wasMade(section.id, from: section.title, around: sectionParents) { pair(section: index, other) }
    }
    var byTitle: [RawText: [Int]] = [:]
    for index in library.sections.indices.reversed() where !takenSections[index] {
      byTitle[library.sections[index].title, default: []].append(index)
    }
    for (index, section) in source.sections.enumerated() where isLoose(section: index) {
      if let other = byTitle[section.title]?.popLast() { pair(section: index, other) }
    }
  }

  /// A section whose title was changed is the one that most of its steps come from.
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
    // What is left over on both sides, one each, between sections that belong together.
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
    var byID: [RawText: Int] = [:]
    for (index, step) in library.steps.enumerated() where !step.id.isEmpty { byID[step.id] = index }
    let counts = (Self.counts(source), Self.counts(library))
    for (index, step) in source.steps.enumerated() {
      guard let other = byID[step.id] else { continue }
      // An id that was made from a title is only as good as the title: the step that had it may have another one now,
      // and where several have one title, the first of them may have gone.
      let isClear =
        step.title == library.steps[other].title && counts.0[step.title] == 1 && counts.1[step.title] == 1
      if isClear || !wasMade(step) { pair(step: index, other) }
    }
  }

  private static func counts(_ tree: StepTree) -> [RawText: Int] {
    var counts: [RawText: Int] = [:]
    for step in tree.steps { counts[step.title, default: 0] += 1 }
    return counts
  }

  /// Whether a step may have come without an id, or with one that says nothing here.
  private func isLoose(step index: Int) -> Bool {
    steps[index] == nil && (source.steps[index].id.isEmpty || source.steps[index].id.isDerivedID)
  }

  /// Steps whose title is the only one of its kind on both sides, wherever they stand.
  private mutating func matchStepsByTitle() {
    var mine: [RawText: Int] = [:]
    var theirs: [RawText: Int] = [:]
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

  /// Titles that are there more than once, section by section in their order, then wherever they stand.
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
    var free: [RawText: [Int]] = [:]
    for index in theirs.reversed() where !takenSteps[index] {
      free[library.steps[index].title, default: []].append(index)
    }
    if free.isEmpty { return }
    for index in mine where isLoose(step: index) {
      if let other = free[source.steps[index].title]?.popLast() { pair(step: index, other) }
    }
  }

  /// Loose steps that have the same title as free ones, so that their order and that of the steps that belong together
  /// agree as far as it can be.
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

  // MARK: Ids that were made from names

  /// Steps that have no step of the library yet and came without an id.
  private func namelessLeftovers() -> [Bool] {
    guard takenSteps.contains(false) else { return .init(repeating: false, count: steps.count) }
    return source.steps.indices.map { isLoose(step: $0) && wasMade(source.steps[$0]) }
  }

  /// Whether a step's id was made from its title, because the source gave none.
  private func wasMade(_ step: StepTree.Step) -> Bool {
    guard !step.id.isEmpty else { return true }
    guard source.hasSections else { return wasMade(step.id, from: step.title, around: sectionParents) }
    let section = source.sections[step.section]
    return wasMade(step.id, from: step.title, around: [section.id.text, section.title.text] + sectionParents)
  }

  /// What the document may have been called when ids were made in it.
  private var sectionParents: [String] { [recordID, ""] }

  /// - Source: `Canonicalizer.derivedID`
  private func wasMade(_ id: RawText, from title: RawText, around: [String]) -> Bool {
    guard id.isDerivedID else { return id.isEmpty }
    let text = id.text
    for parent in around.map(Canonicalizer.surroundings) {
      for repeats in 0..<Self.repeats
      where UUIDText.derived([recordID, parent, title.text, "\(repeats)"]).utf8
        .elementsEqual(text.utf8)
      { return true }
    }
    return false
  }

  /// How many steps of one title are looked for when an id is traced to its title.
  private static let repeats = 8

  /// The ids that the source's sections and steps get instead of their own, and where those stand; nil when all stay.
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

  /// New ids for new steps whose own is that of another step of the library: both were made from one title, which that
  /// step does not have any more.
  func freshIDs() -> [Int: String] {
    guard steps.contains(where: { $0 == nil }) else { return [:] }
    let known = Set(library.steps.map(\.id))
    var ids: [Int: String] = [:]
    for (index, step) in source.steps.enumerated() where steps[index] == nil && known.contains(step.id) {
      ids[index] = UUIDText.derived([step.id.text, "another step", step.title.text, String(index)])
    }
    return ids
  }

  /// The same for sections.
  func freshSectionIDs() -> [Int: String] {
    guard source.hasSections, sections.contains(where: { $0 == nil }) else { return [:] }
    let known = Set(library.sections.map(\.id))
    var ids: [Int: String] = [:]
    for (index, section) in source.sections.enumerated() where sections[index] == nil && known.contains(section.id) {
      ids[index] = UUIDText.derived([section.id.text, "another section", section.title.text, String(index)])
    }
    return ids
  }
}

/// Which elements of two versions of a list are the same ones, by their ids, and which of them moved.
struct IDPairs {
  /// Those that both versions have, in the order of the one after.
  private(set) var pairs: [(before: Int, after: Int)] = []
  /// For each pair whether it is in the longest sequence that stands in the same order before and after.
  private(set) var keepsOrder: [Bool] = []
  /// Those that only the version after has.
  private(set) var added: [Int] = []
  /// Those that only the version before has.
  private(set) var removed: [Int] = []

  /// Pairs the elements. Of several that have one id before, the last one counts, and of several after, the first one.
  init<Element>(_ before: [Element], _ after: [Element], id: (Element) -> RawText) {
    var byID: [RawText: Int] = [:]
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

  /// For each number whether it is in the longest rising subsequence.
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

/// Pairs up what is left when ids and titles have said what they can: steps whose titles are alike, the best first.
///
/// Only steps that came without an id are paired. Numbered steps (`Cylinder 1`, `Cylinder 2`) and steps that are each
/// other's opposite (`port`, `starboard`) are alike and yet two: they are never paired.
struct StepLeftovers {
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
  /// How many steps of either side share a title but for its numbers.
  private var templates: [String: Int] = [:]
  private var weights = WordWeights()
  private var steps: [Int?]
  private var taken: [Bool]
  private let leniency: StepMatching.Leniency

  /// How many pairs are looked at in one section, and in one record across sections.
  private static let mostPairs = 2_000
  /// Steps in sections that belong together are alike from here on; elsewhere they must be more so.
  private static let alike = 0.58
  private static let alikeAnywhere = 0.7
  /// What stands alone between neighbours that belong together needs less.
  private static let alikeInGap = 0.35
  /// What the same details add.
  private static let sameDetails = 0.3

  init(_ matching: StepMatching, isNameless: [Bool], _ leniency: StepMatching.Leniency) {
    self.leniency = leniency
    self.matching = matching
    steps = matching.steps
    taken = matching.takenSteps
    mine = isNameless.indices.filter { isNameless[$0] }
    theirs = matching.takenSteps.indices.filter { !matching.takenSteps[$0] }
  }

  /// The pairs: index in the source, index in the library.
  mutating func pairs() -> [(Int, Int)] {
    guard !mine.isEmpty, !theirs.isEmpty, leniency != .none else { return [] }
    for index in mine { titles[index] = StepTitle(matching.source.steps[index].title.text) }
    for index in theirs { libraryTitles[index] = StepTitle(matching.library.steps[index].title.text) }
    countTemplates()
    for step in matching.library.steps { weights.add(StepTitle(step.title.text)) }
    var found: [(Int, Int)] = []
    for (section, other) in matching.sections.enumerated() {
      guard let other else { continue }
      take(
        mine.filter { matching.source.steps[$0].section == section },
        theirs.filter { matching.library.steps[$0].section == other },
        from: leniency == .strict ? Self.alikeAnywhere : Self.alike, &found)
    }
    guard leniency == .full else { return found }
    takeGaps(&found)
    take(mine, theirs, from: Self.alikeAnywhere, &found)
    return found
  }

  /// The best of the pairs first, each step once.
  private mutating func take(_ mine: [Int], _ theirs: [Int], from least: Double, _ found: inout [(Int, Int)]) {
    let open = mine.filter { steps[$0] == nil }
    let free = theirs.filter { !taken[$0] }
    guard !open.isEmpty, !free.isEmpty else { return }
    // Too many to look at all of them: each is compared with those about as far down as it is.
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
    for candidate in candidates { settle(candidate.mine, candidate.theirs, &found) }
  }

  /// A step between two neighbours that belong together, and one that has gone from between them, one each.
  private mutating func takeGaps(_ found: inout [(Int, Int)]) {
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
      settle(index, before + 1, &found)
    }
  }

  private mutating func settle(_ mine: Int, _ theirs: Int, _ found: inout [(Int, Int)]) {
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

  /// Whether two titles with other numbers may be one that was edited: nothing else in the checklist is numbered so.
  private func isEditOfNumbers(_ mine: StepTitle, _ theirs: StepTitle) -> Bool {
    let count = { (title: StepTitle) in templates[title.template, default: 0] }
    if mine.template == theirs.template { return count(mine) <= 2 }
    return count(mine) <= 1 && count(theirs) <= 1
  }

  /// Counts what is left over on either side, and what both sides have once.
  private mutating func countTemplates() {
    for title in titles.values where !title.numbers.isEmpty { templates[title.template, default: 0] += 1 }
    for title in libraryTitles.values where !title.numbers.isEmpty { templates[title.template, default: 0] += 1 }
    for (index, step) in matching.source.steps.enumerated() where matching.steps[index] != nil {
      guard step.title.bytes.contains(where: { $0 >= 0x30 && $0 <= 0x39 }) else { continue }
      templates[StepTitle(step.title.text).template, default: 0] += 1
    }
  }
}
