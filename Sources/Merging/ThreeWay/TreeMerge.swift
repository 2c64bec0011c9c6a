import Content
import JSONText

/// Merges lists of things that have ids: sections with their steps, cards, entries.
///
/// First what stays and where it stands, then in which order, then what it says.
struct TreeMerge {
  let run: MergeRun
  let list: MergePlace
  let knowsBase: Bool
  var matching: TreeMatching
  /// Sections that stay.
  var stays: [Bool] = []
  /// What was chosen for sections that one side deleted and the other changed.
  var chosen: [Int: MergeTrio.Merged] = [:]
  /// The section in which each step stands; -1 for those that went.
  var target: [Int] = []

  /// Where in our record stands what only theirs has.
  lazy var anchors = TreeAnchors(matching, list.ours)

  init(run: MergeRun, list: MergePlace, knowsBase: Bool, matching: TreeMatching) {
    self.run = run
    self.list = list
    self.knowsBase = knowsBase
    self.matching = matching
  }

  /// Writes the merged list.
  mutating func write(into out: inout ByteBuffer) {
    for (old, new) in matching.joinAlike(effort: &run.effort) {
      if let old = old.string, let new = new.string { run.renamed[old] = new }
    }
    settleSections()
    settleSteps()
    let sections = sectionOrder()
    let steps = stepsBySection()
    guard matching.form == .sections else {
      writeSteps(0, steps, list, into: &out)
      return
    }
    let numbering = Numbering(
      ours: matching.ours.sections.map { $0.node?.member("sortOrder") },
      theirs: matching.theirs.sections.map { $0.node?.member("sortOrder") })
    out.append(UInt8(ascii: "["))
    for (index, section) in sections.enumerated() {
      if index > 0 { out.append(UInt8(ascii: ",")) }
      writeSection(section, numbering.number(index), steps, into: &out)
    }
    out.append(UInt8(ascii: "]"))
  }

  // MARK: What each version has

  func trio(section: TreeMatching.Entry) -> MergeTrio {
    MergeTrio(
      base: section.base < 0 ? nil : matching.base.sections[section.base].node,
      ours: section.ours < 0 ? nil : matching.ours.sections[section.ours].node,
      theirs: section.theirs < 0 ? nil : matching.theirs.sections[section.theirs].node,
      knowsBase: knowsBase && section.base >= 0)
  }

  func trio(step: TreeMatching.Entry) -> MergeTrio {
    MergeTrio(
      base: step.base < 0 ? nil : matching.base.steps[step.base].node,
      ours: step.ours < 0 ? nil : matching.ours.steps[step.ours].node,
      theirs: step.theirs < 0 ? nil : matching.theirs.steps[step.theirs].node,
      knowsBase: knowsBase && step.base >= 0)
  }

  func place(section number: Int) -> MergePlace {
    guard matching.form == .sections else { return list }
    let nodes = trio(section: matching.sections[number])
    let title = (nodes.ours ?? nodes.theirs ?? nodes.base)?.member("title")
    return MergePlace(list, .titled(noun: "section", title: title), ours: nodes.ours, theirs: nodes.theirs)
  }

  func place(step number: Int, in section: Int) -> MergePlace {
    let nodes = trio(step: matching.steps[number])
    let title = (nodes.ours ?? nodes.theirs ?? nodes.base).flatMap(matching.form.title)
    return MergePlace(
      place(section: section), .titled(noun: matching.form.noun, title: title), ours: nodes.ours, theirs: nodes.theirs)
  }

  // MARK: Order

  private func sectionOrder() -> [Int] {
    let (ours, theirs) = (matching.ourSections, matching.theirSections)
    var order = OrderMerge()
    let merged = order.merge(
      base: knowsBase ? matching.baseSections : nil, ours: ours.filter { stays[$0] },
      theirs: theirs.filter { stays[$0] }
    ) {
      askOrder(list, "order of the sections", list) { section in
        trio(section: matching.sections[section])
      } titles: {
        $0.member("title")
      } numbers: {
        (matching.baseSections, ours.filter { stays[$0] }, theirs.filter { stays[$0] })
      }
    }
    run.effort += order.effort
    return merged
  }

  /// The steps of each section that stays, in their order.
  private func stepsBySection() -> [[Int]] {
    var base = Array(repeating: [Int](), count: matching.sections.count)
    var ours = base
    var theirs = base
    for number in matching.baseSteps where target[number] >= 0 {
      let section = matching.sectionInBase(matching.steps[number])
      if section == target[number] { base[section].append(number) }
    }
    for number in matching.ourSteps where target[number] >= 0 {
      let section = matching.sectionInOurs(matching.steps[number])
      if section == target[number] { ours[section].append(number) }
    }
    for number in matching.theirSteps where target[number] >= 0 {
      let section = matching.sectionInTheirs(matching.steps[number])
      if section == target[number] { theirs[section].append(number) }
    }
    return matching.sections.indices.map { section in
      var order = OrderMerge()
      let merged = order.merge(
        base: knowsBase ? base[section] : nil, ours: ours[section], theirs: theirs[section]
      ) {
        let place = place(section: section)
        return askOrder(place, "order of the \(matching.form.plural)", place) { step in
          trio(step: matching.steps[step])
        } titles: {
          matching.form.title($0)
        } numbers: {
          (base[section], ours[section], theirs[section])
        }
      }
      run.effort += order.effort + 1
      return merged
    }
  }

  private func askOrder(
    _ place: MergePlace, _ note: String, _ parent: MergePlace, _ nodes: (Int) -> MergeTrio,
    titles: (JSONNode) -> JSONNode?, numbers: () -> ([Int], [Int], [Int])
  ) -> MergeTrio.Merged {
    func text(_ list: [Int], _ side: (MergeTrio) -> JSONNode?) -> String {
      let parts = list.map { number in
        side(nodes(number)).flatMap(titles).map { String(decoding: $0.raw, as: UTF8.self) } ?? "null"
      }
      return "[" + parts.joined(separator: ",") + "]"
    }
    let (base, ours, theirs) = numbers()
    let values = (
      knowsBase ? text(base) { $0.base } : nil, text(ours) { $0.ours }, text(theirs) { $0.theirs }
    )
    let none = MergeTrio(base: nil, ours: nil, theirs: nil, knowsBase: knowsBase)
    return run.settle(place, none, note: note, values: values) == .theirs ? .theirs : .ours
  }
}
