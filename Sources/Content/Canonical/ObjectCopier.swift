import JSONText

/// Writes an array of objects of which nothing has to be said: stretches of the source are copied, in the order of
/// the shape.
///
/// The fast half of the canonicaliser for JSON columns. Members may stand in any order; those that stand in the right
/// one already are copied together, so an array in order is one copy. Whatever needs a finding, a default or a repair
/// makes it give up, and the canonicaliser starts again.
struct ObjectCopier {
  private let text: UnsafePointer<UInt8>
  private let tokens: UnsafePointer<JSONToken>
  /// The source's bytes that are next to be copied.
  private var runStart = 0
  private var runEnd = 0
  /// Token index of each member's name in the objects that are open, innermost last.
  private var slots: UnsafeMutablePointer<Int32>
  private let slotsEnd: UnsafeMutablePointer<Int32>

  /// Writes `node`; false when it needs the canonicaliser, and then what was appended counts for nothing.
  ///
  /// The text must have been parsed without white space between its tokens.
  /// - Parameters:
  ///   - slots: memory to work in.
  ///   - innerIDs: gets the tokens of the ids of what was written.
  static func write(
    _ node: JSONNode, _ shape: Shape, slots: UnsafeMutableBufferPointer<Int32>, innerIDs: inout [Int],
    into out: inout ByteBuffer
  ) -> Bool {
    guard let base = slots.baseAddress else { return false }
    var copier = ObjectCopier(text: node.text, tokens: node.tokens, slots: base, slotsEnd: base + slots.count)
    guard copier.array(node, shape, &innerIDs, &out) else { return false }
    copier.flush(&out)
    return true
  }

  private init(
    text: UnsafePointer<UInt8>, tokens: UnsafePointer<JSONToken>, slots: UnsafeMutablePointer<Int32>,
    slotsEnd: UnsafeMutablePointer<Int32>
  ) {
    self.text = text
    self.tokens = tokens
    self.slots = slots
    self.slotsEnd = slotsEnd
  }

  // MARK: Values

  private mutating func array(
    _ node: JSONNode, _ shape: Shape, _ innerIDs: inout [Int], _ out: inout ByteBuffer
  ) -> Bool {
    guard node.kind == .array else { return false }
    let span = node.span
    take(span.lowerBound, span.lowerBound + 1, &out)
    let end = Int(node.token.next)
    var child = node.index + 1
    while child < end {
      if child != node.index + 1 { separate(Int(tokens[child].start), &out) }
      guard object(node.at(child), shape, &innerIDs, &out) else { return false }
      child = Int(tokens[child].next)
    }
    take(span.upperBound - 1, span.upperBound, &out)
    return true
  }

  private mutating func object(
    _ node: JSONNode, _ shape: Shape, _ innerIDs: inout [Int], _ out: inout ByteBuffer
  ) -> Bool {
    let members = shape.members
    let count = members.count
    guard node.kind == .object, slots + count <= slotsEnd, let first = members.baseAddress else { return false }
    let found = slots
    slots += count
    defer { slots = found }
    found.update(repeating: -1, count: count)
    let end = Int(node.token.next)
    var child = node.index + 1
    var hint = 0
    while child < end {
      let name = node.at(child)
      if name.token.flags.contains(.escaped) { return false }
      let index = shape.index(of: name.inner, from: hint)
      guard index >= 0, found[index] < 0 else { return false }
      found[index] = Int32(truncatingIfNeeded: child)
      hint = index + 1
      child = Int(tokens[child + 1].next)
    }

    let span = node.span
    take(span.lowerBound, span.lowerBound + 1, &out)
    var isFirst = true
    for index in 0..<count {
      let slot = Int(found[index])
      if slot < 0 {
        guard members[index].absent == .omit else { return false }
        continue
      }
      let nameStart = Int(tokens[slot].start)
      if !isFirst { separate(nameStart, &out) }
      isFirst = false
      // The name with its colon: nothing else stands before the value.
      take(nameStart, Int(tokens[slot + 1].start), &out)
      guard value(node.at(slot + 1), first + index, &innerIDs, &out) else { return false }
    }
    take(span.upperBound - 1, span.upperBound, &out)
    return true
  }

  @inline(__always)
  private mutating func value(
    _ node: JSONNode, _ member: UnsafePointer<ShapeMember>, _ innerIDs: inout [Int], _ out: inout ByteBuffer
  ) -> Bool {
    let token = node.token
    var fits: Bool
    switch member.pointee.kind {
    case .text:
      fits = token.kind == .string
      if token.flags.contains(.unusualEscape) {
        respell(node, &out)
        return fits
      }
    case .bool: fits = token.kind == .true || token.kind == .false
    case .integer: fits = node.isPlainInteger
    case .number: fits = token.kind == .number
    case .innerIdentifier:
      fits = token.kind == .string && UUIDText.form(of: node.inner) == .canonical
      if fits { innerIDs.append(node.index) }
    case .strings: return token.kind == .array && strings(node, &out)
    case .objects:
      guard let child = member.pointee.child else { return false }
      return array(node, child, &innerIDs, &out)
    default: fits = false
    }
    if !fits { fits = token.kind == .null && member.pointee.nullable }
    take(Int(token.start), Int(token.start) + Int(token.length), &out)
    return fits
  }

  private mutating func strings(_ node: JSONNode, _ out: inout ByteBuffer) -> Bool {
    let span = node.span
    take(span.lowerBound, span.lowerBound + 1, &out)
    let end = Int(node.token.next)
    var child = node.index + 1
    while child < end {
      let token = tokens[child]
      guard token.kind == .string else { return false }
      if child != node.index + 1 { separate(Int(token.start), &out) }
      if token.flags.contains(.unusualEscape) {
        respell(node.at(child), &out)
      } else {
        take(Int(token.start), Int(token.start) + Int(token.length), &out)
      }
      child += 1
    }
    take(span.upperBound - 1, span.upperBound, &out)
    return true
  }

  // MARK: Runs

  /// Takes the source's bytes from `start` to `end`, together with those before if they follow them.
  @inline(__always)
  private mutating func take(_ start: Int, _ end: Int, _ out: inout ByteBuffer) {
    if start != runEnd {
      flush(&out)
      runStart = start
    }
    runEnd = end
  }

  /// Takes the comma before what stands at `start`, or writes one when something else stands there.
  @inline(__always)
  private mutating func separate(_ start: Int, _ out: inout ByteBuffer) {
    if start == runEnd + 1, text[runEnd] == UInt8(ascii: ",") {
      runEnd = start
    } else {
      flush(&out)
      out.append(UInt8(ascii: ","))
      runStart = start
      runEnd = start
    }
  }

  /// Writes a string with the shortest escapes; what follows it is the source's again.
  private mutating func respell(_ node: JSONNode, _ out: inout ByteBuffer) {
    flush(&out)
    var plain = ByteBuffer(capacity: node.inner.count)
    JSONStrings.unescape(node.inner, into: &plain)
    out.appendJSONString(plain.bytes)
    runStart = node.span.upperBound
    runEnd = runStart
  }

  @inline(__always)
  private mutating func flush(_ out: inout ByteBuffer) {
    if runEnd > runStart { out.append(text + runStart, runEnd - runStart) }
    runStart = runEnd
  }
}
