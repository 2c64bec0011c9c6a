import JSONText

/// Finds out everything that is wrong with a value that is not valid.
///
/// Goes through the value a second time with the same tables. Parts that are valid are left out at once; parts that
/// are not are put on a list, so the depth of a value costs no stack.
struct Reporter {
  /// How deep alternatives inside alternatives are compared; further in, only their `const` and `enum` are.
  private static let maximumNesting = 24
  /// How deep subschemas of the same value are followed.
  private static let maximumDepth = 200
  /// How many bytes all violations of a value may have together: `leastBytes`, and 32 for each byte of the value, but
  /// never more than `mostBytes`.
  private static let leastBytes = 8 << 20
  private static let mostBytes = 24 << 20
  /// How many bytes the findings about alternatives that are compared with each other may have together.
  private static let comparedBytes = 16 << 20
  /// What it costs to make a finding, in steps of the run.
  private static let findingSteps = 64

  /// A part of the value that is known to be invalid.
  private struct Pending {
    var node: UInt32
    var token: Int
    var path: [JSONPointer.Step]
    var scope: [UInt32]
    var others: Int
  }

  /// What a reporter shares with those that look at alternatives for it.
  ///
  /// What was found against alternatives is kept, so that none is looked at twice: alternatives inside alternatives
  /// would double the work at every level.
  private final class Memory {
    struct Key: Hashable {
      let alternative: UInt32
      let token: Int
      let scope: [UInt32]
    }

    var findings: [Key: [Finding]] = [:]
    /// How many bytes the findings of the value have.
    var reported = 0
    /// How many bytes the findings about alternatives have.
    var compared = 0
    var suggestions = Spelling()
  }

  let schema: Schema
  let evaluator: Evaluator
  let root: JSONNode
  /// How many violations are listed.
  private let shown: Int
  /// How many are collected: one more tells that the list is not whole.
  let limit: Int
  var findings: [Finding] = []
  /// The path to the value that is being looked at.
  var path: [JSONPointer.Step] = []
  private var pending: [Pending] = []
  /// How many of them have been looked at.
  private var next = 0
  /// How many alternatives stood beside the one that is being looked at.
  private var others = 0
  private var memory = Memory()
  private var nesting = 0
  private var depth = 0
  /// From how few steps on no further invalid parts are sought while some wait.
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

  /// Reports that not everything is listed: a count that was cut would pass for the whole truth.
  private func more(_ next: Finding, _ listed: Int) -> SchemaViolation {
    Finding(
      keyword: "$ref",
      message:
        "more than \(max(listed, min(shown, findings.count))) values are wrong; from here on they are not listed",
      found: "and more", pointer: next.pointer, span: next.span, place: next.place, token: next.token
    ).violation(origin)
  }

  /// How many bytes the violations of the value may have together.
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
  private var scope: [UInt32] {
    let state = evaluator.state
    return (0..<state.pointee.scopeCount).map { state.pointee.scope[$0] }
  }

  /// Whether nothing further is looked at: enough was found, or the schema took too many steps.
  var isOver: Bool {
    findings.count >= limit || evaluator.state.pointee.steps <= 0
      || (nesting == 0 ? memory.reported > byteLimit : memory.compared > Self.comparedBytes)
  }

  /// Remembers a part that is invalid. Parts that wait have at least one finding each, so not more are kept than
  /// findings are listed.
  mutating func enqueue(_ node: UInt32, _ token: Int) {
    guard pending.count - next < limit else {
      isCut = true
      return
    }
    pending.append(Pending(node: node, token: token, path: path, scope: scope, others: others))
  }

  /// Looks at a child of the value and remembers it when it is invalid.
  mutating func check(_ node: UInt32, _ token: Int, _ step: JSONPointer.Step) {
    evaluator.state.pointee.depth = 0
    // Half of the steps are kept for what is known to be invalid: to find more of it must not leave none to report it.
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
    for index in 0..<state.pointee.scopeCount { state.pointee.inScope[Int(state.pointee.scope[index])] = false }
    for (index, resource) in scope.enumerated() {
      state.pointee.scope[index] = resource
      state.pointee.inScope[Int(resource)] = true
    }
    state.pointee.scopeCount = scope.count
  }

  /// Reports what a subschema has against a value.
  mutating func visit(_ index: UInt32, _ token: Int) {
    let schema = program.nodes.start + Int(index)
    guard evaluator.admits(schema.pointee.types, token) else {
      addType(schema.pointee.types, token, keyword: "type", place: origin.typePlaces[Int(index)])
      return
    }
    guard depth < Self.maximumDepth, !isOver else { return }
    depth += 1
    evaluator.state.pointee.steps -= 1
    evaluator.state.pointee.depth = 0
    let entered = evaluator.enterScope(schema)
    for instruction in instructions(of: schema, token) where !isOver { report(instruction, index, token) }
    if entered { evaluator.leaveScope() }
    depth -= 1
  }

  /// The instructions of a node that look at this value.
  func instructions(
    of schema: UnsafePointer<SchemaNode>, _ token: Int
  ) -> [UnsafePointer<Instruction>] {
    let start = program.instructions.start
    let kindRange =
      switch node(token).kind {
      case .null, .true, .false: 0..<0
      case .number: Int(schema.pointee.generalEnd)..<Int(schema.pointee.numberEnd)
      case .string: Int(schema.pointee.numberEnd)..<Int(schema.pointee.stringEnd)
      case .array: Int(schema.pointee.stringEnd)..<Int(schema.pointee.arrayEnd)
      case .object: Int(schema.pointee.arrayEnd)..<Int(schema.pointee.objectEnd)
      }
    return (Int(schema.pointee.first)..<Int(schema.pointee.generalEnd)).map { start + $0 }
      + kindRange.map { start + $0 }
  }

  /// Reports what an alternative has against the value, as the one that was meant.
  mutating func visit(_ alternative: UInt32, _ token: Int, besides count: Int) {
    let outer = others
    if others == 0 { others = count }
    visit(alternative, token)
    others = outer
  }

  /// What one alternative has against the value, apart from the other findings; nil too deep in other alternatives.
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

  /// Forgets what was found against alternatives once the outermost ones have been compared.
  func forgetAlternatives() {
    guard nesting == 0 else { return }
    memory.findings = [:]
    memory.compared = 0
  }

  /// The candidate that a misspelt word was probably meant to be.
  func suggestion(for word: String, among candidates: [String]) -> String? {
    memory.suggestions.nearest(to: word, among: candidates)
  }

  /// Adds a finding about a value.
  mutating func add(
    _ keyword: String, _ message: String, found: String, _ token: Int, place: UInt32, fix: String? = nil,
    choices: [String] = [], of count: Int = 0
  ) {
    add(
      Finding(
        keyword: keyword, message: message, found: found, pointer: path, span: node(token).span, place: place,
        fix: fix, choices: choices, choiceCount: count, token: token))
  }

  /// Adds a finding unless it was made before on another way.
  mutating func add(_ finding: Finding) {
    let key = Key(place: finding.place, start: finding.span.lowerBound, message: finding.message)
    guard findings.count < limit, seen.insert(key).inserted else { return }
    evaluator.spend(Self.findingSteps)
    if nesting == 0 { memory.reported += finding.size } else { memory.compared += finding.size }
    findings.append(finding)
    if finding.otherAlternatives == 0 { findings[findings.count - 1].otherAlternatives = others }
  }
}
