/// Tells bodies that were written in FleetKit's notation, with some ids still missing.
///
/// Somebody put a step into a note that FleetKit wrote. Its line gets an id, so that ticks stay with it whatever it is
/// called later; every other line is as it was.
enum AddedIDs {
  /// Whether a body differs from the one that stands in the note only by ids that it says in addition.
  static func areAll(of own: [UInt8], to original: [UInt8]) -> Bool {
    // Notes that say no id at all are somebody's own: nothing is added to their bodies.
    guard contains(original, Array("<!-- id=".utf8)) else { return false }
    let mine = own.split(separator: 0x0A, omittingEmptySubsequences: false)
    let theirs = original.split(separator: 0x0A, omittingEmptySubsequences: false)
    var next = 0
    for line in mine {
      if next < theirs.count, adds(line, to: theirs[next]) {
        next += 1
      } else if !isComment(line) {
        return false
      }
    }
    return next == theirs.count
  }

  /// Whether a line is another one, or that with an id at its end.
  private static func adds(_ line: ArraySlice<UInt8>, to other: ArraySlice<UInt8>) -> Bool {
    guard line.starts(with: other) else { return false }
    let rest = line.dropFirst(other.count)
    return rest.isEmpty || (rest.first == 0x20 && isComment(rest.dropFirst()))
  }

  /// Whether a text is a comment that holds an id and nothing else.
  private static func isComment(_ text: ArraySlice<UInt8>) -> Bool {
    let start = Array("<!-- id=".utf8)
    let end = Array(" -->".utf8)
    guard text.count > start.count + end.count, text.starts(with: start), text.reversed().starts(with: end.reversed())
    else { return false }
    return text.dropFirst(start.count).dropLast(end.count).allSatisfy { $0 != 0x20 }
  }

  private static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
    var start = text.startIndex
    while let at = text[start...].firstIndex(of: part[0]) {
      if text[at...].starts(with: part) { return true }
      start = at + 1
    }
    return false
  }
}
