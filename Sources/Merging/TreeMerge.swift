import Content
import JSONText

/// Merges lists of elements with ids: sections with their steps, cards, or entries.
///
/// The merge first decides which elements are kept and in which section, then their order, then their content.
struct TreeMerge {
  private let run: MergeRun
  private let list: MergePlace
  private let knowsBase: Bool
  private var matching: TreeMatching
  /// Whether each section is kept.
  private var stays: [Bool] = []
  /// The choices for sections that one side deleted and the other changed.
  private var chosen: [Int: ThreeVersions.Merged] = [:]
  /// The section of each step; -1 for deleted steps.
  private var target: [Int] = []

  /// The positions in our record of elements that only theirs has.
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
    resolveSections()
    resolveSteps()
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

  // MARK: Contents of each version

  private func trio(section: TreeMatching.Entry) -> ThreeVersions {
    ThreeVersions(
      base: section.base < 0 ? nil : matching.base.sections[section.base].node,
      ours: section.ours < 0 ? nil : matching.ours.sections[section.ours].node,
      theirs: section.theirs < 0 ? nil : matching.theirs.sections[section.theirs].node,
      knowsBase: knowsBase && section.base >= 0)
  }

  private func trio(step: TreeMatching.Entry) -> ThreeVersions {
    ThreeVersions(
      base: step.base < 0 ? nil : matching.base.steps[step.base].node,
      ours: step.ours < 0 ? nil : matching.ours.steps[step.ours].node,
      theirs: step.theirs < 0 ? nil : matching.theirs.steps[step.theirs].node,
      knowsBase: knowsBase && step.base >= 0)
  }

  private func place(section number: Int) -> MergePlace {
    guard matching.form == .sections else { return list }
    let nodes = trio(section: matching.sections[number])
    let title = (nodes.ours ?? nodes.theirs ?? nodes.base)?.member("title")
    return MergePlace(list, .titled(noun: "section", title: title), ours: nodes.ours, theirs: nodes.theirs)
  }

  private func place(step number: Int, in section: Int) -> MergePlace {
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

  /// Returns the steps of each remaining section, in their order.
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
    _ place: MergePlace, _ note: String, _ parent: MergePlace, _ nodes: (Int) -> ThreeVersions,
    titles: (JSONNode) -> JSONNode?, numbers: () -> ([Int], [Int], [Int])
  ) -> ThreeVersions.Merged {
    func text(_ list: [Int], _ side: (ThreeVersions) -> JSONNode?) -> String {
      let parts = list.map { number in
        side(nodes(number)).flatMap(titles).map { String(decoding: $0.raw, as: UTF8.self) } ?? "null"
      }
      return "[" + parts.joined(separator: ",") + "]"
    }
    let (base, ours, theirs) = numbers()
    let values = (
      knowsBase ? text(base) { $0.base } : nil, text(ours) { $0.ours }, text(theirs) { $0.theirs }
    )
    let none = ThreeVersions(base: nil, ours: nil, theirs: nil, knowsBase: knowsBase)
    return run.resolve(place, none, note: note, values: values) == .theirs ? .theirs : .ours
  }

  // MARK: Presence and place

  // MARK: Sections

  /// Decides which sections are kept.
  private mutating func resolveSections() {
    let touched = touchedSections()
    stays = Array(repeating: true, count: matching.sections.count)
    for (number, entry) in matching.sections.enumerated() {
      run.effort += 1
      if entry.isVoid || entry.ours < 0 && entry.theirs < 0 { stays[number] = false }
      guard !entry.isVoid, entry.base >= 0, (entry.ours < 0) != (entry.theirs < 0) else { continue }
      let isOurs = entry.ours >= 0
      guard touched[number] else {
        stays[number] = false
        continue
      }
      let nodes = trio(section: entry)
      let note = isOurs ? "deleted by theirs" : "deleted by ours"
      let at = isOurs ? nil : anchors.sections[entry.theirs]
      let side = run.choose(place(section: number), nodes, note: note, at: at)
      chosen[number] = side
      stays[number] = (side == .ours) == isOurs
    }
  }

  /// Returns, for each section, whether only one side still has it and has changed it: that side changed its values,
  /// added or moved elements there, or changed elements that the other side deleted.
  private func touchedSections() -> [Bool] {
    var touched = matching.sections.map { entry -> Bool in
      guard entry.base >= 0, (entry.ours < 0) != (entry.theirs < 0) else { return false }
      let nodes = trio(section: entry)
      guard let base = nodes.base, let kept = nodes.ours ?? nodes.theirs else { return false }
      return !run.sameElement(base, kept, .section)
    }
    for entry in matching.steps where !entry.isVoid {
      run.effort += 1
      let home = matching.sectionInBase(entry)
      let nodes = trio(step: entry)
      func mark(_ section: Int, _ own: JSONNode?, isGoneElsewhere: Bool) {
        guard section >= 0, !touched[section] else { return }
        let other = matching.sections[section]
        guard (other.ours < 0) != (other.theirs < 0), other.base >= 0 else { return }
        if home != section {
          touched[section] = true
        } else if isGoneElsewhere, let own, let base = nodes.base, !run.sameElement(base, own, matching.form.shape) {
          touched[section] = true
        }
      }
      mark(matching.sectionInOurs(entry), nodes.ours, isGoneElsewhere: entry.theirs < 0)
      mark(matching.sectionInTheirs(entry), nodes.theirs, isGoneElsewhere: entry.ours < 0)
    }
    return touched
  }

  // MARK: Steps

  /// Decides for each step whether it is kept, and in which section.
  private mutating func resolveSteps() {
    target = Array(repeating: -1, count: matching.steps.count)
    for (number, entry) in matching.steps.enumerated() where !entry.isVoid {
      run.effort += 1
      let (home, ours, theirs) = (
        matching.sectionInBase(entry), matching.sectionInOurs(entry), matching.sectionInTheirs(entry)
      )
      if entry.ours >= 0, entry.theirs >= 0 {
        target[number] = resolvePlace(number, home, ours, theirs)
      } else if entry.ours >= 0 {
        if resolvePresence(number, home, ours, isOurs: true) { target[number] = ours }
      } else if entry.theirs >= 0 {
        if resolvePresence(number, home, theirs, isOurs: false) { target[number] = theirs }
      }
    }
  }

  /// Returns the section of a step that both sides have.
  private mutating func resolvePlace(_ number: Int, _ home: Int, _ ours: Int, _ theirs: Int) -> Int {
    var section = ours
    if ours != theirs {
      if home >= 0, home == ours {
        section = theirs
      } else if home < 0 || home != theirs, stays[ours], stays[theirs] {
        section = askPlace(number, home, ours, theirs) == .theirs ? theirs : ours
      }
    }
    if stays[section] { return section }
    let other = section == ours ? theirs : ours
    if stays[other] { return other }
    // Each side deleted the section in which the other side has the step. The step is not lost with these sections.
    stays[ours] = true
    return ours
  }

  private func askPlace(_ number: Int, _ home: Int, _ ours: Int, _ theirs: Int) -> ThreeVersions.Merged {
    func title(_ section: Int) -> String? {
      guard section >= 0 else { return nil }
      let nodes = trio(section: matching.sections[section])
      guard let title = (nodes.ours ?? nodes.theirs ?? nodes.base)?.member("title") else { return "null" }
      return String(decoding: title.raw, as: UTF8.self)
    }
    return run.resolve(
      place(step: number, in: ours), trio(step: matching.steps[number]), note: "section",
      values: (title(home), title(ours), title(theirs))) == .theirs ? .theirs : .ours
  }

  /// Returns whether a step that exists on only one side is kept.
  private mutating func resolvePresence(_ number: Int, _ home: Int, _ section: Int, isOurs: Bool) -> Bool {
    let entry = matching.steps[number]
    // The decision about the section also applies to its steps.
    if chosen[section] != nil || entry.base < 0 { return stays[section] }
    let nodes = trio(step: entry)
    guard let base = nodes.base, let own = isOurs ? nodes.ours : nodes.theirs else { return false }
    if home == section, run.sameElement(base, own, matching.form.shape) { return false }
    guard stays[section] else { return false }
    let side = run.choose(
      place(step: number, in: section), nodes, note: isOurs ? "deleted by theirs" : "deleted by ours",
      at: isOurs ? nil : anchors.steps[entry.theirs])
    return (side == .ours) == isOurs
  }

  // MARK: Contents of a merged list

  /// The numbers of positions, if both sides number the elements of a list by their positions.
  private struct Numbering {
    /// The number of the first element; nil if numbers are not derived from positions.
    let start: Int?

    init(ours: [JSONNode?], theirs: [JSONNode?]) {
      let mine = Self.start(ours)
      let other = Self.start(theirs)
      start =
        ours.isEmpty ? other : theirs.isEmpty ? mine : mine == other ? mine : nil
    }

    func number(_ place: Int) -> Int? { start.map { $0 + place } }

    private static func start(_ numbers: [JSONNode?]) -> Int? {
      guard let first = numbers.first??.integer, first.magnitude < 1 << 31 else { return nil }
      for (place, number) in numbers.enumerated() where number?.integer != first + Int64(place) { return nil }
      return Int(first)
    }
  }

  /// Writes a section, either merged or from the side that has it.
  private func writeSection(_ number: Int, _ place: Int?, _ steps: [[Int]], into out: inout ByteBuffer) {
    let entry = matching.sections[number]
    let nodes = trio(section: entry)
    guard let only = nodes.ours ?? nodes.theirs else { return }
    let here = self.place(section: number)
    let inserts = MergeRun.Inserts(number: place) { out in writeSteps(number, steps, here, into: &out) }
    guard let ours = nodes.ours, let theirs = nodes.theirs else {
      return run.copyObject(only, inserts, into: &out)
    }
    if let side = trivialMerge(nodes, .section, isNumbered: place != nil) {
      return finish(side, ours, theirs, inserts, &out)
    }
    finish(run.mergeObject(nodes, .section, here, inserts: inserts, into: &out), ours, theirs, inserts, &out)
  }

  /// Writes the steps of a section.
  private func writeSteps(_ section: Int, _ steps: [[Int]], _ place: MergePlace, into out: inout ByteBuffer) {
    let numbering = numbering(section)
    out.append(UInt8(ascii: "["))
    for (index, step) in steps[section].enumerated() {
      if index > 0 { out.append(UInt8(ascii: ",")) }
      writeStep(step, numbering.number(index), section, into: &out)
    }
    out.append(UInt8(ascii: "]"))
  }

  private func numbering(_ section: Int) -> Numbering {
    let entry = matching.sections[section]
    func numbers(_ side: TreeSide, _ index: Int) -> [JSONNode?] {
      index < 0 ? [] : side.sections[index].steps.map { side.steps[$0].node.member("sortOrder") }
    }
    return Numbering(ours: numbers(matching.ours, entry.ours), theirs: numbers(matching.theirs, entry.theirs))
  }

  private func writeStep(_ number: Int, _ place: Int?, _ section: Int, into out: inout ByteBuffer) {
    run.effort += 1
    let shape = matching.form.shape
    let nodes = trio(step: matching.steps[number])
    let inserts = MergeRun.Inserts(number: place)
    guard let ours = nodes.ours, let theirs = nodes.theirs else {
      if let only = nodes.ours ?? nodes.theirs { run.copyObject(only, inserts, into: &out) }
      return
    }
    if let side = trivialMerge(nodes, shape, isNumbered: place != nil) {
      return finish(side, ours, theirs, inserts, &out)
    }
    let here = self.place(step: number, in: section)
    finish(run.mergeObject(nodes, shape, here, inserts: inserts, into: &out), ours, theirs, inserts, &out)
  }

  /// Returns the side that is taken if at most one side changed the values of a section or step.
  private func trivialMerge(_ nodes: ThreeVersions, _ shape: MergeShape?, isNumbered: Bool) -> ThreeVersions.Merged? {
    run.effort += 1
    guard let ours = nodes.ours, let theirs = nodes.theirs else { return nil }
    // If numbers are not derived from positions, they are merged like everything else.
    guard isNumbered || ThreeVersions.same(ours.member("sortOrder"), theirs.member("sortOrder")) else { return nil }
    if run.sameElement(ours, theirs, shape) { return .ours }
    guard nodes.knowsBase, let base = nodes.base else { return nil }
    if run.sameElement(base, theirs, shape) { return .ours }
    return run.sameElement(base, ours, shape) ? .theirs : nil
  }

  private func finish(
    _ merged: ThreeVersions.Merged, _ ours: JSONNode, _ theirs: JSONNode, _ inserts: MergeRun.Inserts,
    _ out: inout ByteBuffer
  ) {
    switch merged {
    case .written: return
    case .ours: run.copyObject(ours, inserts, into: &out)
    case .theirs: run.copyObject(theirs, MergeRun.Inserts(id: ours, inserts), into: &out)
    }
  }
}

extension MergeRun {
  /// Merges a list of elements with ids. Returns nil without writing anything if the ids are ambiguous.
  func mergeTree(
    _ trio: ThreeVersions, _ form: TreeForm, _ place: MergePlace, into out: inout ByteBuffer
  ) -> ThreeVersions.Merged? {
    guard let matching = TreeMatching(trio, form) else { return nil }
    var merge = TreeMerge(run: self, list: place, knowsBase: trio.knowsBase, matching: matching)
    merge.write(into: &out)
    return .written
  }
}

extension MergeRun.Inserts {
  /// Makes the inserts for an object of the other side that keeps our id.
  init(id object: JSONNode, _ other: MergeRun.Inserts) {
    self = other
    id = object.member("id")
  }
}

/// The form of a list.
enum TreeForm {
  /// Sections with steps.
  case sections
  /// Cards, in one section without a name.
  case cards
  /// Elements with ids that are otherwise unknown.
  case entries

  /// The shape by which the elements of a section are merged.
  var shape: MergeShape? {
    switch self {
    case .sections: .step
    case .cards: .card
    case .entries: nil
    }
  }

  /// The noun in messages.
  var noun: String {
    switch self {
    case .sections: "step"
    case .cards: "card"
    case .entries: "entry"
    }
  }

  var plural: String { self == .entries ? "entries" : noun + "s" }

  func title(_ node: JSONNode) -> JSONNode? {
    switch self {
    case .sections: node.member("title")
    case .cards: node.member("front")
    case .entries: node.member("title") ?? node.member("name") ?? node.member("id")
    }
  }
}

/// The sections and steps of one version of a list.
struct TreeSide {
  struct Section {
    /// The section's node; nil for the section of cards.
    let node: JSONNode?
    let id: RawString
    var steps: Range<Int>
  }

  struct Step {
    let node: JSONNode
    let id: RawString
    /// The index of the step's section.
    let section: Int
  }

  private(set) var sections: [Section] = []
  private(set) var steps: [Step] = []

  /// Makes the tree of a list; nil if its elements are not objects with ids.
  init?(_ list: JSONNode?, _ form: TreeForm) {
    guard let list, !list.isNull else {
      if form != .sections { sections = [Section(node: nil, id: RawString(nil), steps: 0..<0)] }
      return
    }
    guard list.kind == .array else { return nil }
    guard form == .sections else {
      guard add(list, section: 0) else { return nil }
      sections = [Section(node: nil, id: RawString(nil), steps: 0..<steps.count)]
      return
    }
    var isSound = true
    list.forEachElement { section in
      let id = RawString(section.member("id"))
      let start = steps.count
      guard isSound, !id.isEmpty, add(section.member("items"), section: sections.count) else {
        isSound = false
        return
      }
      sections.append(Section(node: section, id: id, steps: start..<steps.count))
    }
    guard isSound else { return nil }
  }

  private mutating func add(_ list: JSONNode?, section: Int) -> Bool {
    guard let list else { return true }
    guard list.kind == .array else { return false }
    var isSound = true
    list.forEachElement { step in
      guard isSound, step.kind == .object else {
        isSound = false
        return
      }
      let id = RawString(step.member("id"))
      if id.isEmpty { isSound = false }
      steps.append(Step(node: step, id: id, section: section))
    }
    return isSound
  }
}
