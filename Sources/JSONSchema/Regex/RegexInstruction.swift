/// One step of a compiled expression. What `a` to `d` mean stands with each operation.
struct RegexInstruction {
  /// What a step does. Operations that consume text exist for both directions: lookbehind reads backwards.
  enum Operation: UInt8 {
    /// The expression has matched.
    case match
    /// This way leads nowhere.
    case fail
    /// One byte: `a`.
    case byte, byteBackward
    /// Bytes of the pool: from `a`, `b` of them.
    case literal, literalBackward
    /// A code point of class `a`.
    case set, setBackward
    /// Code points of class `a`, at least `b`, at most `c`; `d` is a `LoopStyle`.
    case setLoop, setLoopBackward
    /// Goes on at `a`.
    case jump
    /// Goes on at `a`, and at `b` if that fails. `c` and `d`: indices of byte sets that say where `a` and `b` can
    /// succeed, or -1.
    case split
    /// Remembers the position in register `a`.
    case save
    /// Forgets registers `a` up to `b`.
    case clear
    /// Sets counter `a` to zero.
    case countZero
    /// Another round or on to `d`? Counter `a`, at least `b`, at most `c` rounds; greedy or lazy.
    case roundGreedy, roundLazy
    /// Fails when nothing was consumed since register `a` was saved; with `b` ≥ 0 only from round `c` of counter `b`.
    case progress
    /// Counts a round in counter `a` and goes back to `b`.
    case countRound
    /// `^`, `$`, `\b`, `\B`.
    case textStart, textEnd, wordBoundary, notWordBoundary
    /// The text of the group whose registers are `a` and `a` + 1.
    case backreference, backreferenceBackward
    /// Begins lookahead or lookbehind: notes the stack's height in register `a`. When nothing matches, it goes on at
    /// `b`, or fails with `b` = -1.
    case lookStart
    /// The lookaround that began with register `a` matched: go on behind it, or fail with `b` = 1.
    case lookEnd
  }

  /// How a loop over a class gives back what it took.
  enum LoopStyle {
    /// Never: what follows cannot begin inside of what was taken.
    static let possessive: Int32 = -1
    /// Takes as little as it can, and more when asked.
    static let lazy: Int32 = -2
    /// Takes as much as it can; what follows may begin with any byte. 0 to 255: only with this one.
    static let greedy: Int32 = 256
  }

  var operation: Operation
  var a: Int32 = 0
  var b: Int32 = 0
  var c: Int32 = 0
  var d: Int32 = 0
}

/// A class of code points as the matcher asks it.
struct CompiledClass {
  /// Members below 128, as bits.
  var low: UInt64 = 0
  /// Members from 64 to 127, as bits.
  var high: UInt64 = 0
  /// Where its ranges beyond ASCII begin in the pool, and how many there are.
  var rangeStart: Int32 = 0
  /// The number of ranges.
  var rangeCount: Int32 = 0
  /// Where its properties begin in the pool.
  var propertyStart: Int32 = 0
  /// The number of properties.
  var propertyCount: Int32 = 0
  /// Whether, beyond ASCII, it is everything but what its ranges and properties say.
  var inverted = false

  /// Whether a code point of ASCII is a member.
  @inline(__always) func containsASCII(_ byte: UInt8) -> Bool {
    (byte < 64 ? low >> UInt64(byte) : high >> UInt64(byte & 63)) & 1 == 1
  }
}
