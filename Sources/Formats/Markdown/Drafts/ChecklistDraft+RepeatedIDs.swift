extension ChecklistDraft {
  /// Takes ids away that a section or step above has already: a line that somebody copied is another step, and ticks of
  /// one must not tick the other.
  /// - Returns: where they stand.
  mutating func dropRepeatedIDs() -> [Range<Int>] {
    var seen: Set<[UInt8]> = []
    var dropped: [Range<Int>] = []
    for section in sections.indices {
      if let id = sections[section].id, !seen.insert(id.bytes).inserted {
        dropped.append(id.range)
        sections[section].id = nil
      }
      for step in sections[section].steps.indices {
        guard let id = sections[section].steps[step].id, !seen.insert(id.bytes).inserted else { continue }
        dropped.append(id.range)
        sections[section].steps[step].id = nil
      }
    }
    return dropped
  }
}
