import Foundation

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

/// The folder that globs are relative to, and the paths of files inside it. A scope compares only names and does not
/// access the disk.
public struct PathScope: Sendable, Hashable {
  /// The folder's absolute path, without a slash at its end.
  public let folder: String
  /// The absolute path of the folder that relative names start from.
  private let workingFolder: String

  /// Makes a scope.
  /// - Parameter folder: a path that is absolute or relative to `workingFolder`.
  /// - Parameter workingFolder: the absolute path of the folder that relative names start from.
  public init(folder: String, workingFolder: String = FileManager.default.currentDirectoryPath) {
    self.workingFolder = workingFolder
    self.folder = Self.absolute(folder, from: workingFolder)
  }

  /// Returns the path of a file inside the folder, with `/` between names. Returns nil if the file is elsewhere.
  public func relative(_ file: String) -> String? {
    let path = Self.absolute(file, from: workingFolder)
    let prefix = folder == "/" ? "/" : folder + "/"
    return path.hasPrefix(prefix) && path != prefix ? String(path.dropFirst(prefix.count)) : nil
  }

  /// Returns an absolute path without `.`, `..` and doubled slashes. A relative path is resolved against a folder.
  public static func absolute(_ path: String, from folder: String) -> String {
    var names: [Substring] = []
    for name in (path.hasPrefix("/") ? path : folder + "/" + path).split(separator: "/") where name != "." {
      if name == ".." { _ = names.popLast() } else { names.append(name) }
    }
    return "/" + names.joined(separator: "/")
  }
}
