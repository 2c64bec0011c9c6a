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
  mutating func look(at node: JSONNode, prefix: [JSONPointer.Step]) {
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
