import Merging

/// Writes two texts as one, with git's conflict markers around lines that differ.
enum ConflictMarkers {
  /// Returns the text with markers.
  /// - Parameters:
  ///   - ours: the merge with our side of every conflict.
  ///   - theirs: the merge with the other side of every conflict.
  static func text(ours: [UInt8], theirs: [UInt8]) -> [UInt8] {
    let mine = TextCandidates.lines(ours)
    let other = TextCandidates.lines(theirs)
    var numbers: [ArraySlice<UInt8>: Int] = [:]
    func number(_ lines: [ArraySlice<UInt8>]) -> [Int] {
      lines.map { line in
        let next = numbers.count
        if let known = numbers[line] { return known }
        numbers[line] = next
        return next
      }
    }
    let (left, right) = (number(mine), number(other))
    let edits = Diff3Edit.all(
      LineMatching(left, right, count: numbers.count).match, right.count, isTheirs: true)
    // Markers use the line ends of the text.
    let isLong = ours.indices.contains { $0 > 0 && ours[$0] == 0x0A && ours[$0 - 1] == 0x0D }
    let end: [UInt8] = isLong ? [0x0D] : []
    var lines: [[UInt8]] = []
    var at = 0
    for edit in edits {
      lines += mine[at..<edit.base.lowerBound].map(Array.init)
      lines.append(Array("<<<<<<< ours".utf8) + end)
      lines += mine[edit.base].map(Array.init)
      lines.append(Array("=======".utf8) + end)
      lines += other[edit.side].map(Array.init)
      lines.append(Array(">>>>>>> theirs".utf8) + end)
      at = edit.base.upperBound
    }
    lines += mine[at...].map(Array.init)
    return Array(lines.joined(separator: [0x0A]))
  }
}
