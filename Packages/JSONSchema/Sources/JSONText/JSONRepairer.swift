/// Reads a damaged text and writes its content as JSON.
struct JSONRepairer: ~Copyable {
  private enum Phase: UInt8 { case value, firstElement, firstName, name, colon, after, done }

  /// The state at a position between two tokens, with everything that is needed to continue there.
  private struct State {
    var at: Int
    /// The innermost open container; -1 outside the outermost value.
    var top = -1
    var phase = Phase.value
    /// The node of the outline for the next value.
    var expected: Int32
    /// The number of bytes written.
    var out = 0
    /// The start of the current member in the output, including the comma before it.
    var member = 0
    /// How badly the text read so far fits the outline.
    var penalty = 0
    /// Whether the text after this state was moved. The repairer can then return to the state only to leave bytes out.
    var isMoved = false
  }

  /// An open container. A frame never changes: a changed copy is added to the list, so that earlier states can be
  /// restored.
  private struct Frame {
    var parent: Int
    let node: Int32
    let isObject: Bool
    /// A bit for each member that was read, in the outline's order.
    var seen: UInt64 = 0
    /// The value of `seen` before the last member was read.
    var seenBefore: UInt64 = 0
    /// Whether the container has a member that is not in the outline.
    var isOdd = false
    /// The number of elements or members.
    var count = 0
    /// The start of the container in the output, including the comma before it.
    let start: Int
    /// The range of the last member's name in the output, without quotes.
    var name = 0..<0
    let depth: Int
  }

  private enum Stop { case error, end, limit, complete }

  /// A string of at most eight bytes.
  private struct Insertion {
    private let bytes: UInt64
    let count: Int

    init() { (bytes, count) = (0, 0) }
    init(_ byte: UInt8) { (bytes, count) = (UInt64(byte), 1) }
    private init(_ text: StaticString) {
      count = text.utf8CodeUnitCount
      bytes = (0..<count).reduce(0) { $0 | UInt64(text.utf8Start[$1]) << (8 * UInt64($1)) }
    }

    subscript(index: Int) -> UInt8 { UInt8(truncatingIfNeeded: bytes >> (8 * UInt64(index))) }

    static let null = Insertion("null")
    static let words = [(Insertion("true"), 4), (Insertion("false"), 5), (null, 4)]
  }

  /// A change that makes the text readable.
  private struct Fix {
    enum Kind {
      /// Replaces `removed` bytes at `at` with the insertion.
      case edit(at: Int, removed: Int, Insertion)
      /// Closes `closing` containers and continues reading at `to`.
      case skip(to: Int, closing: Int, Entry)
    }

    let kind: Kind
    let state: Int
    let cost: Int
    let loss: JSONRepair.Damage.Loss
    /// The end of the text that could be read after the change; `Int.max` for the whole text.
    var reached = 0
    var penalty = 0

    func isBetter(than other: Fix?) -> Bool {
      guard let other else { return true }
      return reached != other.reached ? reached > other.reached : cost + penalty < other.cost + other.penalty
    }
  }

  /// The token at which reading continues. After a name, this is the colon.
  private enum Entry {
    /// The end of the innermost container, a comma, or the container's first element or member.
    case token
    /// An element of the innermost array.
    case next
    /// The member of the innermost object with this index in the outline.
    case member(Int)
    /// The member, with this index in the outline, of a new object in the innermost array.
    case element(Int)
    /// A member of the first object in an array that is a member of the innermost object: first the array's index, then
    /// the member's.
    case list(Int, Int)
  }

  /// The number of spare bytes before the text, into which an insertion can move the last bytes read.
  private static let slack = 4096
  /// The number of bytes after the error that must be readable once a change is made.
  private static let reach = 2048
  /// The number of bytes before the error in which changes are tried, not counting white space.
  private static let window = 40
  /// The largest number of stored states.
  private static let memory = 64
  /// The largest number of damaged bytes that can hide the end of one object and the beginning of another, including
  /// all identifying members of the second.
  private static let gap = 16
  /// The largest number of damages in the result.
  private static let listed = 10_000

  private let outline: JSONOutline
  private let work: UnsafeMutableBufferPointer<UInt8>
  private let end: Int
  private var frames: [Frame] = []
  private var states: [State] = []
  private var out = ByteBuffer(capacity: 1024)
  private var saved = ByteBuffer(capacity: 256)
  private var damages: [JSONRepair.Damage] = []
  /// The offset of the last damage in the output.
  private var lastDamage = -1
  private var isComplete = true
  /// The offset of a container that the outline does not expect but that is kept because no change explains it.
  private var tolerated = -1
  /// The number of bytes that may still be read to try changes.
  private var budget: Int

  init(_ text: Span<UInt8>, _ outline: JSONOutline) {
    self.outline = outline
    end = text.count + Self.slack
    work = .allocate(capacity: end + 1)
    work.initialize(repeating: 0x20)
    budget = 64 * text.count + (8 << 20)
    text.withUnsafeBufferPointer { _ = work.extracting(Self.slack..<end).update(fromContentsOf: $0) }
  }

  deinit { work.deallocate() }

  mutating func run() -> JSONRepair.Result? {
    var at = Self.slack
    if end - at >= 3, work[at] == 0xEF, work[at + 1] == 0xBB, work[at + 2] == 0xBF { at += 3 }
    while at < end, work[at] <= 0x20 { at += 1 }
    let isJSON = at < end && [UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "\"")].contains(work[at])
    guard isJSON || outline.nodes[Int(outline.root)].kind != .any else { return nil }
    var state = State(at: at, expected: outline.root)
    while true {
      let stop = read(&state, to: end, isTrial: false)
      if stop == .complete { break }
      guard recover(&state, errorAt: stop == .end ? end : state.at) else {
        if out.count == 0, stringLength(state.at) != nil || !isJSON { return nil }
        cut(&state)
        break
      }
    }
    return JSONRepair.Result(text: Array(out.bytes), damages: damages, isComplete: isComplete)
  }

  // MARK: Reading

  /// Reads up to the end of the text, an error, or `limit`. A trial neither writes nor records anything.
  private mutating func read(_ state: inout State, to limit: Int, isTrial: Bool) -> Stop {
    while true {
      while state.at < end, work[state.at] <= 0x20 { state.at += 1 }
      if !isTrial { state.out = out.count }
      if state.phase == .done { return state.at == end ? .complete : .error }
      guard state.at < end else { return .end }
      if isTrial, state.at >= limit { return .limit }
      if !isTrial { remember(&state) }
      let byte = work[state.at]
      switch state.phase {
      case .value, .firstElement:
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
          guard let length = stringLength(state.at) else { return byte == UInt8(ascii: "'") ? .error : .end }
          if !isTrial, state.at != tolerated, isBrokenIdentifier(length, state) { return .error }
          begin(&state, isTrial)
          if !isTrial, !writeString(state.at, length, isClosed: true) { recordLetterLoss(state) }
          fit(.text, length, &state)
          state.at += length
          endValue(&state)
        } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
          let isObject = byte == UInt8(ascii: "{")
          if !isTrial, state.at != tolerated, !isExpected(isObject, state) { return .error }
          guard push(&state, isObject: isObject, isTrial) else { return .error }
          state.at += 1
        } else if byte == UInt8(ascii: "]"), isInArray(state) {
          close(&state, isTrial)
          state.at += 1
        } else if byte == UInt8(ascii: ","), isInArray(state) {
          state.at += 1
          state.penalty += 2
        } else {
          let length = atomLength(state.at)
          if length > 0, state.at + length == end { return .end }
          guard let kind = atomKind(state.at, length, state.expected) else { return .error }
          begin(&state, isTrial)
          if !isTrial { writeAtom(state.at, length, kind) }
          fit(kind, length, &state)
          state.at += length
          endValue(&state)
        }
      case .firstName, .name:
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
          guard let length = stringLength(state.at) else { return byte == UInt8(ascii: "'") ? .error : .end }
          if !isTrial, state.at != tolerated, isBrokenName(length, state) { return .error }
          beginMember(&state, length, isTrial)
          state.at += length
          state.phase = .colon
        } else if byte == UInt8(ascii: "}") {
          close(&state, isTrial)
          state.at += 1
        } else if byte == UInt8(ascii: ",") {
          state.at += 1
          state.penalty += 2
        } else {
          return .error
        }
      case .colon:
        guard byte == UInt8(ascii: ":") else { return .error }
        if !isTrial { out.append(byte) }
        state.at += 1
        state.phase = .value
      case .after:
        let frame = frames[state.top]
        if byte == UInt8(ascii: ",") {
          next(&state)
        } else if byte == (frame.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
          close(&state, isTrial)
        } else {
          return .error
        }
        state.at += 1
      case .done: return .error
      }
    }
  }

  private mutating func remember(_ state: inout State) {
    if states.count == 2 * Self.memory {
      states.removeFirst(Self.memory)
      if frames.count > 1 << 15 { forgetFrames(&state) }
    }
    states.append(state)
  }

  /// Drops containers that no stored state needs.
  private mutating func forgetFrames(_ state: inout State) {
    var places: [Int: Int] = [:]
    for top in states.map(\.top) + [state.top] {
      var top = top
      while top >= 0, places.updateValue(0, forKey: top) == nil { top = frames[top].parent }
    }
    var kept: [Frame] = []
    for index in places.keys.sorted() {
      places[index] = kept.count
      var frame = frames[index]
      frame.parent = places[frame.parent] ?? -1
      kept.append(frame)
    }
    frames = kept
    for index in states.indices { states[index].top = places[states[index].top] ?? -1 }
    state.top = places[state.top] ?? -1
  }

  private func isInArray(_ state: State) -> Bool { state.top >= 0 && !frames[state.top].isObject }

  /// Counts the start of an element or of the outermost value. A member has already been counted at its name.
  private mutating func begin(_ state: inout State, _ isTrial: Bool) {
    guard isInArray(state) else { return }
    var frame = frames[state.top]
    if !isTrial, frame.count > 0 { out.append(UInt8(ascii: ",")) }
    frame.count += 1
    list(frame, &state)
  }

  private mutating func beginMember(_ state: inout State, _ length: Int, _ isTrial: Bool) {
    var frame = frames[state.top]
    let inner = work.extracting(state.at + 1..<state.at + length - 1)
    let node = outline.nodes[Int(frame.node)]
    var known: Int?
    state.expected = 0
    switch node.kind {
    case .object:
      let index = node.names.firstIndex { inner.elementsEqual($0) } ?? misspelled(inner.span, frame, node)
      if let index {
        if !inner.elementsEqual(node.names[index]) {
          state.penalty += 4
          known = index
        }
        if frame.seen & 1 << UInt64(index) != 0 { state.penalty += 100 }
        frame.seenBefore = frame.seen
        frame.seen |= 1 << UInt64(index)
        state.expected = node.children[index]
      } else {
        frame.seenBefore = frame.seen
        frame.isOdd = true
        state.penalty += 8
      }
    case .map:
      if inner.count != 36 { state.penalty += 8 }
      state.expected = node.children[0]
    default: break
    }
    if !isTrial {
      state.member = out.count
      if frame.count > 0 { out.append(UInt8(ascii: ",")) }
      let start = out.count + 1
      if let known {
        let name = node.names[known]
        out.appendJSONString(name.span)
      } else if !writeString(state.at, length, isClosed: true) {
        isComplete = false
      }
      frame.name = start..<out.count - 1
    }
    frame.count += 1
    list(frame, &state)
    if !isTrial, known != nil {
      state.phase = .colon
      recordDamage(.nothing, state, state.at)
    }
  }

  /// Returns whether a name is unknown and not readable text, or is repeated in a damaged object.
  private func isBrokenName(_ length: Int, _ state: State) -> Bool {
    let frame = frames[state.top]
    let node = outline.nodes[Int(frame.node)]
    guard node.kind == .object else { return false }
    let inner = work.extracting(state.at + 1..<state.at + length - 1)
    guard let index = node.names.firstIndex(where: { inner.elementsEqual($0) }) ?? misspelled(inner.span, frame, node)
    else {
      return !Self.isText(inner.span)
    }
    return frame.seen & 1 << UInt64(index) != 0 && (frame.isOdd || lastDamage >= frame.start)
  }

  private func isBrokenIdentifier(_ length: Int, _ state: State) -> Bool {
    guard length != 38, outline.nodes[Int(state.expected)].kind == .identifier else { return false }
    return !Self.isText(work.extracting(state.at + 1..<state.at + length - 1).span)
  }

  private static func isText(_ bytes: Span<UInt8>) -> Bool {
    !bytes.contains { $0 < 0x20 } && UTF8Check.firstInvalid(in: bytes) == nil
  }

  /// Returns the index of a member whose name differs from the one read in a single byte.
  private func misspelled(_ name: Span<UInt8>, _ frame: Frame, _ node: JSONOutline.Node) -> Int? {
    node.names.indices.first { index in
      let known = node.names[index]
      return known.count == name.count && frame.seen & 1 << UInt64(index) == 0
        && known.indices.reduce(0) { $0 + (known[$1] == name[$1] ? 0 : 1) } == 1
    }
  }

  private mutating func list(_ frame: Frame, _ state: inout State) {
    frames.append(frame)
    state.top = frames.count - 1
  }

  private func endValue(_ state: inout State) { state.phase = state.top < 0 ? .done : .after }

  /// Moves to the next member or element.
  private func next(_ state: inout State) {
    let frame = frames[state.top]
    state.phase = frame.isObject ? .name : .value
    if !frame.isObject { state.expected = element(of: frame.node) }
  }

  private func element(of node: Int32) -> Int32 {
    let node = outline.nodes[Int(node)]
    return node.kind == .array ? node.children[0] : 0
  }

  private func isExpected(_ isObject: Bool, _ state: State) -> Bool {
    switch outline.nodes[Int(state.expected)].kind {
    case .any: true
    case .object, .map: isObject
    case .array: !isObject
    case .text, .identifier, .boolean, .number: false
    }
  }

  private mutating func push(_ state: inout State, isObject: Bool, _ isTrial: Bool) -> Bool {
    let depth = state.top < 0 ? 0 : frames[state.top].depth
    guard depth < JSONLimits.depth else { return false }
    var node = state.expected
    if !isExpected(isObject, state) {
      state.penalty += 40
      node = 0
    }
    let start = out.count
    begin(&state, isTrial)
    if !isTrial { out.append(isObject ? UInt8(ascii: "{") : UInt8(ascii: "[")) }
    list(Frame(parent: state.top, node: node, isObject: isObject, start: start, depth: depth + 1), &state)
    state.phase = isObject ? .firstName : .firstElement
    if !isObject { state.expected = element(of: node) }
    return true
  }

  private mutating func close(_ state: inout State, _ isTrial: Bool) {
    let frame = frames[state.top]
    let identity = outline.nodes[Int(frame.node)].identity
    let isNameless = identity != 0 && frame.seen & identity == 0
    state.top = frame.parent
    if isNameless { state.penalty += 20 }
    if !isTrial {
      if isNameless, lastDamage >= frame.start, isInArray(state) {
        leaveOut(frame, &state)
      } else {
        out.append(frame.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
      }
    }
    endValue(&state)
  }

  /// Removes an element of which too little is left to identify it.
  private mutating func leaveOut(_ frame: Frame, _ state: inout State) {
    out.truncate(to: frame.start)
    lastDamage = frame.start
    var array = frames[state.top]
    let around = pointer(state.top, includesName: true)
    array.count -= 1
    list(array, &state)
    let inside = damages.lastIndex { !$0.pointer.steps.starts(with: around.steps) }.map { $0 + 1 } ?? 0
    let offset = inside < damages.count ? damages[inside].offset : state.at - Self.slack
    damages.removeLast(damages.count - inside)
    isComplete = false
    damages.append(JSONRepair.Damage(pointer: around, offset: offset, loss: .element))
  }

  /// Adds a penalty if a value is not of the kind that the outline expects.
  private func fit(_ kind: JSONOutline.Node.Kind, _ length: Int, _ state: inout State) {
    let expected = outline.nodes[Int(state.expected)].kind
    switch (expected, kind) {
    case (.any, _), (.text, .text), (.boolean, .boolean), (.number, .number): break
    case (.identifier, .text): if length != 38 { state.penalty += 8 }
    case (.array, _), (.object, _), (.map, _): state.penalty += kind == .any ? 12 : 40
    default: state.penalty += kind == .any ? 2 : 12
    }
  }

  // MARK: Pieces

  /// Returns the length, including quotes, of the string that begins at `start`, or nil if the string does not end.
  private func stringLength(_ start: Int) -> Int? {
    let quote = work[start]
    var at = start + 1
    while at < end {
      if work[at] == quote { return at + 1 - start }
      at += work[at] == UInt8(ascii: "\\") ? 2 : 1
    }
    return nil
  }

  private static func isAtom(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
      true
    default: false
    }
  }

  private func atomLength(_ start: Int) -> Int {
    var at = start
    while at < end, Self.isAtom(work[at]) { at += 1 }
    return at - start
  }

  /// Returns the kind of a word or number: `.any` for null, `.text` for a word that becomes a string, and nil for bytes
  /// that are not a value.
  private func atomKind(_ start: Int, _ length: Int, _ expected: Int32) -> JSONOutline.Node.Kind? {
    guard length > 0 else { return nil }
    let text = work.extracting(start..<start + length)
    if JSONNumber.isNumber(text.span) { return .number }
    guard length <= 9 else { return nil }
    switch String(decoding: text, as: UTF8.self).lowercased() {
    case "true", "yes", "false", "no": return .boolean
    case "null", "none", "nil", "undefined", "nan", "infinity": return .any
    default:
      // 007 and +1 are numbers, but not valid in JSON.
      let isNumeric = text.allSatisfy { "+-.eE0123456789".utf8.contains($0) }
      return isNumeric && outline.nodes[Int(expected)].kind == .any ? .text : nil
    }
  }

  private mutating func writeAtom(_ start: Int, _ length: Int, _ kind: JSONOutline.Node.Kind) {
    let text = work.extracting(start..<start + length)
    switch kind {
    case .any: out.append("null")
    case .boolean:
      text[0] | 0x20 == UInt8(ascii: "t") || text[0] | 0x20 == UInt8(ascii: "y")
        ? out.append("true") : out.append("false")
    case .number: out.append(text.span)
    default: out.appendJSONString(text.span)
    }
  }

  /// Writes a string and corrects all errors in it. Returns false if characters were lost.
  private mutating func writeString(_ start: Int, _ length: Int, isClosed: Bool) -> Bool {
    let end = isClosed ? start + length - 1 : start + length
    var at = start + 1
    var isWhole = true
    out.append(UInt8(ascii: "\""))
    while at < end {
      let byte = work[at]
      if byte == UInt8(ascii: "\\") {
        at = writeEscape(at, end, &isWhole)
      } else if byte >= 0x80 {
        let length = UTF8Check.sequenceLength(in: work.extracting(..<end).span, at: at)
        if length == 0 { isWhole = false }
        if length == 0 { out.append("\u{FFFD}") } else { out.append(work.extracting(at..<at + length).span) }
        at += max(1, length)
      } else {
        if byte < 0x20 || byte == UInt8(ascii: "\"") { out.appendEscape(byte) } else { out.append(byte) }
        at += 1
      }
    }
    out.append(UInt8(ascii: "\""))
    return isWhole
  }

  /// Writes the escape at `start` and returns the offset of its end.
  private mutating func writeEscape(_ start: Int, _ end: Int, _ isWhole: inout Bool) -> Int {
    guard start + 1 < end else { return end }
    switch work[start + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      out.append(work.extracting(start..<start + 2).span)
      return start + 2
    case UInt8(ascii: "u"):
      for length in [12, 6] where start + length <= end && isEscape(start, length) {
        out.append(work.extracting(start..<start + length).span)
        return start + length
      }
      isWhole = false
      out.append("\u{FFFD}")
      var at = start + 2
      while at < end, at < start + 6, JSONStrings.hexValue(work[at]) != nil { at += 1 }
      return at
    default:
      // This backslash has no meaning, so only the character after it is kept.
      return start + 1
    }
  }

  private func isEscape(_ start: Int, _ length: Int) -> Bool {
    var quoted = ByteBuffer(capacity: 16)
    quoted.append("\"")
    quoted.append(work.extracting(start..<start + length).span)
    quoted.append("\"")
    var tape = JSONTape(capacity: 16)
    return (try? tape.parse(quoted.bytes.span)) != nil
  }

  // MARK: Recovering

  /// Finds the best way to continue and applies it. Returns false if there is no way to continue.
  private mutating func recover(_ state: inout State, errorAt error: Int) -> Bool {
    guard budget > 0, let last = states.last else { return false }
    var best: Fix?
    tryEdits(state, error, &best)
    if error == end, error - state.at > 2 * Self.window, best?.reached != .max,
      best.map({ $0.reached <= error }) ?? true
    {
      // A string does not end. Its opening quote may be wrong if the text after it can be read without that quote.
      best = nil
      tryEdits(state, state.at, &best)
      trySkips(state.at, &best)
      guard let best, best.reached > state.at + 4 * Self.window else { return false }
      apply(best, &state)
      return true
    }
    // A change that fits badly is compared with leaving bytes out.
    if best.map({ $0.reached < min(error + Self.reach, error + 32) || $0.cost + $0.penalty > last.penalty + 24 })
      ?? true
    {
      trySkips(error, &best)
    }
    guard let best, best.reached > error else { return false }
    apply(best, &state)
    return true
  }

  private mutating func tryEdits(_ failed: State, _ error: Int, _ best: inout Fix?) {
    var left = Self.window
    var at = min(end, error + junkLength(error))
    var index = states.count - 1
    while left > 0, budget > 0 {
      while index > 0, states[index].at > at { index -= 1 }
      guard states[index].at <= at, !states[index].isMoved else { return }
      tryEdits(at, index, error, &best)
      if at < error, work[at] > 0x20 { left -= 1 }
      at -= 1
    }
  }

  /// Tries all changes at one position.
  private mutating func tryEdits(_ at: Int, _ index: Int, _ error: Int, _ best: inout Fix?) {
    func edit(_ cost: Int, removed: Int, _ inserted: Insertion, _ loss: JSONRepair.Damage.Loss = .nothing) {
      attempt(Fix(kind: .edit(at: at, removed: removed, inserted), state: index, cost: cost, loss: loss), error, &best)
    }
    let isError = at == error
    if at < end {
      let byte = work[at]
      let isLetter = Self.isAtom(byte)
      for structural in Self.structure where structural != byte {
        // A single flipped bit is more likely than several. A letter that may have been a quote is kept as a letter.
        let isFlip = (byte ^ structural).nonzeroBitCount == 1
        let isQuote = structural == UInt8(ascii: "\"")
        edit(
          isFlip ? isQuote && isLetter ? 7 : 4 : isLetter ? 12 : 10, removed: 1, Insertion(structural),
          isFlip || !isLetter ? .nothing : .bytes(1))
      }
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { edit(4, removed: 0, Insertion(UInt8(ascii: "\\"))) }
      if at == Self.slack || !Self.isJunk(work[at - 1]), let (word, length) = literal(at) {
        edit(2, removed: length, word)
      }
      let junk = junkLength(at)
      if junk > 0, at == Self.slack || !Self.isJunk(work[at - 1]) {
        edit(5, removed: junk, .null, .value)
        // A structural byte may have replaced a digit in the middle of a number.
        if at + junk + 1 < end, !Self.isJunk(work[at + junk]) {
          let more = junkLength(at + junk + 1)
          if more > 0 { edit(7, removed: junk + 1 + more, .null, .value) }
        }
      }
      if byte > 0x20 { edit(8, removed: 1, Insertion(), isLetter ? .bytes(1) : .nothing) }
    }
    // A number or word at the end of the text may have been truncated together with everything after it.
    guard at < end || !Self.isAtom(work[end - 1]) else { return }
    for structural in Self.structure where structural != UInt8(ascii: "\\") {
      let isComma = isError && structural == UInt8(ascii: ",")
      edit(isComma ? 3 : 6, removed: 0, Insertion(structural), at < end ? .nothing : .ending)
    }
    guard isError else { return }
    // A value that the outline does not expect may still be correct.
    if at < end, [UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""), UInt8(ascii: "'")].contains(work[at]) {
      edit(0, removed: 0, Insertion())
    }
    edit(10, removed: 0, .null, .value)
  }

  private static let structure: [UInt8] = Array("\"{}[],:\\".utf8)

  private static func isJunk(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"),
      UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "\\"), 0...0x20:
      false
    default: true
    }
  }

  /// Returns the length, in bytes, of the text that should be a number or a word. Spaces inside it count; spaces after
  /// it do not.
  private func junkLength(_ start: Int) -> Int {
    var at = start
    var last = start
    while at < end, at - start < 24, work[at] <= 0x20 || Self.isJunk(work[at]) {
      at += 1
      if work[at - 1] > 0x20 { last = at }
    }
    return start < end && Self.isJunk(work[start]) ? last - start : 0
  }

  /// Returns the literal that differs from the text at `at` in one byte, and its length.
  private func literal(_ at: Int) -> (Insertion, Int)? {
    for (word, length) in Insertion.words where at + length <= end {
      var wrong = 0
      for offset in 0..<length where work[at + offset] != word[offset] { wrong += 1 }
      if wrong == 1 { return (word, length) }
    }
    return nil
  }

  /// Reads the text after a change and stores the change if it is the best one so far.
  private mutating func attempt(_ fix: Fix, _ error: Int, _ best: inout Fix?) {
    guard case .edit(let at, let removed, let inserted) = fix.kind, budget > 0 else { return }
    var state = states[fix.state]
    let shift = removed - inserted.count
    guard state.at + shift > 0 else { return }
    let low = min(state.at, state.at + shift)
    let count = at + removed - low
    saved.removeAll()
    saved.append(work.extracting(low..<low + count).span)
    change(state.at, at, removed, inserted)
    state.at += shift
    finish(fix, &state, error, &best)
    _ = work.extracting(low..<low + count).update(fromContentsOf: saved.bytes)
    budget -= count
  }

  /// Changes the text in place. Only the bytes between `start` and `at` move.
  private func change(_ start: Int, _ at: Int, _ removed: Int, _ inserted: Insertion) {
    let shift = removed - inserted.count
    if shift != 0, at > start {
      _ = work.extracting(start + shift..<at + shift).update(fromContentsOf: work.extracting(start..<at))
    }
    for offset in 0..<inserted.count { work[at + shift + offset] = inserted[offset] }
  }

  /// Reads a trial to its end and evaluates it.
  private mutating func finish(_ fix: Fix, _ state: inout State, _ error: Int, _ best: inout Fix?) {
    let known = frames.count
    let start = state.at
    let limit = error + Self.reach
    var fix = fix
    switch read(&state, to: limit, isTrial: true) {
    case .complete: fix.reached = .max
    case .limit: fix.reached = limit
    case .end: fix.reached = min(end, limit)
    case .error: fix.reached = min(state.at, limit)
    }
    fix.penalty = state.penalty
    frames.removeLast(frames.count - known)
    budget -= max(0, state.at - start) + 32
    if fix.isBetter(than: best) { best = fix }
  }

  private mutating func trySkips(_ error: Int, _ best: inout Fix?) {
    var bases: [Int] = []
    for index in states.indices.reversed() where bases.count < 2 {
      switch states[index].phase {
      case .after, .firstName, .firstElement: bases.append(index)
      default: break
      }
    }
    guard let nearest = bases.first else { return }
    let limit = error + Self.reach
    var anchors = 0
    var at = error
    while at < end, anchors < 48, at - error < 1 << 16, budget > 0 {
      defer { at += 1 }
      budget -= 1
      let colon: Int?
      switch work[at] {
      case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ","): colon = nil
      case UInt8(ascii: "\""):
        colon = colonAfter(at + 1)
        if colon == nil { continue }
      default: continue
      }
      anchors += 1
      for base in bases { trySkips(to: at, colon, from: base, error, &best) }
      if let best, best.reached >= limit, best.cost + best.penalty < states[nearest].penalty + 64 { break }
    }
  }

  private func colonAfter(_ start: Int) -> Int? {
    var at = start
    while at < end, work[at] <= 0x20 { at += 1 }
    return at < end && work[at] == UInt8(ascii: ":") ? at : nil
  }

  /// Returns the index of the member whose name ends before `quote`. The beginning of the name may be damaged.
  private func member(before quote: Int, _ node: JSONOutline.Node, _ low: Int) -> Int? {
    var start = quote
    while start > low, Self.isAtom(work[start - 1]) || work[start - 1] == UInt8(ascii: "_") { start -= 1 }
    guard start < quote else { return nil }
    let isWhole = start > low && work[start - 1] == UInt8(ascii: "\"")
    let text = work.extracting(start..<quote)
    if let index = node.names.firstIndex(where: { text.elementsEqual($0) }) { return index }
    guard !isWhole else { return nil }
    let tails = node.names.indices.filter {
      node.names[$0].count > text.count && text.elementsEqual(node.names[$0].suffix(text.count))
    }
    return tails.count == 1 ? tails[0] : nil
  }

  private mutating func trySkips(
    to at: Int, _ colon: Int?, from base: Int, _ error: Int, _ best: inout Fix?
  ) {
    let cost = 24 + 2 * (64 - (at - error + 1).leadingZeroBitCount)
    var top = states[base].top
    var closing = 0
    var closed: UInt64?
    while top >= 0, closing < 10 {
      let frame = frames[top]
      let node = outline.nodes[Int(frame.node)]
      func add(_ entry: Entry, to place: Int) {
        let fix = Fix(
          kind: .skip(to: place, closing: closing, entry), state: base, cost: cost + 3 * closing,
          loss: .bytes(max(0, place - states[base].at)))
        attempt(fix, closed, error, &best)
      }
      if let colon {
        let low = states[base].at
        if frame.isObject {
          if closing > 0 || at - error < Self.gap, let index = member(before: at, node, low) {
            add(.member(index), to: colon)
          }
          if node.kind == .object {
            for (index, child) in node.children.enumerated() where frame.seen & 1 << UInt64(index) == 0 {
              if let inner = member(before: at, outline.nodes[Int(element(of: child))], low) {
                add(.list(index, inner), to: colon)
              }
            }
          }
        } else if let index = member(before: at, outline.nodes[Int(element(of: frame.node))], low) {
          add(.element(index), to: colon)
        }
      } else if work[at] == UInt8(ascii: "{") {
        if !frame.isObject { add(.next, to: at) }
      } else {
        add(.token, to: at)
      }
      closed = frame.isObject ? frame.seen : nil
      top = frame.parent
      closing += 1
    }
  }

  private mutating func attempt(_ fix: Fix, _ closed: UInt64?, _ error: Int, _ best: inout Fix?) {
    guard budget > 0 else { return }
    let known = frames.count
    var state = states[fix.state]
    guard enter(fix, &state, isTrial: true) else { return frames.removeLast(frames.count - known) }
    let begun = state.top
    var trial = best
    if case .skip(_, _, .element) = fix.kind, let closed {
      // A new object begins only if the text after it cannot belong to the previous object, so that no content is
      // counted twice.
      var look = state
      _ = readObject(&look, error)
      let seen = frames[begun...].filter { $0.depth == frames[begun].depth }.reduce(0) { $0 | $1.seen }
      guard seen & closed != 0 else { return frames.removeLast(frames.count - known) }
    }
    finish(fix, &state, error, &trial)
    frames.removeLast(frames.count - known)
    best = trial
  }

  /// Reads to the end of the innermost object.
  private mutating func readObject(_ state: inout State, _ error: Int) -> Stop {
    let depth = frames[state.top].depth
    var stop = Stop.limit
    var limit = state.at + 1
    while stop == .limit, state.at < error + Self.reach, state.top >= 0, frames[state.top].depth >= depth {
      stop = read(&state, to: limit, isTrial: true)
      limit = state.at + 1
    }
    return stop
  }

  /// Leaves bytes out, and closes and opens the containers that `fix` specifies.
  private mutating func enter(_ fix: Fix, _ state: inout State, isTrial: Bool) -> Bool {
    guard case .skip(let at, let closing, let entry) = fix.kind else { return false }
    for _ in 0..<closing { close(&state, isTrial) }
    guard state.top >= 0 else { return false }
    state.at = at
    switch entry {
    case .token:
      if frames[state.top].count > 0 { state.phase = .after }
    case .next: next(&state)
    case .member(let index): name(index, &state, isTrial)
    case .element(let index):
      next(&state)
      guard push(&state, isObject: true, isTrial) else { return false }
      name(index, &state, isTrial)
    case .list(let array, let index):
      name(array, &state, isTrial)
      if !isTrial { out.append(UInt8(ascii: ":")) }
      guard push(&state, isObject: false, isTrial), push(&state, isObject: true, isTrial) else { return false }
      name(index, &state, isTrial)
    }
    return true
  }

  /// Begins a member with a known name. Reading continues at the colon.
  private mutating func name(_ index: Int, _ state: inout State, _ isTrial: Bool) {
    var frame = frames[state.top]
    let node = outline.nodes[Int(frame.node)]
    if frame.seen & 1 << UInt64(index) != 0 { state.penalty += 100 }
    frame.seenBefore = frame.seen
    frame.seen |= 1 << UInt64(index)
    if !isTrial {
      state.member = out.count
      if frame.count > 0 { out.append(UInt8(ascii: ",")) }
      let start = out.count + 1
      let name = node.names[index]
      out.appendJSONString(name.span)
      frame.name = start..<out.count - 1
    }
    frame.count += 1
    list(frame, &state)
    state.expected = node.children[index]
    state.phase = .colon
  }

  private mutating func apply(_ fix: Fix, _ state: inout State) {
    state = states[fix.state]
    states.removeLast(states.count - fix.state)
    out.truncate(to: state.out)
    lastDamage = out.count
    switch fix.kind {
    case .edit(let at, 0, let inserted) where inserted.count == 0:
      tolerated = at
    case .edit(let at, let removed, let inserted):
      recordDamage(fix.loss, state, at)
      change(state.at, at, removed, inserted)
      let shift = removed - inserted.count
      if shift < 0 {
        for index in states.indices { states[index].isMoved = true }
      } else {
        for place in state.at..<state.at + shift { work[place] = 0x20 }
      }
      state.at += shift
    case .skip:
      states.append(state)
      recordDamage(fix.loss, state, state.at)
      _ = enter(fix, &state, isTrial: false)
    }
  }

  /// Closes all open containers, because the rest of the text cannot be used.
  private mutating func cut(_ state: inout State) {
    if state.phase == .done {
      isComplete = false
      return recordDamage(.bytes(end - state.at), state, state.at)
    }
    out.truncate(to: state.out)
    lastDamage = out.count
    recordDamage(.ending, state, state.at)
    if state.phase == .value || state.phase == .firstElement || state.phase == .colon {
      let expected = outline.nodes[Int(state.expected)].kind
      let isText = state.at < end && (work[state.at] == UInt8(ascii: "\"") || work[state.at] == UInt8(ascii: "'"))
      if state.phase != .colon, isText, expected == .any || expected == .text, stringLength(state.at) == nil {
        begin(&state, false)
        _ = writeString(state.at, end - state.at, isClosed: false)
      } else if state.top >= 0, frames[state.top].isObject {
        out.truncate(to: state.member)
        frames[state.top].seen = frames[state.top].seenBefore
        frames[state.top].count -= 1
      }
    }
    while state.top >= 0 { close(&state, false) }
  }

  // MARK: Damages

  private mutating func recordLetterLoss(_ state: State) {
    var after = state
    after.phase = .after
    recordDamage(.letters, after, state.at)
  }

  private mutating func recordDamage(_ loss: JSONRepair.Damage.Loss, _ state: State, _ at: Int) {
    if loss != .nothing { isComplete = false }
    guard damages.count < Self.listed else { return }
    var steps = pointer(
      state.top, includesName: state.phase == .value || state.phase == .colon || state.phase == .after
    )
    .steps
    if state.top >= 0, !frames[state.top].isObject, state.phase == .value || state.phase == .firstElement {
      steps[steps.count - 1] = .element(frames[state.top].count)
    }
    damages.append(JSONRepair.Damage(pointer: JSONPointer(steps), offset: max(0, at - Self.slack), loss: loss))
  }

  /// Returns the path to the value that is being read in a container.
  private func pointer(_ top: Int, includesName: Bool) -> JSONPointer {
    var steps: [JSONPointer.Step] = []
    var top = top
    var includesName = includesName
    while top >= 0 {
      let frame = frames[top]
      if !frame.isObject {
        steps.append(.element(max(0, frame.count - 1)))
      } else if includesName, !frame.name.isEmpty {
        steps.append(.member(String(decoding: out.copy(frame.name.clamped(to: 0..<out.count)), as: UTF8.self)))
      }
      includesName = true
      top = frame.parent
    }
    return JSONPointer(steps.reversed())
  }
}
