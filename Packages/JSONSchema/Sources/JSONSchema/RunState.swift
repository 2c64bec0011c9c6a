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
  var text: UnsafePointer<UInt8>
  var tokens: UnsafePointer<JSONToken>
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
  var bits: UnsafeMutablePointer<UInt64>
  var bitCapacity = 64
  var bitCount = 0

  /// The resources in dynamic scope, outermost first and each only once.
  let scope: UnsafeMutablePointer<UInt32>
  var scopeCount = 0
  let inScope: UnsafeMutablePointer<Bool>

  /// A buffer for a string with its escapes resolved.
  var scratch = ByteBuffer(capacity: 256)
  /// The hash slots for `uniqueItems`. A slot contains an element's token, or 0, which no element has, if it is free.
  /// Slots have only four bytes, because an array may have millions of elements.
  var slots: UnsafeMutablePointer<UInt32>
  var slotCapacity = 0

  init(_ program: Program) {
    self.program = program
    text = program.bytes.start
    tokens = UnsafePointer(bitPattern: MemoryLayout<JSONToken>.alignment).unsafelyUnwrapped
    bits = .allocate(capacity: bitCapacity)
    scope = .allocate(capacity: max(1, program.resourceCount))
    inScope = .allocate(capacity: max(1, program.resourceCount))
    inScope.initialize(repeating: false, count: max(1, program.resourceCount))
    slots = .allocate(capacity: 1)
  }

  deinit {
    bits.deallocate()
    scope.deallocate()
    inScope.deallocate()
    slots.deallocate()
  }

  /// Prepares for the next value.
  mutating func begin(_ node: JSONNode) {
    text = node.text
    tokens = node.tokens
    depth = 0
    let size = max(1, Int(node.token.next) - node.index)
    steps = 1_000_000 + min(size, 1_000_000) * Self.stepsPerToken + max(0, size - 1_000_000) * (Self.stepsPerToken / 10)
    // The first summand is enough for one search. The limit ensures that many slow strings do not add up to hours.
    patternSteps = ECMARegex.allowance(Int(node.token.length)) + 200 * size
    stop = nil
    bitCount = 0
    for index in 0..<scopeCount { inScope[Int(scope[index])] = false }
    scopeCount = 0
  }

  /// Pushes a frame of `count` cleared bits onto the stack and returns its start, in words.
  mutating func pushFrame(_ count: Int) -> Int {
    let words = (count + 63) >> 6
    steps -= words
    let start = bitCount
    if start + words > bitCapacity {
      let larger = max(bitCapacity * 2, start + words)
      let moved = UnsafeMutablePointer<UInt64>.allocate(capacity: larger)
      moved.update(from: bits, count: bitCount)
      bits.deallocate()
      bits = moved
      bitCapacity = larger
    }
    for index in start..<start + words { bits[index] = 0 }
    bitCount = start + words
    return start
  }

  /// Makes room for `count` empty hash slots. `count` must be a power of two.
  mutating func clearSlots(_ count: Int) {
    if count > slotCapacity {
      slots.deallocate()
      slots = .allocate(capacity: count)
      slotCapacity = count
    }
    slots.initialize(repeating: 0, count: count)
  }
}
