/// Compiles an expression to the matcher's steps, with at most a few steps for each character of the pattern: the
/// rounds of a quantifier are counted during matching, never unrolled.
struct RegexCompiler {
  private(set) var instructions: [RegexInstruction] = []
  private(set) var classes: [CompiledClass] = []
  private(set) var ranges: [UInt32] = []
  private(set) var properties: [(property: AskedProperty, negated: Bool)] = []
  private(set) var literals: [UInt8] = []
  private(set) var byteSets: [ByteSet] = []
  private(set) var registerCount = 0
  private var byteSetIndices: [ByteSet: Int32] = [:]
  private var classIndices: [[ClosedRange<UInt32>]: Int32] = [:]
  private var groupRegisters: [Int: Int32] = [:]
  private let references: [Int]

  private init(references: [Int]) {
    self.references = references
    // A group without a reference to it needs no registers. Registers are in group order, so that a quantifier clears
    // the registers of its groups as one range.
    for group in Set(references).sorted() { groupRegisters[group] = newRegisters(2) }
  }

  /// Compiles the output of the parser.
  static func compile(_ parsed: ParsedRegex) -> RegexProgram {
    var compiler = RegexCompiler(references: parsed.references)
    compiler.compile(parsed.root, backward: false)
    compiler.emit(.match)
    compiler.tightenLoops()
    return RegexProgram(compiler, root: parsed.root)
  }

  private mutating func newRegisters(_ count: Int) -> Int32 {
    registerCount += count
    return Int32(registerCount - count)
  }

  private var here: Int32 { Int32(instructions.count) }

  private mutating func emit(
    _ operation: RegexInstruction.Operation, _ a: Int32 = 0, _ b: Int32 = 0, _ c: Int32 = 0, _ d: Int32 = 0
  ) {
    instructions.append(RegexInstruction(operation: operation, a: a, b: b, c: c, d: d))
  }

  private mutating func compile(_ node: RegexNode, backward: Bool) {
    switch node {
    case .empty: break
    case .scalar(let scalar): compileLiteral([scalar], backward: backward)
    case .set(let members): emit(backward ? .setBackward : .set, addClass(members))
    case .sequence(let parts): compileSequence(parts, backward: backward)
    case .alternatives(let parts): compileAlternatives(parts, backward: backward)
    case .group(let body, let index):
      guard let register = groupRegisters[index] else { return compile(body, backward: backward) }
      emit(.save, backward ? register + 1 : register)
      compile(body, backward: backward)
      emit(.save, backward ? register : register + 1)
    case .repetition(let body, let quantifier, let groups):
      compileRepetition(body, quantifier, groups: groups, backward: backward)
    case .start: emit(.textStart)
    case .end: emit(.textEnd)
    case .wordBoundary(let negated): emit(negated ? .notWordBoundary : .wordBoundary)
    case .look(let body, let ahead, let negated):
      let register = newRegisters(1)
      let start = here
      emit(.lookStart, register, -1)
      compile(body, backward: !ahead)
      emit(.lookEnd, register, negated ? 1 : 0)
      if negated { instructions[Int(start)].b = here }
    case .backreference(let index):
      guard let register = groupRegisters[references[index]] else { return }
      emit(backward ? .backreferenceBackward : .backreference, register)
    }
  }

  private mutating func compileSequence(_ parts: [RegexNode], backward: Bool) {
    var units: [(node: RegexNode, literal: [UInt32])] = []
    for part in parts {
      if case .scalar(let scalar) = part {
        if let last = units.indices.last, !units[last].literal.isEmpty {
          units[last].literal.append(scalar)
        } else {
          units.append((.empty, [scalar]))
        }
      } else {
        units.append((part, []))
      }
    }
    for unit in backward ? units.reversed() : units {
      if unit.literal.isEmpty {
        compile(unit.node, backward: backward)
      } else {
        compileLiteral(unit.literal, backward: backward)
      }
    }
  }

  private mutating func compileLiteral(_ scalars: [UInt32], backward: Bool) {
    let start = literals.count
    for scalar in scalars {
      // Text never contains a surrogate.
      guard let scalar = Unicode.Scalar(scalar) else {
        literals.removeLast(literals.count - start)
        return emit(.fail)
      }
      literals += UTF8.encode(scalar).map(Array.init) ?? []
    }
    let count = literals.count - start
    if count == 1 {
      emit(backward ? .byteBackward : .byte, Int32(literals.removeLast()))
    } else {
      emit(backward ? .literalBackward : .literal, Int32(start), Int32(count))
    }
  }

  private mutating func compileAlternatives(_ parts: [RegexNode], backward: Bool) {
    // The bytes with which the remaining alternatives can begin are computed from the last alternative backwards.
    var firstOfRest: [ByteSet?] = Array(repeating: nil, count: parts.count)
    let firsts = backward ? firstOfRest : parts.map(\.firstBytes)
    for index in parts.indices.reversed() {
      guard var bytes = firsts[index] else { continue }
      if index + 1 < parts.count {
        guard let rest = firstOfRest[index + 1] else { continue }
        bytes.formUnion(rest)
      }
      firstOfRest[index] = bytes
    }
    var jumps: [Int] = []
    for (index, part) in parts.enumerated() {
      guard index + 1 < parts.count else {
        compile(part, backward: backward)
        break
      }
      let split = Int(here)
      emit(.split, here + 1, 0, addByteSet(firsts[index]), addByteSet(firstOfRest[index + 1]))
      compile(part, backward: backward)
      jumps.append(Int(here))
      emit(.jump)
      instructions[split].b = here
    }
    for jump in jumps { instructions[jump].a = here }
  }

  private mutating func compileRepetition(
    _ body: RegexNode, _ quantifier: RegexQuantifier, groups: Range<Int>, backward: Bool
  ) {
    if quantifier.most == 0 { return }
    if case .empty = body { return }
    if quantifier.least == 1, quantifier.most == 1 { return compile(body, backward: backward) }
    if let members = body.singleClass {
      let style = quantifier.greedy ? RegexInstruction.LoopStyle.greedy : RegexInstruction.LoopStyle.lazy
      return emit(
        backward ? .setLoopBackward : .setLoop, addClass(members), quantifier.least, quantifier.most, style)
    }
    let canBeEmpty = body.canBeEmpty
    let isUnlimited = quantifier.most == RegexQuantifier.unlimited
    if quantifier.least == 0, quantifier.most == 1 || isUnlimited {
      compileStar(body, quantifier, groups: groups, backward: backward, canBeEmpty: canBeEmpty)
    } else if quantifier.least == 1, isUnlimited, !canBeEmpty {
      let start = here
      emitClear(groups)
      compile(body, backward: backward)
      emitSplit(to: start, or: here + 1, first: backward ? nil : body.firstBytes, greedy: quantifier.greedy)
    } else {
      compileCounted(body, quantifier, groups: groups, backward: backward, canBeEmpty: canBeEmpty)
    }
  }

  /// Compiles `x?` and `x*`.
  private mutating func compileStar(
    _ body: RegexNode, _ quantifier: RegexQuantifier, groups: Range<Int>, backward: Bool, canBeEmpty: Bool
  ) {
    let split = here
    emitSplit(to: here + 1, or: 0, first: backward ? nil : body.firstBytes, greedy: quantifier.greedy)
    // In ECMA-262, an optional round that consumes nothing fails.
    let register = canBeEmpty ? newRegisters(1) : -1
    if canBeEmpty { emit(.save, register) }
    emitClear(groups)
    compile(body, backward: backward)
    if canBeEmpty { emit(.progress, register, -1) }
    if quantifier.most != 1 { emit(.jump, split) }
    if quantifier.greedy { instructions[Int(split)].b = here } else { instructions[Int(split)].a = here }
  }

  /// Compiles `x{n,m}` with a counter.
  private mutating func compileCounted(
    _ body: RegexNode, _ quantifier: RegexQuantifier, groups: Range<Int>, backward: Bool, canBeEmpty: Bool
  ) {
    let counter = newRegisters(1)
    emit(.countZero, counter)
    let start = here
    emit(quantifier.greedy ? .roundGreedy : .roundLazy, counter, quantifier.least, quantifier.most)
    let register = canBeEmpty ? newRegisters(1) : -1
    if canBeEmpty { emit(.save, register) }
    emitClear(groups)
    compile(body, backward: backward)
    if canBeEmpty { emit(.progress, register, counter, quantifier.least) }
    emit(.countRound, counter, start)
    instructions[Int(start)].d = here
  }

  private mutating func emitSplit(to body: Int32, or exit: Int32, first: ByteSet?, greedy: Bool) {
    let set = addByteSet(first)
    if greedy { emit(.split, body, exit, set, -1) } else { emit(.split, exit, body, -1, set) }
  }

  private mutating func emitClear(_ groups: Range<Int>) {
    let registers = groups.compactMap { groupRegisters[$0] }
    if let first = registers.first, let last = registers.last { emit(.clear, first, last + 2) }
  }

  private mutating func addByteSet(_ set: ByteSet?) -> Int32 {
    guard let set else { return -1 }
    if let index = byteSetIndices[set] { return index }
    byteSets.append(set)
    byteSetIndices[set] = Int32(byteSets.count - 1)
    return Int32(byteSets.count - 1)
  }

  private mutating func addClass(_ members: ScalarClass) -> Int32 {
    let normalized = members.normalized
    // A few classes, such as `.`, `\d` and `\w`, occur often, so equal classes are shared.
    let isPlain = members.properties.isEmpty
    if isPlain, let index = classIndices[normalized] { return index }
    var compiled = CompiledClass()
    (compiled.low, compiled.high) = members.asciiBits
    compiled.rangeStart = Int32(ranges.count)
    for range in normalized where range.upperBound >= 0x80 {
      ranges.append(max(0x80, range.lowerBound))
      ranges.append(range.upperBound)
      compiled.rangeCount += 1
    }
    compiled.searchCost = max(0, 32 - Int32(compiled.rangeCount.leadingZeroBitCount) - 4)
    compiled.propertyStart = Int32(properties.count)
    compiled.propertyCount = Int32(members.properties.count)
    compiled.inverted = members.inverted && !isPlain
    properties += members.properties
    classes.append(compiled)
    let index = Int32(classes.count - 1)
    if isPlain { classIndices[normalized] = index }
    return index
  }

  // MARK: - Possessive loops

  /// Finds loops over a class whose next character must be outside the class. Such loops never need to give back what
  /// they consumed.
  private mutating func tightenLoops() {
    for index in instructions.indices.dropLast() where instructions[index].operation == .setLoop {
      guard instructions[index].d == RegexInstruction.LoopStyle.greedy else { continue }
      let members = classes[Int(instructions[index].a)]
      let next = instructions[index + 1]
      switch next.operation {
      case .match, .textEnd, .lookEnd: instructions[index].d = RegexInstruction.LoopStyle.possessive
      case .byte, .literal:
        let byte = next.operation == .byte ? UInt8(next.a) : literals[Int(next.a)]
        let isMember = byte >= 0x80 || members.containsASCII(byte)
        instructions[index].d = isMember ? Int32(byte) : RegexInstruction.LoopStyle.possessive
      case .set where areDisjoint(members, classes[Int(next.a)]),
        .setLoop where next.b > 0 && areDisjoint(members, classes[Int(next.a)]):
        instructions[index].d = RegexInstruction.LoopStyle.possessive
      default: break
      }
    }
  }

  private func areDisjoint(_ left: CompiledClass, _ right: CompiledClass) -> Bool {
    guard left.low & right.low == 0, left.high & right.high == 0 else { return false }
    guard left.propertyCount == 0, right.propertyCount == 0 else { return false }
    // Long lists are rare, and an incorrect false only costs time.
    guard left.rangeCount <= 16, right.rangeCount <= 16 else { return false }
    for i in 0..<Int(left.rangeCount) {
      for j in 0..<Int(right.rangeCount) {
        let (a, b) = (Int(left.rangeStart) + 2 * i, Int(right.rangeStart) + 2 * j)
        if ranges[a] <= ranges[b + 1], ranges[b] <= ranges[a + 1] { return false }
      }
    }
    return true
  }
}
