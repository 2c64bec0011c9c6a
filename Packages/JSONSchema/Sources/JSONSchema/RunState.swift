import JSONText

/// The reason why a run could not decide whether a value is valid. Such a value counts as invalid, regardless of the
/// surrounding rules.
enum RunStop {
  /// Subschemas called each other more deeply than `RunState.maximumDepth` allows.
  case tooDeep
  /// The schema needed more steps than the value's size allows.
  case tooManySteps
  /// A pattern used up its steps.
  case slowPattern
}

/// The mutable memory of a run. It is allocated once and reused for every value.
struct RunState: ~Copyable {
  /// The largest depth of calls between subschemas. Each of the 512 possible levels of arrays and objects needs one to
  /// three calls.
  static let maximumDepth = 2400
  /// The number of steps that each of a value's first million tokens allows. Each further token allows a tenth of this
  /// number. Every value is allowed a million additional steps.
  static let stepsPerToken = 1000

  let program: Program
  /// The value that is checked.
  var root: JSONNode
  var depth = 0
  /// The number of remaining steps. A step is a subschema that runs, a member or element that is visited, or sixteen
  /// bytes that are compared, hashed or counted.
  var steps = 0
  /// The number of remaining steps for all patterns together.
  var patternSteps = 0

  /// The first part that could not be decided: the reason, the part's position in the value, and the instruction's
  /// place.
  var stop: RunStop?
  var stopToken = 0
  var stopPlace = 0

  /// The bits of evaluated members and elements, which are a stack of frames.
  var bits: [UInt64] = []

  /// The resources in dynamic scope, outermost first and each only once.
  var scope: [UInt32] = []
  var inScope: [Bool]

  /// A buffer for a string with its escapes resolved.
  var scratch = ByteBuffer(capacity: 256)
  /// The hash slots for `uniqueItems`. A slot contains an element's token, or 0, which no element has, if it is free.
  /// Slots have only four bytes, because an array may have millions of elements.
  var slots: [UInt32] = []

  init(_ program: Program) {
    self.program = program
    inScope = [Bool](repeating: false, count: program.resourceCount)
    // This node is never read: `begin` replaces it.
    root = JSONNode(
      text: UnsafePointer(bitPattern: 1).unsafelyUnwrapped,
      tokens: UnsafePointer(bitPattern: MemoryLayout<JSONToken>.alignment).unsafelyUnwrapped, index: 0)
  }

  /// Prepares for the next value.
  mutating func begin(_ node: JSONNode) {
    root = node
    depth = 0
    let size = max(1, Int(node.token.next) - node.index)
    steps = 1_000_000 + min(size, 1_000_000) * Self.stepsPerToken + max(0, size - 1_000_000) * (Self.stepsPerToken / 10)
    // The first summand is enough for one search. The limit ensures that many slow strings do not add up to hours.
    patternSteps = ECMARegex.allowance(Int(node.token.length)) + 200 * size
    stop = nil
    bits.removeAll(keepingCapacity: true)
    for resource in scope { inScope[Int(resource)] = false }
    scope.removeAll(keepingCapacity: true)
  }

  /// Pushes a frame of `count` cleared bits onto the stack and returns its start, in words.
  mutating func pushFrame(_ count: Int) -> Int {
    let words = (count + 63) >> 6
    steps -= words
    bits.append(contentsOf: repeatElement(0, count: words))
    return bits.count - words
  }

  /// Makes room for `count` empty hash slots. `count` must be a power of two.
  mutating func clearSlots(_ count: Int) {
    if count > slots.count {
      slots = [UInt32](repeating: 0, count: count)
    } else {
      for index in 0..<count { slots[index] = 0 }
    }
  }
}
