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
  private static let alike = 0.5
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
