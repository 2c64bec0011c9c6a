import Content
import Diagnostics
import JSONSchema
import JSONText
import Validation

/// The findings of one body, in the order of the body and truncated if there are too many.
struct FindingList {
  private let places: BodyPlaces
  private var located: [BodyPlaces.Located] = []
  /// Whether the body nests too deeply for any other check to read it.
  private(set) var isTooDeep = false

  /// The number of findings that are listed.
  private let limit: Int

  init(places: BodyPlaces, limit: Int) {
    self.places = places
    self.limit = limit
  }

  var isEmpty: Bool { located.isEmpty }

  /// Checks a value with `BodyHygiene`.
  /// - Parameter prefix: the path to `node` from the body.
  mutating func check(_ node: JSONNode, prefix: [JSONPointer.Step]) {
    let hygiene = BodyHygiene(node, limit: limit)
    if hygiene.isTooDeep { isTooDeep = true }
    for trouble in hygiene.troubles {
      let pointer = JSONPointer(prefix + BodyPlaces.path(to: trouble.token, in: node))
      let offset = node.at(trouble.token).span.lowerBound
      let outer = prefix.isEmpty ? offset : places.original(JSONPointer(prefix)).offset
      located.append(
        BodyPlaces.Located(
          finding: IntakeFinding(trouble.code, trouble.message, at: pointer), offset: outer,
          innerOffset: prefix.isEmpty ? 0 : offset))
    }
  }

  /// Adds a finding with a code and a message at a place in the normalised form.
  mutating func add(_ code: DiagnosticCode, _ message: String, at pointer: JSONPointer) {
    add(IntakeFinding(code, message, at: pointer))
  }

  /// Adds a finding whose place is in the normalised form.
  mutating func add(_ finding: IntakeFinding) {
    // One finding more than the limit is enough to report that there are more.
    guard located.count <= 2 * limit else { return }
    let place = places.original(finding.pointer)
    let moved = IntakeFinding(
      code: finding.code, pointer: place.pointer, message: finding.message, why: finding.why, fix: finding.fix)
    // The schemas of the request and of the document may both report the same problem.
    if located.contains(where: { moved.isSame(as: $0.finding) }) { return }
    located.append(BodyPlaces.Located(finding: moved, offset: place.offset, innerOffset: place.innerOffset))
  }

  /// The findings, in the order of the body.
  var list: [IntakeFinding] {
    let sorted = located.enumerated().sorted { left, right in
      (left.element.offset, left.element.innerOffset, left.offset)
        < (right.element.offset, right.element.innerOffset, right.offset)
    }.map(\.element.finding)
    guard sorted.count > limit else { return sorted }
    return sorted.prefix(limit - 1) + [
      IntakeFinding(.moreInRequest, "there are more findings than these \(limit - 1)", at: JSONPointer())
    ]
  }
}

extension IntakeFinding {
  /// Makes a finding with the explanation and the fix of its code.
  init(_ code: DiagnosticCode, _ message: String, at pointer: JSONPointer) {
    self.init(code: code.id, pointer: pointer, message: message, why: code.why, fix: code.fix)
  }

  /// Whether two findings report the same problem in the same place. Findings with the same place differ if their code
  /// or message differs.
  fileprivate func isSame(as other: IntakeFinding) -> Bool {
    code == other.code && message.utf8.elementsEqual(other.message.utf8) && pointer == other.pointer
  }
}

extension PublishIntake {
  /// Makes a finding from a schema violation.
  static func finding(_ violation: SchemaViolation) -> IntakeFinding {
    let code = SchemaCodes.code(ofKeyword: violation.keyword)
    let reason = violation.reason.map { $0.hasSuffix(".") ? String($0.dropLast()) : $0 }
    return IntakeFinding(
      code: code.id, pointer: violation.pointer, message: violation.message, why: reason ?? code.why,
      fix: violation.fix ?? code.fix)
  }

  /// The finding for a case that cannot happen, so that a body is never refused without a reason.
  static let unexplained = IntakeFinding(
    SchemaCodes.code(ofKeyword: "limit"), "the body could not be read", at: JSONPointer())
}

/// A reason why a request is not accepted: one finding with its exact place in the request's body.
public struct IntakeFinding: Sendable, Equatable {
  /// The stable code, `PUB0104`.
  public let code: String
  /// The member with the problem, as a path from the body's outermost value.
  public let pointer: JSONPointer
  /// The problem, in one sentence.
  public let message: String
  /// Why the problem matters.
  public let why: String
  /// How to solve the problem.
  public let fix: String

  /// Makes a finding.
  public init(code: String, pointer: JSONPointer, message: String, why: String, fix: String) {
    self.code = code
    self.pointer = pointer
    self.message = message
    self.why = why
    self.fix = fix
  }
}

/// Maps the places of findings in a body's normalised form back to places in the body as received, and sorts the
/// findings.
///
/// The normalised form has other names for some members (`isRequired` for `is_required`), and its document may have
/// been inside a string.
struct BodyPlaces {
  /// The body as received.
  let body: JSONNode
  /// The document that was extracted from a string, if any.
  let inner: JSONNode?

  /// A finding with its offset in the body, and its offset in the document inside a string.
  struct Located {
    let finding: IntakeFinding
    let offset: Int
    let innerOffset: Int
  }

  static let document = JSONPointer.Step.member("content_data")

  /// Returns the place in the body for a place in its normalised form, with the offsets of the value, or of the
  /// enclosing value if the value itself is missing.
  func original(_ pointer: JSONPointer) -> (pointer: JSONPointer, offset: Int, innerOffset: Int) {
    var steps: [JSONPointer.Step] = []
    var node: JSONNode? = body
    var offset = body.span.lowerBound
    var innerOffset = 0
    var isInside = false
    for step in pointer.steps {
      if let current = node {
        let (spelling, child) = Self.child(of: current, step)
        steps.append(spelling)
        node = child
        if let child {
          if isInside { innerOffset = child.span.lowerBound } else { offset = child.span.lowerBound }
        }
      } else {
        steps.append(step)
      }
      if !isInside, steps.count == 1, steps[0] == Self.document, let inner {
        node = inner
        isInside = true
      }
    }
    return (JSONPointer(steps), offset, innerOffset)
  }

  private static func child(of node: JSONNode, _ step: JSONPointer.Step) -> (JSONPointer.Step, JSONNode?) {
    switch step {
    case .element(let position) where node.kind == .array:
      var left = position
      var found: JSONNode?
      node.forEachElement { element in
        if left == 0 { found = element }
        left -= 1
      }
      return (step, found)
    case .element(let position): return child(of: node, .member(String(position)))
    case .member(let name):
      if let value = member(of: node, name) { return (step, value) }
      let snake = SnakeNames.spelling(of: name)
      if let value = member(of: node, snake) { return (.member(snake), value) }
      return (step, nil)
    }
  }

  private static func member(of node: JSONNode, _ name: String) -> JSONNode? {
    let bytes = Array(name.utf8)
    var found: JSONNode?
    node.forEachMember { own, value in
      if found == nil, own.equals(bytes) { found = value }
    }
    return found
  }

  /// Returns the path from `root` to the value or name of a token inside it.
  static func path(to token: Int, in root: JSONNode) -> [JSONPointer.Step] {
    var steps: [JSONPointer.Step] = []
    var node = root
    while node.index != token {
      var next: JSONNode?
      var isName = false
      if node.kind == .object {
        var child = node.index + 1
        let end = Int(node.token.next)
        while child < end {
          let after = Int(node.tokens[child + 1].next)
          if token < after {
            steps.append(.member(node.at(child).string ?? ""))
            isName = token == child
            next = node.at(child + 1)
            break
          }
          child = after
        }
      } else {
        var position = 0
        var child = node.index + 1
        let end = Int(node.token.next)
        while child < end {
          let after = Int(node.tokens[child].next)
          if token < after {
            steps.append(.element(position))
            next = node.at(child)
            break
          }
          position += 1
          child = after
        }
      }
      guard let next, !isName else { break }
      node = next
    }
    return steps
  }
}

/// Checks that apply to any body: duplicate names, NUL characters, excessive nesting, and numbers that are too
/// large.
///
/// The check is a single pass over the tokens. The number of findings is bounded, and the time is linear in the size of
/// the body.
struct BodyHygiene {
  /// The maximum depth of nested values.
  static let depth = 64

  /// A problem, and the token of the value or name that it concerns.
  struct Trouble {
    let code: DiagnosticCode
    let message: String
    let token: Int
  }

  /// The problems, in the order of the body.
  private(set) var troubles: [Trouble] = []
  /// Whether values nest too deeply for any other check to read them.
  private(set) var isTooDeep = false

  /// Checks a value and everything inside it.
  init(_ root: JSONNode, limit: Int) {
    // The tokens after the open containers, innermost last.
    var open: [Int] = []
    let end = Int(root.token.next)
    var index = root.index
    while index < end, troubles.count < limit {
      while let last = open.last, index >= last { open.removeLast() }
      let node = root.at(index)
      switch node.kind {
      case .array, .object:
        guard open.count < Self.depth else {
          isTooDeep = true
          add(.bodyTooDeep, "values nest deeper than \(Self.depth) levels", node)
          return
        }
        open.append(Int(node.token.next))
        if node.kind == .object, let twice = node.duplicateOwnName {
          add(.duplicateMember, "the member \(Self.short(twice)) occurs twice in one object", twice)
        }
      case .string:
        if node.token.flags.contains(.escaped), Self.hasNUL(node.inner) {
          let what = node.token.flags.contains(.name) ? "the member name" : "the string"
          add(.nulCharacter, "\(what) contains a NUL character (\\u0000)", node)
        }
      case .number:
        // Whole numbers of up to 300 digits are below 1e308.
        if !node.token.flags.contains(.integer) || node.token.length > 300, !(node.double?.isFinite ?? false) {
          add(.numberTooLarge, "the number \(Self.short(node)) is too large", node)
        }
      case .null, .true, .false: break
      }
      index += 1
    }
  }

  private mutating func add(_ code: DiagnosticCode, _ message: String, _ node: JSONNode) {
    troubles.append(Trouble(code: code, message: message, token: node.index))
  }

  /// Whether a string has the escape `\u0000`; the character itself is refused by the parser.
  private static func hasNUL(_ inner: UnsafeBufferPointer<UInt8>) -> Bool {
    var at = 0
    while at < inner.count {
      guard inner[at] == UInt8(ascii: "\\") else {
        at += 1
        continue
      }
      if at + 6 <= inner.count, inner[at + 1] == UInt8(ascii: "u"),
        inner[(at + 2)..<(at + 6)].allSatisfy({ $0 == UInt8(ascii: "0") })
      {
        return true
      }
      at += 2
    }
    return false
  }

  /// Returns a value as it is written, truncated if it is long.
  private static func short(_ node: JSONNode) -> String {
    let text = String(decoding: node.raw.prefix(60), as: UTF8.self)
    return node.raw.count > 60 ? text + "…" : text
  }
}
