/// One step of a compiled expression. The meaning of `a` to `d` is documented with each operation.
struct RegexInstruction {
  /// The operation of a step. Operations that consume text exist for both directions, because lookbehind reads
  /// backwards.
  enum Operation: UInt8 {
    /// The expression has matched.
    case match
    /// This path cannot match.
    case fail
    /// One byte: `a`.
    case byte, byteBackward
    /// Bytes of the pool: from `a`, `b` of them.
    case literal, literalBackward
    /// A code point of class `a`.
    case set, setBackward
    /// Code points of class `a`, at least `b`, at most `c`; `d` is a `LoopStyle`.
    case setLoop, setLoopBackward
    /// Continues at `a`.
    case jump
    /// Continues at `a`, and at `b` if that fails. `c` and `d`: indices of the byte sets with which `a` and `b` can
    /// succeed, or -1.
    case split
    /// Stores the position in register `a`.
    case save
    /// Clears registers `a` up to `b`.
    case clear
    /// Sets counter `a` to zero.
    case countZero
    /// Another round, or continue at `d`? Counter `a`, at least `b`, at most `c` rounds; greedy or lazy.
    case roundGreedy, roundLazy
    /// Fails if nothing was consumed since register `a` was saved; with `b` ≥ 0 only from round `c` of counter `b`.
    case progress
    /// Counts a round in counter `a` and goes back to `b`.
    case countRound
    /// `^`, `$`, `\b`, `\B`.
    case textStart, textEnd, wordBoundary, notWordBoundary
    /// The text of the group with the registers `a` and `a` + 1.
    case backreference, backreferenceBackward
    /// Begins lookahead or lookbehind: stores the stack's height in register `a`. If nothing matches, it continues at
    /// `b`, or fails with `b` = -1.
    case lookStart
    /// The lookaround that began with register `a` matched: continue after it, or fail with `b` = 1.
    case lookEnd
  }

  /// The way in which a loop over a class gives back what it consumed.
  enum LoopStyle {
    /// Never: the rest of the pattern cannot begin inside the consumed text.
    static let possessive: Int32 = -1
    /// Consumes as little as possible, and more on backtracking.
    static let lazy: Int32 = -2
    /// Consumes as much as possible; the rest may begin with any byte. 0 to 255: only with this byte.
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
  /// Members below 128, as bits.
  var low: UInt64 = 0
  /// Members from 64 to 127, as bits.
  var high: UInt64 = 0
  /// The start of its ranges beyond ASCII in the pool.
  var rangeStart: Int32 = 0
  /// The number of ranges.
  var rangeCount: Int32 = 0
  /// The start of its properties in the pool.
  var propertyStart: Int32 = 0
  /// The number of properties.
  var propertyCount: Int32 = 0
  /// Whether, beyond ASCII, it has all code points except those of its ranges and properties.
  var inverted = false

  /// Returns whether a code point of ASCII is a member.
  @inline(__always) func containsASCII(_ byte: UInt8) -> Bool {
    (byte < 64 ? low >> UInt64(byte) : high >> UInt64(byte & 63)) & 1 == 1
  }
}
