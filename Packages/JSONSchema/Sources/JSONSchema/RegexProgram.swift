/// A compiled expression, which consists of flat tables that never change.
///
/// The tables are stored as addresses, because the matcher's loop must avoid the cost of reference counts and checks.
final class RegexProgram: @unchecked Sendable {
  /// The steps. The first step is at index 0.
  let instructions: FrozenTable<RegexInstruction>
  /// The classes.
  let classes: FrozenTable<CompiledClass>
  /// The classes' ranges beyond ASCII: first, last, first, last …
  let ranges: FrozenTable<UInt32>
  /// The bytes of literals.
  let literals: FrozenTable<UInt8>
  /// The sets of bytes that branches use.
  let byteSets: FrozenTable<ByteSet>
  /// The classes' properties.
  let properties: [(property: AskedProperty, negated: Bool)]
  /// The number of registers that a match needs.
  let registerCount: Int
  /// Whether every match begins at the start of the text.
  let isAnchored: Bool
  /// The bytes with which a match can begin; nil if a match may be empty.
  let firstBytes: ByteSet?
  /// The byte with which every match begins, if there is a single one.
  let firstByte: UInt8?

  /// Whether the expression begins with `x+` or `x*`, where x is a class, and never gives back what it consumed.
  let beginsWithRun: Bool

  init(_ compiler: RegexCompiler, root: RegexNode) {
    beginsWithRun =
      compiler.instructions.first.map {
        $0.operation == .setLoop && $0.d == RegexInstruction.LoopStyle.possessive && $0.b <= 1
          && $0.c == RegexQuantifier.unlimited
      } ?? false
    instructions = FrozenTable(compiler.instructions)
    classes = FrozenTable(compiler.classes)
    ranges = FrozenTable(compiler.ranges)
    literals = FrozenTable(compiler.literals)
    byteSets = FrozenTable(compiler.byteSets)
    properties = compiler.properties
    registerCount = compiler.registerCount
    isAnchored = root.isAnchored
    firstBytes = root.firstBytes
    firstByte = firstBytes?.onlyByte
  }

  deinit {
    instructions.free()
    classes.free()
    ranges.free()
    literals.free()
    byteSets.free()
  }
}

/// One step of a compiled expression. The meaning of `a` to `d` is documented with each operation.
struct RegexInstruction {
  /// The operation of a step. There is an operation for each direction if text is consumed, because lookbehind reads
  /// backwards.
  enum Operation: UInt8 {
    /// The expression has matched.
    case match
    /// This path cannot match.
    case fail
    /// Matches the byte `a`.
    case byte, byteBackward
    /// Matches `b` bytes of the pool, from `a`.
    case literal, literalBackward
    /// Matches a code point in class `a`.
    case set, setBackward
    /// Matches at least `b` and at most `c` code points in class `a`. `d` is a `LoopStyle`.
    case setLoop, setLoopBackward
    /// Continues at `a`.
    case jump
    /// Continues at `a`, and at `b` if `a` fails. `c` and `d` are the indices of the byte sets with which `a` and `b`
    /// can succeed, or -1.
    case split
    /// Stores the position in register `a`.
    case save
    /// Clears the registers from `a` up to `b`.
    case clear
    /// Sets counter `a` to zero.
    case countZero
    /// Begins another round or continues at `d`. Counter `a` counts at least `b` and at most `c` rounds, greedily or
    /// lazily.
    case roundGreedy, roundLazy
    /// Fails if no text was consumed since register `a` was saved. If `b` ≥ 0, this applies only from round `c` of
    /// counter `b`.
    case progress
    /// Counts a round in counter `a` and goes back to `b`.
    case countRound
    /// Matches `^`, `$`, `\b` or `\B`.
    case textStart, textEnd, wordBoundary, notWordBoundary
    /// Matches the text of the group with the registers `a` and `a` + 1.
    case backreference, backreferenceBackward
    /// Begins a lookahead or lookbehind, and stores the stack's height in register `a`. If the lookaround does not
    /// match, continues at `b`, or fails if `b` = -1.
    case lookStart
    /// Ends the lookaround that began with register `a` and has matched. Continues after it, or fails if `b` = 1.
    case lookEnd
  }

  /// The style in which a loop over a class gives back consumed text.
  enum LoopStyle {
    /// Never gives back, because the rest of the pattern cannot begin inside the consumed text.
    static let possessive: Int32 = -1
    /// Consumes as little as possible, and more on backtracking.
    static let lazy: Int32 = -2
    /// Consumes as much as possible. The rest of the pattern may begin with any byte. A style from 0 to 255 means that
    /// the rest begins with this byte.
    static let greedy: Int32 = 256
  }

  var operation: Operation
  var a: Int32 = 0
  var b: Int32 = 0
  var c: Int32 = 0
  var d: Int32 = 0
}

/// A class of code points in the form that the matcher needs.
struct CompiledClass {
  /// Members below 64, as bits.
  var low: UInt64 = 0
  /// Members from 64 to 127, as bits.
  var high: UInt64 = 0
  /// The start of the ranges beyond ASCII in the pool.
  var rangeStart: Int32 = 0
  /// The number of ranges.
  var rangeCount: Int32 = 0
  /// The start of the properties in the pool.
  var propertyStart: Int32 = 0
  /// The number of properties.
  var propertyCount: Int32 = 0
  /// The steps of a search in the ranges.
  var searchCost: Int32 = 0
  /// Whether the class contains, beyond ASCII, all code points except those in its ranges and properties.
  var inverted = false

  /// Returns whether an ASCII code point is a member.
  @inline(__always) func containsASCII(_ byte: UInt8) -> Bool {
    (byte < 64 ? low >> UInt64(byte) : high >> UInt64(byte & 63)) & 1 == 1
  }
}
