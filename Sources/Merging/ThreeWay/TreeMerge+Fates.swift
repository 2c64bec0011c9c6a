import Content
import JSONText

/// What stays, and where it stands.
extension TreeMerge {
  // MARK: Sections

  /// Decides which sections stay.
  mutating func settleSections() {
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

  /// The sections that one side has still and changed: what they say, or what was put there, moved there, or changed
  /// there and deleted by the other side.
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
      func look(_ section: Int, _ own: JSONNode?, isGoneElsewhere: Bool) {
        guard section >= 0, !touched[section] else { return }
        let other = matching.sections[section]
        guard (other.ours < 0) != (other.theirs < 0), other.base >= 0 else { return }
        if home != section {
          touched[section] = true
        } else if isGoneElsewhere, let own, let base = nodes.base, !run.sameElement(base, own, matching.form.shape) {
          touched[section] = true
        }
      }
      look(matching.sectionInOurs(entry), nodes.ours, isGoneElsewhere: entry.theirs < 0)
      look(matching.sectionInTheirs(entry), nodes.theirs, isGoneElsewhere: entry.ours < 0)
    }
    return touched
  }

  // MARK: Steps

  /// Decides for each step in which section it stands, and whether it stays.
  mutating func settleSteps() {
    target = Array(repeating: -1, count: matching.steps.count)
    for (number, entry) in matching.steps.enumerated() where !entry.isVoid {
      run.effort += 1
      let (home, ours, theirs) = (
        matching.sectionInBase(entry), matching.sectionInOurs(entry), matching.sectionInTheirs(entry)
      )
      if entry.ours >= 0, entry.theirs >= 0 {
        target[number] = settlePlace(number, home, ours, theirs)
      } else if entry.ours >= 0 {
        if settlePresence(number, home, ours, isOurs: true) { target[number] = ours }
      } else if entry.theirs >= 0 {
        if settlePresence(number, home, theirs, isOurs: false) { target[number] = theirs }
      }
    }
  }

  /// The section of a step that both sides have.
  private mutating func settlePlace(_ number: Int, _ home: Int, _ ours: Int, _ theirs: Int) -> Int {
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
    // Each side deleted the section in which the other one has the step: the step is not lost with them.
    stays[ours] = true
    return ours
  }

  private func askPlace(_ number: Int, _ home: Int, _ ours: Int, _ theirs: Int) -> MergeTrio.Merged {
    func title(_ section: Int) -> String? {
      guard section >= 0 else { return nil }
      let nodes = trio(section: matching.sections[section])
      guard let title = (nodes.ours ?? nodes.theirs ?? nodes.base)?.member("title") else { return "null" }
      return String(decoding: title.raw, as: UTF8.self)
    }
    return run.settle(
      place(step: number, in: ours), trio(step: matching.steps[number]), note: "section",
      values: (title(home), title(ours), title(theirs))) == .theirs ? .theirs : .ours
  }

  /// Whether a step stays that only one side has.
  private mutating func settlePresence(_ number: Int, _ home: Int, _ section: Int, isOurs: Bool) -> Bool {
    let entry = matching.steps[number]
    // Whoever decided about the section decided about what stands in it.
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
}
