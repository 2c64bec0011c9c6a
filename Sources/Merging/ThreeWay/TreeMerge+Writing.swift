import Content
import JSONText

/// What stands in a merged list.
extension TreeMerge {
  /// The numbers of places, where both sides number what stands in a list by its place.
  struct Numbering {
    /// The number of the first; nil where numbers do not follow from places.
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

  /// Writes a section, merged, or as the side has it that has it.
  func writeSection(_ number: Int, _ place: Int?, _ steps: [[Int]], into out: inout ByteBuffer) {
    let entry = matching.sections[number]
    let nodes = trio(section: entry)
    guard let only = nodes.ours ?? nodes.theirs else { return }
    let here = self.place(section: number)
    let inserts = MergeRun.Inserts(number: place) { out in writeSteps(number, steps, here, into: &out) }
    guard let ours = nodes.ours, let theirs = nodes.theirs else {
      return run.copyObject(only, inserts, into: &out)
    }
    if let side = settled(nodes, .section, isNumbered: place != nil) {
      return finish(side, ours, theirs, inserts, &out)
    }
    finish(run.mergeObject(nodes, .section, here, inserts: inserts, into: &out), ours, theirs, inserts, &out)
  }

  /// Writes the steps of a section.
  func writeSteps(_ section: Int, _ steps: [[Int]], _ place: MergePlace, into out: inout ByteBuffer) {
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
    if let side = settled(nodes, shape, isNumbered: place != nil) {
      return finish(side, ours, theirs, inserts, &out)
    }
    let here = self.place(step: number, in: section)
    finish(run.mergeObject(nodes, shape, here, inserts: inserts, into: &out), ours, theirs, inserts, &out)
  }

  /// The side that is taken where at most one of them changed what a section or step says.
  private func settled(_ nodes: MergeTrio, _ shape: MergeShape?, isNumbered: Bool) -> MergeTrio.Merged? {
    run.effort += 1
    guard let ours = nodes.ours, let theirs = nodes.theirs else { return nil }
    // Where numbers do not follow from places they are merged like all else.
    guard isNumbered || MergeTrio.same(ours.member("sortOrder"), theirs.member("sortOrder")) else { return nil }
    if run.sameElement(ours, theirs, shape) { return .ours }
    guard nodes.knowsBase, let base = nodes.base else { return nil }
    if run.sameElement(base, theirs, shape) { return .ours }
    return run.sameElement(base, ours, shape) ? .theirs : nil
  }

  private func finish(
    _ merged: MergeTrio.Merged, _ ours: JSONNode, _ theirs: JSONNode, _ inserts: MergeRun.Inserts,
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
  /// Merges a list of things with ids; nil where they cannot be told apart, and then nothing was written.
  func mergeTree(
    _ trio: MergeTrio, _ form: TreeForm, _ place: MergePlace, into out: inout ByteBuffer
  ) -> MergeTrio.Merged? {
    guard let matching = TreeMatching(trio, form) else { return nil }
    var merge = TreeMerge(run: self, list: place, knowsBase: trio.knowsBase, matching: matching)
    merge.write(into: &out)
    return .written
  }
}

extension MergeRun.Inserts {
  /// The same for an object of theirs that keeps our id.
  init(id object: JSONNode, _ other: MergeRun.Inserts) {
    self = other
    id = object.member("id")
  }
}
