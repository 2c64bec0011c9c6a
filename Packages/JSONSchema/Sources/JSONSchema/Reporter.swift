import JSONText

/// Finds all violations by a value that is not valid.
///
/// The reporter goes through the value a second time with the same tables. It skips valid parts immediately and puts
/// invalid parts on a list, so that deep values do not use the call stack.
struct Reporter {
  /// The largest nesting depth at which the violations of alternatives are compared. Deeper alternatives are compared
  /// only by `const` and `enum`.
  private static let maximumNesting = 24
  /// The largest nesting depth to which subschemas for the same value are followed.
  private static let maximumDepth = 200
  /// The limits for the total size in bytes of all violations by a value. The limit is `leastBytes` plus 32 for each
  /// byte of the value, but at most `mostBytes`.
  private static let leastBytes = 8 << 20
  private static let mostBytes = 24 << 20
  /// The largest size in bytes of all findings about alternatives that are compared with each other.
  private static let comparedBytes = 16 << 20
  /// The cost of a finding, in steps of the run.
  private static let findingSteps = 64

  /// A part of the value that is known to be invalid.
  private struct Pending {
    var node: UInt32
    var token: Int
    var path: [JSONPointer.Step]
    var scope: [UInt32]
    var others: Int
  }

  /// The state that a reporter shares with the reporters that check alternatives for it.
  ///
  /// Findings about alternatives are kept, so that no alternative is checked twice. Otherwise, nested alternatives
  /// would double the work at every level.
  private final class Memory {
    struct Key: Hashable {
      let alternative: UInt32
      let token: Int
      let scope: [UInt32]
    }

    var findings: [Key: [Finding]] = [:]
    /// The size of the value's findings in bytes.
    var reported = 0
    /// The size of the findings about alternatives in bytes.
    var compared = 0
    var suggestions = MisspellingFinder()
  }

  let schema: Schema
  let evaluator: Evaluator
  let root: JSONNode
  /// The number of violations to list.
  private let shown: Int
  /// The number of violations to collect. It is one larger than the number to list, because an additional violation
  /// shows that the list is incomplete.
  let limit: Int
  var findings: [Finding] = []
  /// The path to the current value.
  var path: [JSONPointer.Step] = []
  private var pending: [Pending] = []
  /// The number of pending parts that have been checked.
  private var next = 0
  /// The number of alternatives besides the current one.
  private var others = 0
  private var memory = Memory()
  private var nesting = 0
  private var depth = 0
  /// The number of remaining steps below which the search for invalid parts stops while some parts are pending.
  private var reserve = 0
  /// Whether invalid parts were left out.
  private var isCut = false
  private var seen: Set<Key> = []

  private struct Key: Hashable {
    let place: UInt32
    let start: Int
    let message: String
  }

  init(schema: Schema, state: UnsafeMutablePointer<RunState>, root: JSONNode, limit: Int) {
    self.schema = schema
    evaluator = Evaluator(state: state)
    self.root = root
    shown = limit
    self.limit = limit + 1
  }

  var program: Program { schema.program }
  var origin: SchemaOrigin { schema.origin }
  func node(_ token: Int) -> JSONNode { root.at(token) }

  /// Collects the violations of the whole value, in the order of the text.
  mutating func run() -> [SchemaViolation] {
    let state = evaluator.state
    let stop = state.pointee.stop.map { ($0, state.pointee.stopToken, UInt32(state.pointee.stopPlace)) }
    state.pointee.begin(root)
    reserve = state.pointee.steps / 2
    enqueue(UInt32(truncatingIfNeeded: program.root), root.index)
    drain()
    if let (reason, token, place) = stop { addStop(reason, token, place) }
    if findings.isEmpty, state.pointee.steps <= 0 { addStop(.tooManySteps, root.index, 0) }
    if findings.isEmpty {
      add("$ref", "\(subject) does not match the schema", found: node(root.index).kindName, root.index, place: 0)
    }
    findings.sort { $0.span.lowerBound < $1.span.lowerBound }
    isCut = isCut || findings.count > shown || isOver
    var violations: [SchemaViolation] = []
    var bytes = 0
    for finding in findings.prefix(isCut && findings.count >= shown ? max(1, shown - 1) : shown) {
      let violation = finding.violation(origin)
      bytes += violation.size
      if bytes > byteLimit, !violations.isEmpty {
        isCut = true
        break
      }
      violations.append(violation)
    }
    if isCut, shown > 1 {
      violations.append(more(findings[min(violations.count, findings.count - 1)], violations.count))
    }
    return violations
  }

  /// Returns a violation that states that the list is incomplete. Otherwise, the number of listed violations would seem
  /// to be the total.
  private func more(_ next: Finding, _ listed: Int) -> SchemaViolation {
    Finding(
      keyword: "$ref",
      message:
        "more than \(max(listed, min(shown, findings.count))) values are wrong; further values are not listed",
      found: "and more", pointer: next.pointer, span: next.span, place: next.place, token: next.token
    ).violation(origin)
  }

  /// The largest total size of the value's violations in bytes.
  private var byteLimit: Int { min(Self.leastBytes + 32 * Int(root.token.length), Self.mostBytes) }

  private mutating func addStop(_ reason: RunStop, _ token: Int, _ place: UInt32) {
    path = root.pointer(to: token).steps
    switch reason {
    case .slowPattern: addSlowPattern(token, place)
    case .tooDeep:
      add(
        "$ref", "\(subject) cannot be checked: subschemas call each other too deeply", found: node(token).kindName,
        token, place: place)
    case .tooManySteps:
      add(
        "$ref", "\(subject) cannot be checked: the schema takes too many steps", found: node(token).kindName, token,
        place: place)
    }
  }

  /// The resources in dynamic scope.
  private var scope: [UInt32] { evaluator.state.pointee.scope }

  /// Whether checking must stop because enough violations were found or the schema took too many steps.
  var isOver: Bool {
    findings.count >= limit || evaluator.state.pointee.steps <= 0
      || (nesting == 0 ? memory.reported > byteLimit : memory.compared > Self.comparedBytes)
  }

  /// Stores an invalid part. Each pending part has at least one finding, so the number of stored parts never exceeds
  /// the number of listed findings.
  mutating func enqueue(_ node: UInt32, _ token: Int) {
    guard pending.count - next < limit else {
      isCut = true
      return
    }
    pending.append(Pending(node: node, token: token, path: path, scope: scope, others: others))
  }

  /// Checks a child of the value and stores it if it is invalid.
  mutating func check(_ node: UInt32, _ token: Int, _ step: JSONPointer.Step) {
    evaluator.state.pointee.depth = 0
    // Half of the steps are reserved for parts that are known to be invalid, so that the search for more parts leaves
    // enough steps to report them.
    guard evaluator.state.pointee.steps > reserve || pending.count == next else {
      isCut = true
      return
    }
    guard !isOver, !evaluator.evaluate(node, token, -1), !isOver else { return }
    path.append(step)
    enqueue(node, token)
    path.removeLast()
  }

  private mutating func drain() {
    let outer = path
    while next < pending.count, !isOver {
      let part = pending[next]
      next += 1
      if next >= limit {
        pending.removeFirst(next)
        next = 0
      }
      path = part.path
      others = part.others
      setScope(part.scope)
      visit(part.node, part.token)
    }
    pending = []
    next = 0
    path = outer
  }

  private func setScope(_ scope: [UInt32]) {
    let state = evaluator.state
    for resource in state.pointee.scope { state.pointee.inScope[Int(resource)] = false }
    for resource in scope { state.pointee.inScope[Int(resource)] = true }
    state.pointee.scope = scope
  }

  /// Reports the violations of a subschema by a value.
  mutating func visit(_ index: UInt32, _ token: Int) {
    let schema = program.nodes[Int(index)]
    guard evaluator.admits(schema.types, token) else {
      addType(
        schema.types, token, keyword: "type", place: origin.typePlaces[Int(index)],
        replacement: number(in: token, acceptedBy: index))
      return
    }
    guard depth < Self.maximumDepth, !isOver else { return }
    depth += 1
    evaluator.state.pointee.steps -= 1
    evaluator.state.pointee.depth = 0
    let entered = evaluator.enterScope(schema)
    for at in instructions(of: schema, token) where !isOver { report(at, index, token) }
    if entered { evaluator.leaveScope() }
    depth -= 1
  }

  /// Returns the number that is the whole text of a string; nil for other text and for numbers that
  /// the subschema rejects.
  private func number(in token: Int, acceptedBy index: UInt32) -> String? {
    guard node(token).kind == .string, node(token).raw.count <= 80, let text = node(token).string,
      let document = try? JSONDocument(parsing: text)
    else { return nil }
    return document.withRoot { number in
      guard number.kind == .number, number.raw.count == text.utf8.count else { return nil }
      let state = evaluator.state
      let (root, stop) = (state.pointee.root, state.pointee.stop)
      state.pointee.root = number
      state.pointee.depth = 0
      defer { (state.pointee.root, state.pointee.stop) = (root, stop) }
      return evaluator.evaluate(index, number.index, -1) ? text : nil
    }
  }

  /// Returns the indices of a node's instructions that apply to this value.
  func instructions(of schema: SchemaNode, _ token: Int) -> [Int] {
    let kindRange =
      switch node(token).kind {
      case .null, .true, .false: 0..<0
      case .number: Int(schema.generalEnd)..<Int(schema.numberEnd)
      case .string: Int(schema.numberEnd)..<Int(schema.stringEnd)
      case .array: Int(schema.stringEnd)..<Int(schema.arrayEnd)
      case .object: Int(schema.arrayEnd)..<Int(schema.objectEnd)
      }
    return Array(Int(schema.first)..<Int(schema.generalEnd)) + kindRange
  }

  /// Reports the violations of the alternative that was probably intended.
  mutating func visit(_ alternative: UInt32, _ token: Int, besides count: Int) {
    let outer = others
    if others == 0 { others = count }
    visit(alternative, token)
    others = outer
  }

  /// Returns the violations of one alternative, separately from the other findings, or nil if the alternative is nested
  /// too deeply in others.
  mutating func findings(of alternative: UInt32, _ token: Int) -> [Finding]? {
    guard nesting < Self.maximumNesting, memory.compared < Self.comparedBytes else { return nil }
    let scope = scope
    let key = Memory.Key(alternative: alternative, token: token, scope: scope)
    if let known = memory.findings[key] { return known }
    var apart = Reporter(schema: schema, state: evaluator.state, root: root, limit: min(shown, 50))
    apart.path = path
    apart.nesting = nesting + 1
    apart.memory = memory
    apart.enqueue(alternative, token)
    apart.drain()
    setScope(scope)
    memory.findings[key] = apart.findings
    return apart.findings
  }

  /// Drops the findings about alternatives once the outermost ones have been compared.
  func forgetAlternatives() {
    guard nesting == 0 else { return }
    memory.findings = [:]
    memory.compared = 0
  }

  /// Returns the candidate that a misspelled word was probably intended to be.
  func suggestion(for word: String, among candidates: [String]) -> String? {
    memory.suggestions.nearest(to: word, among: candidates)
  }

  /// Adds a finding about a value.
  mutating func add(
    _ keyword: String, _ message: String, found: String, _ token: Int, place: UInt32, fix: String? = nil,
    replacement: String? = nil, choices: [String] = [], of count: Int = 0
  ) {
    add(
      Finding(
        keyword: keyword, message: message, found: found, pointer: path, span: node(token).span, place: place,
        fix: fix, replacement: replacement, choices: choices, choiceCount: count, token: token))
  }

  /// Adds a finding unless it was already added.
  mutating func add(_ finding: Finding) {
    let key = Key(place: finding.place, start: finding.span.lowerBound, message: finding.message)
    guard findings.count < limit, seen.insert(key).inserted else { return }
    evaluator.spend(Self.findingSteps)
    if nesting == 0 { memory.reported += finding.size } else { memory.compared += finding.size }
    findings.append(finding)
    if finding.otherAlternatives == 0 { findings[findings.count - 1].otherAlternatives = others }
  }
}

/// A violation during reporting, while findings are still compared with each other.
struct Finding {
  var keyword: String
  var message: String
  var found: String
  var pointer: [JSONPointer.Step]
  var span: Range<Int>
  var place: UInt32
  var fix: String?
  var replacement: String?
  var otherAlternatives = 0
  /// The allowed values for `const` and `enum`, as JSON.
  ///
  /// Only the first values are stored, because a thousand findings may be about one list of a million values.
  var choices: [String] = []
  /// The number of allowed values.
  var choiceCount = 0
  /// The token of the value that was checked.
  var token: Int

  /// The approximate size in bytes.
  var size: Int {
    let texts = message.utf8.count + found.utf8.count + (fix?.utf8.count ?? 0)
    return 256 + texts + choices.count * 80 + pointer.reduce(0) { $0 + $1.size }
  }

  /// Returns the finding as a violation for callers.
  func violation(_ origin: SchemaOrigin) -> SchemaViolation {
    SchemaViolation(
      keyword: keyword, message: message, found: found, pointer: JSONPointer(pointer), span: span,
      schemaLocation: origin.location(place), reason: origin.description(place), fix: fix,
      replacement: replacement, otherAlternatives: otherAlternatives)
  }
}

extension SchemaViolation {
  /// The approximate size in bytes when printed.
  var size: Int {
    let texts = [message, found, schemaLocation, reason ?? "", fix ?? ""].reduce(0) { $0 + $1.utf8.count }
    return 256 + texts + pointer.steps.reduce(0) { $0 + $1.size }
  }
}

extension JSONPointer.Step {
  fileprivate var size: Int {
    switch self {
    case .member(let name): 32 + name.utf8.count
    case .element: 32
    }
  }
}

/// Reports violations of `anyOf` and `oneOf`: finds the alternative that was probably intended, and reports its
/// violations.
extension Reporter {
  mutating func reportAlternatives(_ instruction: Instruction, _ token: Int) {
    let isOne = instruction.operation == .oneOf
    let keyword = isOne ? "oneOf" : "anyOf"
    let place = instruction.place
    defer { forgetAlternatives() }
    let all = (0..<Int(instruction.b)).map { program.lists[Int(instruction.a) + $0] }
    evaluator.state.pointee.depth = 0
    let fitting = all.indices.filter { evaluator.evaluate(all[$0], token, -1) }
    if !fitting.isEmpty {
      guard isOne, fitting.count > 1 else { return }
      let numbers = fitting.prefix(4).map { String($0 + 1) }.joined(separator: " and ")
      return add(
        keyword, "\(subject) must match exactly one of \(all.count) alternatives, but matches \(numbers)",
        found: "matches \(fitting.count) of \(all.count)", token, place: place)
    }
    // An alternative for another kind of value cannot have been intended.
    let kinds = all.map { allowedKinds($0, 0) }
    let candidates = all.indices.filter { evaluator.admits(kinds[$0], token) }
    if candidates.isEmpty {
      let union = kinds.reduce(0, |)
      if union == 0 { return addNoMatch(keyword, all.count, token, place) }
      return addType(union, token, keyword: keyword, place: place)
    }
    if isOver { return }
    if candidates.count == 1 { return visit(all[candidates[0]], token, besides: all.count - 1) }
    var reports: [[Finding]] = []
    for index in candidates {
      guard let report = findings(of: all[index], token) else { break }
      reports.append(report)
    }
    guard reports.count == candidates.count else {
      // The nesting is too deep to compare the violations of each alternative, so the alternative whose fixed members
      // match best is used.
      let scores = candidates.map { matchingChoices(all[$0], token, 0) }
      let best = scores.indices.max { scores[$0] < scores[$1] } ?? 0
      return visit(all[candidates[best]], token, besides: all.count - 1)
    }
    if let merged = sharedChoice(reports, keyword, place) { return add(merged) }
    let ranks = zip(candidates, reports).map { rank(all[$0], $1, token) }
    guard let best = ranks.indices.max(by: { ranks[$0] < ranks[$1] }), !reports[best].isEmpty else {
      return addNoMatch(keyword, all.count, token, place)
    }
    for var finding in reports[best] {
      if finding.otherAlternatives == 0 { finding.otherAlternatives = all.count - 1 }
      add(finding)
    }
  }

  private mutating func addNoMatch(_ keyword: String, _ count: Int, _ token: Int, _ place: UInt32) {
    add(
      keyword, "\(subject) matches none of \(Plural.count(count, "alternative"))", found: node(token).shortLabel, token,
      place: place)
  }

  /// Returns one finding with the allowed values of all alternatives, if the same member's value violates every
  /// alternative; otherwise nil.
  private func sharedChoice(_ reports: [[Finding]], _ keyword: String, _ place: UInt32) -> Finding? {
    let choices = reports.map { $0.filter { !$0.choices.isEmpty && $0.pointer.count <= path.count + 1 } }
    guard let first = choices.first?.first,
      let chosen = first.asNamed(in: choices), chosen.allSatisfy({ $0.token == first.token })
    else { return nil }
    var texts: [String] = []
    var known: Set<String> = []
    for text in chosen.lazy.flatMap(\.choices) where known.insert(text).inserted {
      texts.append(text)
      if texts.count == MisspellingFinder.mostCandidates { break }
    }
    let count = max(texts.count, chosen.reduce(0) { $0 + $1.choiceCount })
    return choiceFinding(
      texts, of: texts.count < MisspellingFinder.mostCandidates ? texts.count : count, keyword, first.token, place,
      at: first.pointer)
  }

  /// The likelihood that an alternative was intended. A larger rank is more likely.
  private struct Rank: Comparable {
    var noMismatch: Int
    var matches: Int
    var depth: Int
    var fewness: Int

    static func < (left: Rank, right: Rank) -> Bool {
      (left.noMismatch, left.matches, left.depth, left.fewness)
        < (right.noMismatch, right.matches, right.depth, right.fewness)
    }
  }

  private func rank(_ alternative: UInt32, _ report: [Finding], _ token: Int) -> Rank {
    let isMismatched = report.contains {
      ($0.keyword == "const" || $0.choiceCount == 1) && $0.pointer.count <= path.count + 1
    }
    let deepest = report.map(\.pointer.count).max() ?? 0
    return Rank(
      noMismatch: isMismatched ? 0 : 1, matches: matchingChoices(alternative, token, 0), depth: deepest,
      fewness: -report.count)
  }

  /// Returns the number of members whose value satisfies a `const` or `enum` of the alternative.
  private func matchingChoices(_ index: UInt32, _ token: Int, _ depth: Int) -> Int {
    guard depth < 8, evaluator.state.pointee.steps > 0 else { return 0 }
    evaluator.spend(1)
    var count = 0
    for at in instructions(of: program.nodes[Int(index)], token) {
      let instruction = program.instructions[at]
      let a = Int(instruction.a)
      switch instruction.operation {
      case .reference: count += matchingChoices(instruction.a, token, depth + 1)
      case .allOf:
        for offset in 0..<Int(instruction.b) {
          count += matchingChoices(program.lists[a + offset], token, depth + 1)
        }
      case .members:
        let table = program.tables[a]
        for offset in 0..<Int(table.count) {
          let member = program.members[Int(table.first) + offset]
          guard member.schema != Instruction.none, isChoice(member.schema) else { continue }
          evaluator.spend(evaluator.memberBound(token))
          guard evaluator.state.pointee.steps > 0 else { return count }
          let value = node(token).lastMember(memberName(table, offset))
          if value >= 0, evaluator.evaluate(member.schema, value, -1) { count += 1 }
        }
      default: break
      }
    }
    return count
  }

  private func isChoice(_ index: UInt32) -> Bool {
    let schema = program.nodes[Int(index)]
    guard schema.generalEnd > schema.first else { return false }
    let operation = program.instructions[Int(schema.first)].operation
    return operation == .constant || operation == .enumeration
  }

  /// Returns the kinds of value that a subschema can allow, as the bits of a node's `types`.
  private func allowedKinds(_ index: UInt32, _ depth: Int) -> UInt8 {
    let schema = program.nodes[Int(index)]
    var kinds = schema.types
    guard depth < 8, evaluator.state.pointee.steps > 0 else { return kinds }
    evaluator.spend(1)
    for at in Int(schema.first)..<Int(schema.generalEnd) {
      let instruction = program.instructions[at]
      let a = Int(instruction.a)
      switch instruction.operation {
      case .never: return 0
      case .constant: kinds = Self.common(kinds, 1 << program.constants[a].kind.rawValue)
      case .enumeration: kinds = Self.common(kinds, program.values[a].kinds)
      case .reference: kinds = Self.common(kinds, allowedKinds(instruction.a, depth + 1))
      case .allOf:
        for offset in 0..<Int(instruction.b) {
          kinds = Self.common(kinds, allowedKinds(program.lists[a + offset], depth + 1))
        }
      default: break
      }
    }
    return kinds
  }

  /// Returns the kinds that both sets allow. Whole numbers are a subset of numbers.
  private static func common(_ left: UInt8, _ right: UInt8) -> UInt8 {
    let number: UInt8 = 1 << JSONToken.Kind.number.rawValue
    var both = left & right
    if left & SchemaNode.wholeNumber != 0, right & number != 0 { both |= SchemaNode.wholeNumber }
    if right & SchemaNode.wholeNumber != 0, left & number != 0 { both |= SchemaNode.wholeNumber }
    return both
  }
}

extension Finding {
  /// Returns, for each report, the finding at the same path as this finding. Returns nil if one of the reports has no
  /// such finding.
  fileprivate func asNamed(in reports: [[Finding]]) -> [Finding]? {
    var all: [Finding] = []
    for report in reports {
      guard let same = report.first(where: { $0.pointer == pointer }) else { return nil }
      all.append(same)
    }
    return all
  }
}
