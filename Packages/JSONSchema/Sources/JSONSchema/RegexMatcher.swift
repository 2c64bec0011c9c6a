/// Runs a compiled expression on one text.
///
/// The matcher never recurses: alternatives to try later are on its own stack. Every instruction, every compared byte,
/// every query of a class's property and every reset register costs one of `steps`.
struct RegexMatcher: ~Copyable {
  private typealias Style = RegexInstruction.LoopStyle

  private let instructions: FrozenTable<RegexInstruction>
  private let classes: FrozenTable<CompiledClass>
  private let byteSets: FrozenTable<ByteSet>
  private let program: RegexProgram
  private let text: UnsafeBufferPointer<UInt8>
  private let registers: UnsafeMutableBufferPointer<Int32>
  private var stack: BacktrackStack
  private(set) var steps: Int

  /// Prepares a match. `registers` must have room for `program.registerCount`, and all memory must outlive the matcher.
  init(
    _ program: RegexProgram, text: UnsafeBufferPointer<UInt8>, steps: Int,
    registers: UnsafeMutableBufferPointer<Int32>, stack memory: UnsafeMutableBufferPointer<BacktrackStack.Entry>
  ) {
    instructions = program.instructions
    classes = program.classes
    byteSets = program.byteSets
    self.program = program
    self.text = text
    registers.initialize(repeating: -1)
    self.registers = registers
    stack = BacktrackStack(in: memory)
    self.steps = steps - program.registerCount
  }

  /// Subtracts steps from the budget. `run` stops before its next instruction if no steps are left.
  @inline(__always) mutating func spend(_ count: Int) { steps -= count }

  /// Searches for a match that begins at `start`. It can be called again after `.noMatch`, which restores the initial
  /// state.
  mutating func run(from start: Int) -> ECMARegex.Outcome {
    let text = text
    let end = text.count
    let literals = program.literals.elements
    var step = 0
    var position = start
    while true {
      spend(1)
      if steps < 0 { return .outOfSteps }
      let instruction = instructions[step]
      let a = instruction.a
      var next = step + 1
      var isFull = false

      matched: do {
        switch instruction.operation {
        case .match: return .match
        case .fail: break matched

        case .byte:
          guard position < end, text[position] == UInt8(truncatingIfNeeded: a) else { break matched }
          position += 1
        case .byteBackward:
          guard position > 0, text[position - 1] == UInt8(truncatingIfNeeded: a) else { break matched }
          position -= 1
        case .literal:
          let count = Int(instruction.b)
          guard end - position >= count,
            areEqual(
              text.extracting(position..<position + count).span, literals.extracting(Int(a)..<Int(a) + count).span)
          else { break matched }
          position += count
        case .literalBackward:
          let count = Int(instruction.b)
          guard position >= count,
            areEqual(
              text.extracting(position - count..<position).span, literals.extracting(Int(a)..<Int(a) + count).span)
          else { break matched }
          position -= count
        case .set:
          guard pass(classes[Int(a)], &position) else { break matched }
        case .setBackward:
          guard passBackward(classes[Int(a)], &position) else { break matched }

        case .setLoop, .setLoopBackward:
          let isBackward = instruction.operation == .setLoopBackward
          let members = classes[Int(a)]
          guard pass(members, &position, most: instruction.b, backward: isBackward) == instruction.b
          else { break matched }
          if instruction.d == Style.lazy {
            if instruction.b < instruction.c {
              isFull = !stack.push(.takeMore, Int32(step), instruction.b, Int32(position))
            }
          } else {
            let nearest = position
            _ = pass(members, &position, most: instruction.c - instruction.b, backward: isBackward)
            if instruction.d != Style.possessive, position != nearest {
              isFull = !stack.push(.giveBack, Int32(step), Int32(nearest), Int32(position))
            }
          }

        case .jump: next = Int(a)
        case .split:
          guard canBegin(instruction.c, at: position) else {
            next = Int(instruction.b)
            break
          }
          if canBegin(instruction.d, at: position) { isFull = !stack.push(.choice, instruction.b, Int32(position)) }
          next = Int(a)

        case .save: isFull = !set(a, Int32(position))
        case .clear:
          spend(Int(instruction.b - a))
          for register in a..<instruction.b where registers[Int(register)] >= 0 {
            isFull = !set(register, -1) || isFull
          }
        case .countZero: isFull = !set(a, 0)
        case .roundGreedy, .roundLazy:
          let count = registers[Int(a)]
          if count < instruction.b { break }
          if count >= instruction.c {
            next = Int(instruction.d)
          } else if instruction.operation == .roundGreedy {
            isFull = !stack.push(.choice, instruction.d, Int32(position))
          } else {
            isFull = !stack.push(.choice, Int32(step + 1), Int32(position))
            next = Int(instruction.d)
          }
        case .progress:
          let isOptional = instruction.b < 0 || registers[Int(instruction.b)] >= instruction.c
          if isOptional, registers[Int(a)] == Int32(position) { break matched }
        case .countRound:
          isFull = !set(a, registers[Int(a)] + 1)
          next = Int(instruction.b)

        case .textStart: guard position == 0 else { break matched }
        case .textEnd: guard position == end else { break matched }
        case .wordBoundary: guard isWordBoundary(position) else { break matched }
        case .notWordBoundary: guard !isWordBoundary(position) else { break matched }

        case .backreference, .backreferenceBackward:
          let (first, last) = (Int(registers[Int(a)]), Int(registers[Int(a) + 1]))
          // A backreference to a group that did not participate matches the empty string.
          guard first >= 0, last > first else { break }
          let count = last - first
          if instruction.operation == .backreference {
            guard end - position >= count,
              areEqual(text.extracting(position..<position + count).span, text.extracting(first..<last).span)
            else { break matched }
            position += count
          } else {
            guard position >= count,
              areEqual(text.extracting(position - count..<position).span, text.extracting(first..<last).span)
            else { break matched }
            position -= count
          }

        case .lookStart:
          registers[Int(a)] = Int32(stack.count)
          isFull = !stack.push(.lookaround, Int32(step), Int32(position))
        case .lookEnd:
          let height = Int(registers[Int(a)])
          if instruction.b == 1 {
            unwind(to: height)
            break matched
          }
          position = Int(stack[height].b)
          dropChoices(from: height)
        }
        if isFull { return .outOfSteps }
        step = next
        continue
      }

      guard let (after, place) = backtrack() else { return steps < 0 ? .outOfSteps : .noMatch }
      step = after
      position = place
    }
  }

  /// Moves past the text of the leading loop, and returns whether there was any.
  mutating func passRun(_ position: inout Int) -> Bool {
    pass(classes[Int(instructions[0].a)], &position, most: .max, backward: false) > 0
  }

  /// Returns the next alternative to try, or nil if there are no more.
  private mutating func backtrack() -> (step: Int, position: Int)? {
    while let entry = stack.pop() {
      switch entry.kind {
      case .undo: registers[Int(entry.a)] = entry.b
      case .choice: return (Int(entry.a), Int(entry.b))
      case .lookaround:
        // The content of the lookaround did not match, as a negative lookaround requires.
        let otherwise = instructions[Int(entry.a)].b
        if otherwise >= 0 { return (Int(otherwise), Int(entry.b)) }
      case .giveBack:
        if let position = giveBack(entry) { return (Int(entry.a) + 1, position) }
      case .takeMore:
        let loop = instructions[Int(entry.a)]
        var position = Int(entry.c)
        let isBackward = loop.operation == .setLoopBackward
        guard pass(classes[Int(loop.a)], &position, most: 1, backward: isBackward) == 1 else { continue }
        // There is room, because an entry has just been removed.
        if entry.b + 1 < loop.c { _ = stack.push(.takeMore, entry.a, entry.b + 1, Int32(position)) }
        return (Int(entry.a) + 1, position)
      }
    }
    return nil
  }

  /// Shortens the text of a greedy loop by one code point, or to the last position where the rest can begin.
  private mutating func giveBack(_ entry: BacktrackStack.Entry) -> Int? {
    let nearest = Int(entry.b)
    let taken = Int(entry.c)
    let loop = instructions[Int(entry.a)]
    var position = taken
    if loop.operation == .setLoopBackward {
      position = UTF8Scalar.decode(text.span, position).next
    } else {
      position = UTF8Scalar.previous(text.span, position)
      if loop.d < Style.greedy {
        defer { spend(taken - position) }
        while text[position] != UInt8(truncatingIfNeeded: loop.d) {
          if position <= nearest { return nil }
          position = UTF8Scalar.previous(text.span, position)
        }
      }
    }
    // There is room, because an entry has just been removed.
    if position != nearest { _ = stack.push(.giveBack, entry.a, entry.b, Int32(position)) }
    return position
  }
}

// MARK: - Registers and lookaround

extension RegexMatcher {
  /// Sets a register so that backtracking restores it. Returns false if the stack has no room for the restoring entry.
  @inline(__always) private mutating func set(_ register: Int32, _ value: Int32) -> Bool {
    let isNoted = stack.push(.undo, register, registers[Int(register)])
    registers[Int(register)] = value
    return isNoted
  }

  /// Undoes all register changes since the start of a lookaround and drops its choices.
  private mutating func unwind(to height: Int) {
    spend(stack.count - height)
    while stack.count > height, let entry = stack.pop() {
      if entry.kind == .undo { registers[Int(entry.a)] = entry.b }
    }
  }

  /// Drops the choices since the start of a lookaround, because a lookaround is never retried, but keeps the entries
  /// that undo its register changes.
  private mutating func dropChoices(from height: Int) {
    var kept = height
    spend(stack.count - height)
    for index in height..<stack.count where stack[index].kind == .undo {
      stack[kept] = stack[index]
      kept += 1
    }
    stack.cut(to: kept)
  }
}

// MARK: - The text

extension RegexMatcher {
  @inline(__always) private mutating func areEqual(
    _ left: Span<UInt8>, _ right: Span<UInt8>
  ) -> Bool {
    var index = 0
    while index < left.count, left[index] == right[index] { index += 1 }
    spend(index)
    return index == left.count
  }

  /// Returns whether a step that needs a byte in the set can begin at `position`. A set of -1 allows any byte.
  @inline(__always) private func canBegin(_ set: Int32, at position: Int) -> Bool {
    set < 0 || (position < text.count && byteSets[Int(set)].contains(text[position]))
  }

  /// Moves past one member of a class.
  @inline(__always) private mutating func pass(
    _ members: CompiledClass, _ position: inout Int
  ) -> Bool {
    guard position < text.count else { return false }
    let byte = text[position]
    if byte < 0x80 {
      guard members.containsASCII(byte) else { return false }
      position += 1
      return true
    }
    let (scalar, next) = UTF8Scalar.decode(text.span, position)
    guard containsBeyondASCII(members, scalar) else { return false }
    position = next
    return true
  }

  /// Moves backwards past one member of a class.
  @inline(__always) private mutating func passBackward(
    _ members: CompiledClass, _ position: inout Int
  ) -> Bool {
    guard position > 0 else { return false }
    let start = UTF8Scalar.previous(text.span, position)
    var after = start
    guard pass(members, &after) else { return false }
    position = start
    return true
  }

  /// Moves past consecutive members of a class and returns their number.
  @inline(__always) private mutating func pass(
    _ members: CompiledClass, _ position: inout Int, most: Int32, backward: Bool
  ) -> Int32 {
    var count: Int32 = 0
    let start = position
    if backward {
      while count < most, passBackward(members, &position) { count += 1 }
    } else {
      while count < most, position < text.count {
        let byte = text[position]
        if byte < 0x80 {
          guard members.containsASCII(byte) else { break }
          position += 1
        } else {
          guard pass(members, &position) else { break }
        }
        count += 1
      }
    }
    spend(abs(position - start))
    return count
  }

  private mutating func containsBeyondASCII(_ members: CompiledClass, _ scalar: UInt32) -> Bool {
    // A step takes a few nanoseconds; comparing in a long table and a property take longer.
    spend(Int(members.searchCost))
    var low = Int(members.rangeStart)
    let last = low + 2 * Int(members.rangeCount)
    var high = last
    while low < high {
      // Ranges are stored as pairs, so the middle is rounded down to the first value of a pair.
      let middle = low + (high - low) / 4 * 2
      if scalar > program.ranges[middle + 1] { low = middle + 2 } else { high = middle }
    }
    var isMember = low < last && program.ranges[low] <= scalar
    if !isMember, members.propertyCount > 0 {
      let start = Int(members.propertyStart)
      spend(8 * Int(members.propertyCount))
      for (property, negated) in program.properties[start..<start + Int(members.propertyCount)] {
        if property.contains(scalar) != negated {
          isMember = true
          break
        }
      }
    }
    return isMember != members.inverted
  }

  private func isWordBoundary(_ position: Int) -> Bool {
    let before = position > 0 && isWord(text[position - 1])
    let after = position < text.count && isWord(text[position])
    return before != after
  }

  private func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}

/// The stack of a match's remaining choices, with the latest choice on top.
///
/// The stack begins in memory from the caller and moves to the heap when this memory is full. It never grows beyond
/// `maximumCount`.
struct BacktrackStack: ~Copyable {
  /// The largest number of entries, which take 32 MB.
  static let maximumCount = 1 << 21

  /// An action for backtracking.
  struct Entry: BitwiseCopyable {
    /// The kind of action.
    enum Kind: UInt8 {
      /// Continues with step `a` at position `b`.
      case choice
      /// Restores register `a` to `b`.
      case undo
      /// Shortens the text of the loop at step `a`, which consumed code points up to position `c` and may give them
      /// back down to position `b`.
      case giveBack
      /// Lengthens the text of the lazy loop at step `a`, which has consumed `b` code points up to position `c` and may
      /// consume one more.
      case takeMore
      /// Ends the lookaround at step `a`, which began at position `b`.
      case lookaround
    }

    var kind: Kind
    var a: Int32
    var b: Int32
    var c: Int32
  }

  private var entries: UnsafeMutableBufferPointer<Entry>
  private var isOnHeap = false
  private(set) var count = 0

  /// Creates an empty stack in `memory`, which must exist as long as the stack.
  init(in memory: UnsafeMutableBufferPointer<Entry>) {
    entries = memory
  }

  deinit { if isOnHeap { entries.deallocate() } }

  /// The entry at `index`, which must be less than `count`.
  @inline(__always) subscript(index: Int) -> Entry {
    get { entries[index] }
    set { entries[index] = newValue }
  }

  /// Adds an entry. Returns false if there is no room.
  @inline(__always) mutating func push(_ kind: Entry.Kind, _ a: Int32, _ b: Int32, _ c: Int32 = 0) -> Bool {
    if count == entries.count, !grow() { return false }
    entries[count] = Entry(kind: kind, a: a, b: b, c: c)
    count += 1
    return true
  }

  /// Removes and returns the top entry. Returns nil if the stack is empty.
  @inline(__always) mutating func pop() -> Entry? {
    if count == 0 { return nil }
    count -= 1
    return entries[count]
  }

  /// Removes all entries above `height`.
  @inline(__always) mutating func cut(to height: Int) { count = height }

  private mutating func grow() -> Bool {
    guard entries.count < Self.maximumCount else { return false }
    let old = entries
    entries = .allocate(capacity: min(max(64, old.count * 4), Self.maximumCount))
    _ = entries.update(fromContentsOf: old)
    if isOnHeap { old.deallocate() }
    isOnHeap = true
    return true
  }
}
