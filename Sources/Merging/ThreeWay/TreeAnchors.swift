import JSONText

/// Where in our record stands what only theirs has: behind what it stands behind there. Conflicts are sorted by it.
struct TreeAnchors {
  /// By the places in theirs: offsets in our record.
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
        // What we moved to another section is no neighbour here.
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
