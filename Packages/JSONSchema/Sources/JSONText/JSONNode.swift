/// A value in a tape, read in place. It is the unsafe counterpart of `JSONValue`, for loops in which nanoseconds
/// matter.
///
/// A node consists of two addresses and an index, without references or checks. It is valid only as long as its text
/// and its tape neither move nor change. Use a node only inside the call that passes both; code that keeps a value
/// longer uses `JSONDocument`.
public struct JSONNode {
  /// The start of the text.
  public let text: UnsafePointer<UInt8>
  /// The start of the tape.
  public let tokens: UnsafePointer<JSONToken>
  /// The index of the value's token.
  public let index: Int

  /// Creates a node for the value of a token.
  @inlinable @inline(__always) public init(text: UnsafePointer<UInt8>, tokens: UnsafePointer<JSONToken>, index: Int) {
    self.text = text
    self.tokens = tokens
    self.index = index
  }

  /// The value's token.
  @inlinable @inline(__always) public var token: JSONToken { tokens[index] }
  /// The kind of the value.
  @inlinable @inline(__always) public var kind: JSONToken.Kind { tokens[index].kind }
  /// Whether the value is null.
  @inlinable @inline(__always) public var isNull: Bool { kind == .null }

  /// The value's bytes as written, quotes and brackets included.
  @inlinable @inline(__always) public var raw: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: text + Int(token.start), count: Int(token.length))
  }

  /// A string's bytes between its quotes, with escapes as written.
  @inlinable @inline(__always) public var inner: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: text + Int(token.start) + 1, count: max(0, Int(token.length) - 2))
  }

  /// The range of the value, in bytes from the start of the text.
  @inlinable @inline(__always) public var span: Range<Int> { Int(token.start)..<Int(token.start) + Int(token.length) }

  /// Returns the value at another token of the same tape.
  @inlinable @inline(__always) public func at(_ index: Int) -> JSONNode {
    JSONNode(text: text, tokens: tokens, index: index)
  }

  /// Calls `body` with the token index of every element.
  @inlinable @inline(__always) public func forEachElement<E: Error>(_ body: (JSONNode) throws(E) -> Void) throws(E) {
    guard kind == .array else { return }
    let end = Int(token.next)
    var child = index + 1
    while child < end {
      try body(at(child))
      child = Int(tokens[child].next)
    }
  }

  /// Calls `body` with the name and value of every member, in source order.
  @inlinable @inline(__always) public func forEachMember<E: Error>(
    _ body: (_ name: JSONNode, _ value: JSONNode) throws(E) -> Void
  ) throws(E) {
    guard kind == .object else { return }
    let end = Int(token.next)
    var child = index + 1
    while child < end {
      try body(at(child), at(child + 1))
      child = Int(tokens[child + 1].next)
    }
  }

  /// Returns the value of the first member called `name`, or nil if there is no such member.
  public func member(_ name: StaticString) -> JSONNode? {
    guard kind == .object else { return nil }
    let end = Int(token.next)
    var child = index + 1
    while child < end {
      if at(child).equals(name) { return at(child + 1) }
      child = Int(tokens[child + 1].next)
    }
    return nil
  }

  /// Returns the value of the first member called `name`, or nil if there is no such member.
  public func member(named name: String) -> JSONNode? {
    guard kind == .object else { return nil }
    let end = Int(token.next)
    var child = index + 1
    while child < end {
      let key = at(child)
      let isSame =
        key.token.flags.contains(.escaped)
        ? key.string?.utf8.elementsEqual(name.utf8) == true : key.inner.elementsEqual(name.utf8)
      if isSame { return at(child + 1) }
      child = Int(tokens[child + 1].next)
    }
    return nil
  }

  /// Returns whether a string's text is `text`. If the string has no escapes, the function compares bytes.
  @inlinable public func equals(_ text: StaticString) -> Bool {
    if token.flags.contains(.escaped) { return string == "\(text)" }
    let inner = inner
    guard inner.count == text.utf8CodeUnitCount else { return false }
    return text.withUTF8Buffer { expected in
      for index in 0..<inner.count where inner[index] != expected[index] { return false }
      return true
    }
  }

  /// A string's text with escapes resolved, or nil for any other kind.
  public var string: String? {
    guard kind == .string else { return nil }
    guard token.flags.contains(.escaped) else { return String(decoding: inner, as: UTF8.self) }
    var buffer = ByteBuffer(capacity: inner.count)
    JSONStrings.unescape(inner.span, into: &buffer)
    return String(decoding: buffer.bytes, as: UTF8.self)
  }

  /// True or false; nil for any other kind.
  public var bool: Bool? {
    switch kind {
    case .true: true
    case .false: false
    default: nil
    }
  }

  /// The text of a number as written, or nil for any other kind.
  public var numberText: String? {
    kind == .number ? String(decoding: raw, as: UTF8.self) : nil
  }

  /// A number as floating point; nil for any other kind.
  public var double: Double? { numberText.flatMap(Double.init) }

  /// Whether the number has at most 18 digits and no fraction, so that it fits in 64 bits without a check.
  @inlinable @inline(__always) public var isPlainInteger: Bool {
    kind == .number && token.flags.contains(.integer) && token.length <= 18
  }

  /// A whole number that fits in 64 bits. `7.0` and `7e0` count as 7; `7.5` is not a whole number.
  public var integer: Int64? {
    guard let text = numberText else { return nil }
    if token.flags.contains(.integer) { return Int64(text) }
    guard let value = Double(text), value.rounded() == value, abs(value) < 9_007_199_254_740_992 else {
      return nil
    }
    // Floating point rounds 0.1e-400 to 0, which is a whole number, although 0.1e-400 is not.
    let whole = Int64(value)
    return JSONNumber.equal(String(whole).utf8.span, raw.span) ? whole : nil
  }

  /// Returns the path from this value to the token at `target`, which must be a value or a member name inside this
  /// value.
  ///
  /// The search visits only the containers on the path. Paths are computed only when something is reported. Callers
  /// that need many paths keep a `ChildIndex`.
  public func pointer(to target: Int) -> JSONPointer {
    var index = ChildIndex()
    return index.pointer(from: self, to: target)
  }

  /// Returns whether two values are equivalent: member order, escapes, white space and the spelling of numbers are
  /// ignored.
  package func means(_ other: JSONNode) -> Bool {
    guard kind == other.kind else { return false }
    switch kind {
    case .null, .true, .false: return true
    case .number: return JSONNumber.equal(raw.span, other.raw.span)
    case .string: return sameString(as: other)
    case .array: return sameElements(as: other)
    case .object: return sameMembers(as: other) { _ in false }
    }
  }

  /// Returns whether two objects are equivalent if some of their members are ignored.
  /// - Parameter ignores: returns whether the member with the given name is ignored.
  package func means(_ other: JSONNode, ignoring ignores: (JSONNode) -> Bool) -> Bool {
    kind == .object && other.kind == .object && sameMembers(as: other, ignoring: ignores)
  }

  private func sameElements(as other: JSONNode) -> Bool {
    var left = index + 1
    var right = other.index + 1
    let leftEnd = Int(token.next)
    let rightEnd = Int(other.token.next)
    while left < leftEnd, right < rightEnd {
      guard at(left).means(other.at(right)) else { return false }
      left = Int(tokens[left].next)
      right = Int(other.tokens[right].next)
    }
    return left >= leftEnd && right >= rightEnd
  }

  private func sameMembers(as other: JSONNode, ignoring ignores: (JSONNode) -> Bool) -> Bool {
    // The names are compared as bytes: Swift's strings treat two encodings of one accented letter as equal, but JSON
    // does not.
    var theirs: [[UInt8]: JSONNode] = [:]
    other.forEachMember { name, value in
      if !ignores(name) { theirs[name.textBytes] = value }
    }
    var mine: [[UInt8]: JSONNode] = [:]
    forEachMember { name, value in
      if !ignores(name) { mine[name.textBytes] = value }
    }
    guard mine.count == theirs.count else { return false }
    return mine.allSatisfy { name, value in theirs[name].map(value.means) ?? false }
  }

  /// The first member name, at any depth, that occurs twice in its object; nil if all names are unique.
  ///
  /// Names are compared with escapes resolved. For large objects, the time is linear in the number of members.
  package var duplicateName: JSONNode? {
    let end = Int(token.next)
    var index = index
    while index < end {
      if tokens[index].kind == .object, let found = at(index).duplicateOwnName { return found }
      index += 1
    }
    return nil
  }

  /// The first name that occurs twice in this object, not counting the objects inside it.
  package var duplicateOwnName: JSONNode? {
    let count = Int(token.count)
    guard count > 1 else { return nil }
    if count > 12 { return duplicateAmongMany }
    let end = Int(token.next)
    var right = Int(tokens[index + 2].next)
    while right < end {
      var left = index + 1
      while left < right {
        if at(left).sameString(as: at(right)) { return at(right) }
        left = Int(tokens[left + 1].next)
      }
      right = Int(tokens[right + 1].next)
    }
    return nil
  }

  private var duplicateAmongMany: JSONNode? {
    // Each slot holds half of a name's hash and the name's token.
    let most = token.count < .max ? Int(token.count) : (Int(token.next) - index) / 2
    var slots = [UInt64](repeating: 0, count: 2 << (Int.bitWidth - most.leadingZeroBitCount))
    var child = index + 1
    let end = Int(token.next)
    while child < end {
      let name = at(child)
      let hash = name.textHash
      var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
      while slots[slot] != 0 {
        if slots[slot] >> 32 == hash >> 32, at(Int(slots[slot] & 0xFFFF_FFFF)).sameString(as: name) { return name }
        slot = (slot + 1) & (slots.count - 1)
      }
      slots[slot] = (hash >> 32) << 32 | UInt64(child)
      child = Int(tokens[child + 1].next)
    }
    return nil
  }

  /// A hash of a string's bytes. Swift's strings treat two encodings of one accented letter as equal, but JSON does
  /// not.
  private var textHash: UInt64 {
    var hasher = Hasher()
    if token.flags.contains(.escaped) {
      textBytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    } else {
      inner.span.bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
    return UInt64(truncatingIfNeeded: UInt(bitPattern: hasher.finalize()))
  }

  /// Returns whether two strings have the same text, with escapes resolved.
  package func sameString(as other: JSONNode) -> Bool {
    if !token.flags.contains(.escaped), !other.token.flags.contains(.escaped) {
      return inner.span.equals(other.inner.span)
    }
    return textBytes == other.textBytes
  }
}

/// Finds children of the containers in one text repeatedly. The first query lists the children of a large container, so
/// that a thousand findings in one array cost a thousand steps instead of a million.
///
/// An index serves only one text. Its memory grows by a few bytes for each child of a large container that was queried.
package struct ChildIndex: Sendable {
  /// The largest number of children for which a container is searched at each query instead of being listed.
  private static let few = 24

  /// The tokens of the elements or member names, keyed by the container's token.
  private var children: [Int: [UInt32]] = [:]
  /// For each object, keyed by its token: the token of the last member for each name (unescaped bytes).
  private var names: [Int: [[UInt8]: UInt32]] = [:]
  /// The most recently queried string with escapes, and its offsets.
  private var offsets: (token: Int, counter: WrittenOffsets)?

  /// Creates an empty index.
  package init() {}

  /// Returns the element that a step selects, or the last member that it names, together with the member's name.
  package mutating func child(of node: JSONNode, at step: JSONPointer.Step) -> (value: JSONNode, name: JSONNode?)? {
    switch (node.kind, step) {
    case (.array, .element(let position)): element(position, of: node).map { ($0, nil) }
    case (.object, .element(let position)): member(Array(String(position).utf8), of: node)
    case (.object, .member(let name)): member(Array(name.utf8), of: node)
    default: nil
    }
  }

  /// Returns an element of an array, or nil if there is no such element.
  package mutating func element(_ position: Int, of array: JSONValue) -> JSONValue? {
    array.document.withNode(array.index) { node in
      node.kind == .array
        ? element(position, of: node).map { JSONValue(document: array.document, index: $0.index) } : nil
    }
  }

  /// Returns the path from `root` to the token at `target`, which must be a value or a member name inside `root`.
  package mutating func pointer(from root: JSONNode, to target: Int) -> JSONPointer {
    var steps: [JSONPointer.Step] = []
    var node = root
    while node.index != target, let (position, token) = child(of: node, around: target) {
      if node.kind == .array {
        steps.append(.element(position))
        node = node.at(token)
      } else {
        steps.append(.member(node.at(token).string ?? ""))
        if target == token { break }
        node = node.at(token + 1)
      }
    }
    return JSONPointer(steps)
  }

  /// Returns the offset in `inner`, a string's bytes as written, of a byte of the string's text.
  mutating func writtenOffset(ofTextOffset offset: Int, in string: JSONNode) -> Int {
    if offsets?.token != string.index { offsets = (string.index, WrittenOffsets()) }
    return offsets?.counter.written(offset, in: string.inner.span) ?? 0
  }

  // MARK: Large and small containers

  private mutating func element(_ position: Int, of node: JSONNode) -> JSONNode? {
    guard position >= 0 else { return nil }
    if let list = list(of: node) { return position < list.count ? node.at(Int(list[position])) : nil }
    let end = Int(node.token.next)
    var child = node.index + 1
    for _ in 0..<position where child < end { child = Int(node.at(child).token.next) }
    return child < end ? node.at(child) : nil
  }

  private mutating func member(_ name: [UInt8], of node: JSONNode) -> (value: JSONNode, name: JSONNode?)? {
    guard Int(node.token.count) > Self.few else {
      var found: (JSONNode, JSONNode?)?
      node.forEachMember { own, value in
        if own.equals(name) { found = (value, own) }
      }
      return found
    }
    if names[node.index] == nil {
      var all: [[UInt8]: UInt32] = [:]
      node.forEachMember { own, _ in all[own.textBytes] = UInt32(truncatingIfNeeded: own.index) }
      names[node.index] = all
    }
    return names[node.index]?[name].map { (node.at(Int($0) + 1), node.at(Int($0))) }
  }

  /// Returns the child that contains a token: its element or name token, and the number of children before it.
  private mutating func child(of node: JSONNode, around target: Int) -> (position: Int, token: Int)? {
    guard node.kind == .array || node.kind == .object else { return nil }
    let end = Int(node.token.next)
    guard target > node.index, target < end else { return nil }
    if let list = list(of: node) {
      var low = 0
      var high = list.count
      while high - low > 1 {
        let middle = (low + high) / 2
        if Int(list[middle]) <= target { low = middle } else { high = middle }
      }
      return list.isEmpty ? nil : (low, Int(list[low]))
    }
    let skip = node.kind == .object ? 1 : 0
    var child = node.index + 1
    var position = 0
    while child < end {
      let next = Int(node.at(child + skip).token.next)
      if target < next { return (position, child) }
      child = next
      position += 1
    }
    return nil
  }

  /// Returns the children of a large container; nil for a small one.
  private mutating func list(of node: JSONNode) -> [UInt32]? {
    guard Int(node.token.count) > Self.few else { return nil }
    if let known = children[node.index] { return known }
    var all: [UInt32] = []
    all.reserveCapacity(Int(node.token.count))
    node.forEachElement { all.append(UInt32(truncatingIfNeeded: $0.index)) }
    node.forEachMember { name, _ in all.append(UInt32(truncatingIfNeeded: name.index)) }
    children[node.index] = all
    return all
  }
}

extension JSONNode {
  /// A string's bytes with escapes resolved.
  package var textBytes: [UInt8] {
    guard token.flags.contains(.escaped) else { return Array(inner) }
    guard kind == .string else { return [] }
    var text = ByteBuffer(capacity: inner.count)
    JSONStrings.unescape(inner.span, into: &text)
    return Array(text.bytes)
  }

  /// Appends a string's text with escapes resolved.
  package func appendText(to out: inout ByteBuffer) {
    if token.flags.contains(.escaped) { JSONStrings.unescape(inner.span, into: &out) } else { out.append(inner.span) }
  }

  /// Returns whether a string's text has exactly these bytes. Two encodings of one accented letter are two different
  /// names, as everywhere in JSON.
  package func equals(_ bytes: [UInt8]) -> Bool {
    token.flags.contains(.escaped) ? (string ?? "").utf8.elementsEqual(bytes) : inner.elementsEqual(bytes)
  }
}
