/// Compiles a glob into the states that read a path.
struct PathGlobCompiler {
  private typealias State = PathGlob.State

  private let scalars: [UnicodeScalar]
  private var at = 0

  init(_ pattern: String) { scalars = Array(pattern.unicodeScalars) }

  mutating func compile() throws(PathGlob.PatternError) -> [PathGlob.State] {
    guard scalars.count <= PathGlob.longest else {
      throw problem("the pattern is longer than \(PathGlob.longest) characters")
    }
    if scalars.starts(with: ["!"]) { throw problem("a pattern cannot begin with '!'; list the paths to exclude") }
    let names = scalars.split(separator: "/", omittingEmptySubsequences: true)
    if names.contains([".", "."]) { throw problem("'..' refers to a path outside the configuration's folder") }
    if names.contains(["."]), names.first != ["."] { throw problem("'.' in the middle of a pattern matches nothing") }
    if scalars.starts(with: [".", "/"]) { at = 2 }
    var isAnchored = at > 0
    if at < scalars.count, scalars[at] == "/" {
      isAnchored = true
      at += 1
    }
    var end = scalars.count
    if end > at, scalars[end - 1] == "/", !(end > at + 1 && scalars[end - 2] == "\\") { end -= 1 }
    guard end > at, scalars[at..<end] != ["."] else { throw problem("the pattern is empty") }
    var states: [State] = []
    if !isAnchored, !scalars[at..<end].contains("/") { states += Self.anyFolders }
    states += try piece(until: end, inBraces: false)
    return states + [.end]
  }

  /// `**/` matches an empty path or any path that ends with a slash.
  private static var anyFolders: [State] { [.fork([1, 4]), .anyOrSlash, .fork([-1, 1]), .one("/")] }

  private func problem(_ message: String) -> PathGlob.PatternError { PathGlob.PatternError(message: message) }

  /// Compiles up to `end`, or up to the comma or brace that ends an alternative.
  private mutating func piece(until end: Int, inBraces: Bool) throws(PathGlob.PatternError) -> [State] {
    var states: [State] = []
    while at < end {
      let scalar = scalars[at]
      if inBraces, scalar == "," || scalar == "}" { return states }
      at += 1
      switch scalar {
      case "*": states += stars(end)
      case "?": states.append(.any)
      case "[": states.append(try set(end))
      case "{": states += try alternatives(end, depth: inBraces)
      case "\\":
        guard at < end else { throw problem("a backslash must be followed by a character") }
        states.append(.one(scalars[at]))
        at += 1
      default: states.append(.one(scalar))
      }
    }
    return states
  }

  /// Compiles `*`, `**` or `**/`, whose first star has been read.
  private mutating func stars(_ end: Int) -> [State] {
    let first = at - 1
    while at < end, scalars[at] == "*" { at += 1 }
    guard at - first > 1 else { return [.fork([1, 3]), .any, .fork([-2])] }
    let beginsName = first == 0 || scalars[first - 1] == "/"
    if beginsName, at < end, scalars[at] == "/" {
      at += 1
      return Self.anyFolders
    }
    return [.fork([1, 3]), .anyOrSlash, .fork([-2])]
  }

  /// Compiles `[abc]`, whose opening bracket has been read.
  private mutating func set(_ end: Int) throws(PathGlob.PatternError) -> State {
    let isInverted = at < end && (scalars[at] == "!" || scalars[at] == "^")
    if isInverted { at += 1 }
    var ranges: [ClosedRange<UnicodeScalar>] = []
    while at < end, scalars[at] != "]" || ranges.isEmpty {
      let low = try character(end)
      guard at + 1 < end, scalars[at] == "-", scalars[at + 1] != "]" else {
        ranges.append(low...low)
        continue
      }
      at += 1
      let high = try character(end)
      guard low <= high else { throw problem("the range '\(low)-\(high)' is backwards") }
      ranges.append(low...high)
    }
    guard at < end else { throw problem("a '[' is not closed; write \\[ for the character itself") }
    at += 1
    return .set(ranges, isInverted: isInverted)
  }

  private mutating func character(_ end: Int) throws(PathGlob.PatternError) -> UnicodeScalar {
    if scalars[at] == "\\" { at += 1 }
    guard at < end else { throw problem("a backslash must be followed by a character") }
    if scalars[at] == "/" { throw problem("brackets cannot contain a '/'") }
    at += 1
    return scalars[at - 1]
  }

  /// Compiles `{one,two}`, whose opening brace has been read.
  private mutating func alternatives(_ end: Int, depth isInside: Bool) throws(PathGlob.PatternError) -> [State] {
    if isInside { throw problem("braces cannot be nested") }
    var choices: [[State]] = []
    repeat {
      choices.append(try piece(until: end, inBraces: true))
      guard at < end else { throw problem("a '{' is not closed; write \\{ for the character itself") }
      at += 1
    } while scalars[at - 1] == ","
    // A fork leads to each alternative, and a jump after each alternative leads to the end of all.
    var starts: [Int] = []
    var total = 1
    for choice in choices {
      starts.append(total)
      total += choice.count + 1
    }
    var states: [State] = [.fork(starts)]
    for choice in choices {
      states += choice
      states.append(.fork([total - states.count]))
    }
    return states
  }
}
