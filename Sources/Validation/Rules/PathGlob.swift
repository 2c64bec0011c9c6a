/// A path pattern, as in `.gitignore` and in editors.
///
/// `*` matches any characters within one name, `?` matches one character, and `**` matches any number of folders.
/// `[abc]`, `[a-z]` and `[!abc]` match one of several characters, and `{one,two}` matches one of several alternatives.
/// A backslash makes the next character literal. A pattern with a `/` that is not at its end is relative to the
/// configuration's folder; any other pattern matches at every depth. A pattern that matches a folder matches all files
/// in it. Patterns are case-sensitive.
///
/// The number of steps to match a path is at most the product of the lengths of the pattern and the path.
public struct PathGlob: Sendable, Hashable, CustomStringConvertible {
  /// The pattern as it was written.
  public let pattern: String
  /// The compiled pattern.
  private let states: [State]

  /// The reason why a pattern is invalid.
  public struct PatternError: Error, Equatable, Sendable {
    /// A description of the problem.
    public let message: String
  }

  /// One state of the state machine that reads a path. The next state follows it unless noted otherwise.
  enum State: Hashable, Sendable {
    /// Matches one character.
    case one(UnicodeScalar)
    /// Matches one character inside the ranges, or outside them if inverted. Never matches a slash.
    case set([ClosedRange<UnicodeScalar>], isInverted: Bool)
    /// Matches any one character except a slash.
    case any
    /// Matches any one character.
    case anyOrSlash
    /// Goes to the states at these distances without reading a character.
    case fork([Int])
    /// Ends the pattern.
    case end
  }

  /// The maximum number of characters in a pattern.
  public static let longest = 1000

  /// Reads a pattern.
  /// - Throws: `PatternError` if a bracket or brace is not closed, or if the pattern is empty, is too long, or refers
  ///   to a path outside the folder.
  public init(_ pattern: String) throws(PatternError) {
    self.pattern = pattern
    var compiler = PathGlobCompiler(pattern)
    states = try compiler.compile()
  }

  /// The pattern as it was written.
  public var description: String { pattern }

  /// Whether the pattern matches a path or a folder that contains it.
  /// - Parameter path: a relative path with `/` between names, without `.` and `..`.
  public func matches(_ path: String) -> Bool {
    let last = states.count - 1
    var current = Reached(count: states.count)
    var next = Reached(count: states.count)
    current.add(0, states)
    for scalar in path.unicodeScalars {
      if scalar == "/", current.contains(last) { return true }
      next.removeAll()
      for index in current.list where accepts(states[index], scalar) { next.add(index + 1, states) }
      if next.list.isEmpty { return false }
      swap(&current, &next)
    }
    return current.contains(last)
  }

  /// The states that matching a path has reached.
  private struct Reached {
    var list: [Int] = []
    /// The round in which each state was last added. Beginning a new round then needs no clearing.
    private var rounds: [Int]
    private var round = 1

    init(count: Int) { rounds = [Int](repeating: 0, count: count) }

    func contains(_ index: Int) -> Bool { rounds[index] == round }

    mutating func removeAll() {
      list.removeAll(keepingCapacity: true)
      round += 1
    }

    /// Adds a state and every state that is reachable from it without reading a character.
    mutating func add(_ index: Int, _ states: [State]) {
      guard rounds.indices.contains(index), rounds[index] != round else { return }
      rounds[index] = round
      let first = list.count
      list.append(index)
      var at = first
      while at < list.count {
        if case .fork(let distances) = states[list[at]] {
          for target in distances.map({ $0 + list[at] })
          where rounds.indices.contains(target) && rounds[target] != round {
            rounds[target] = round
            list.append(target)
          }
        }
        at += 1
      }
    }
  }

  private func accepts(_ state: State, _ scalar: UnicodeScalar) -> Bool {
    switch state {
    case .one(let wanted): scalar == wanted
    case .set(let ranges, let isInverted): scalar != "/" && ranges.contains { $0.contains(scalar) } != isInverted
    case .any: scalar != "/"
    case .anyOrSlash: true
    case .fork, .end: false
    }
  }
}
