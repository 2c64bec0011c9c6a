import Diagnostics
import JSONText

/// Converts values written by people and apps into the canonical spelling of a record.
///
/// Member order comes from `Shapes`; unknown members follow in source order. Strings and white space have one spelling,
/// numbers stay as written, and defaults are added. Repairs are reported with their paths. A canonicaliser must not be
/// shared between threads. Its memory does not grow with the content.
package struct Canonicalizer: ~Copyable {
  /// How strict the canonicaliser is about its input.
  package enum Mode {
    /// Text that people may write: lenient about ids and defaults, strict about types (a wrong type sets `rejected`).
    case bundle
    /// A JSON column of a library. No value is refused; content that the app would lose is repaired and reported.
    case column
    /// Carried values, of which only member order and spelling change.
    case order
  }

  package var mode: Mode
  /// The issues since `begin`.
  package var issues: [CanonicalIssue] = []
  /// Whether an issue prevents the record from being used (bundle mode).
  package var rejected = false
  /// Whether overlong records are rejected, and whether issues after the first few thousand in one record are omitted.
  /// A written record can be many times longer than its source.
  package var limitsSize = false
  /// The maximum size of the buffer when the record is written.
  private var end = Int.max
  /// Whether the text has become too long since `begin`. Only its beginning was written in that case.
  package private(set) var isTooLong = false

  private var errorCount = 0
  /// Whether a repair changed the content, so that the original should be kept as well.
  package var altered = false
  /// The scope of derived inner ids: the item's id, or the checklist's for ticks.
  package var recordID = ""
  /// The record's own id in its written form.
  var ownID = ""
  /// The record's id in the source, if it is not a UUID and must be kept.
  var replacedID: String?

  /// Token indices of the ids of sections, items and cards written since `begin`.
  package var innerIDs: [Int] = []

  /// The path from the given value to the current one. A step is the token index of a member name, or -1 - position.
  var path = PathStack()
  /// The number of inner ids derived so far from each combination of parent and title.
  var derivedRepeats: [String: Int] = [:]
  /// The object whose steps last got derived ids, and the text from which they were derived.
  var around: (token: Int, text: String)?
  /// The given value.
  var root: JSONNode?
  /// The item whose document is being written, for members that inherit from it.
  var item: ItemContext?
  /// Whether unknown members are collected by the path of their object's shape. Each is reported once.
  package var collectsUnknown = false
  /// Whether unknown members are reported (bundle mode). A server does not report them.
  package var mentionsUnknown = true
  /// Whether times are truncated to whole seconds for publish payloads. Apple's older decoder does not accept
  /// fractions.
  package var cutsToSeconds = false
  /// The member names of shapes for which unknown members were found, by the address of the shape's members.
  /// Suggestions come from these names.
  private var memberNames: [Int: Spelling.Words] = [:]
  let slots: UnsafeMutableBufferPointer<Int32>
  var slotsUsed = 0

  static let slotCapacity = 1024

  package init(mode: Mode) {
    self.mode = mode
    slots = .allocate(capacity: Self.slotCapacity)
  }

  deinit { slots.deallocate() }

  /// The values that an item's document inherits if it lacks them.
  struct ItemContext {
    let node: JSONNode
    /// The index at which the slots of the envelope's members start.
    let slots: Int
    let type: ContentType?
  }

  /// Starts a new text and discards the issues of the previous record.
  package mutating func begin(_ node: JSONNode, recordID: String) {
    if !issues.isEmpty { issues.removeAll(keepingCapacity: issues.count < 1024) }
    errorCount = 0
    end = .max
    isTooLong = false
    rejected = false
    altered = false
    // All columns of a row have the same id; comparing the ids costs less than counting references.
    if self.recordID != recordID { self.recordID = recordID }
    if ownID != recordID { ownID = recordID }
    if replacedID != nil { replacedID = nil }
    innerIDs.removeAll(keepingCapacity: true)
    path.removeAll()
    if !derivedRepeats.isEmpty { derivedRepeats.removeAll() }
    around = nil
    root = node
    item = nil
    slotsUsed = 0
  }

  // MARK: Issues

  mutating func report(
    _ code: DiagnosticCode, _ message: String, at node: JSONNode, severity: Severity? = nil, fix: String? = nil,
    length: Int = 0
  ) {
    // Errors have a separate limit, because they are the reasons for rejecting a record.
    let isError = code.severity == .error
    let listed = isError ? errorCount : issues.count - errorCount
    // If the text is too long, other issues are not listed.
    let isListed = !limitsSize || listed < RecordLimits.findings && (!isTooLong || code == .recordTooLarge)
    if isListed {
      if isError { errorCount += 1 }
      let isLast = limitsSize && listed == RecordLimits.findings - 1
      issues.append(
        CanonicalIssue(
          code: code, message: isLast ? message + RecordLimits.notListed : message,
          pointer: pointer(), offset: Int(node.token.start), severity: severity, fix: fix, length: length))
    }
    if mode == .bundle, code.severity == .error, code != .itemStateDateNotStrict { rejected = true }
  }

  /// Discards the issues of a value that is not used.
  mutating func forgetIssues(from first: Int) {
    guard issues.count > first else { return }
    for issue in issues[first...] where issue.code.severity == .error { errorCount -= 1 }
    issues.removeLast(issues.count - first)
  }

  /// Returns whether the text has become too long, so that nothing more is written. The first element that does not fit
  /// is reported.
  mutating func isFull(_ bytes: Int, at element: JSONNode) -> Bool {
    guard bytes > end, !isTooLong else { return isTooLong }
    isTooLong = true
    altered = true
    // This issue is the reason why the record cannot be used, so issues reported before it do not matter.
    forgetIssues(from: 0)
    report(
      .recordTooLarge,
      "the record, written in full, exceeds both \(RecordLimits.bytes >> 20) MiB and twice its text", at: element)
    return true
  }

  /// Records the start of a record's text.
  mutating func beginText(_ node: JSONNode, at start: Int) {
    if limitsSize { end = start + max(RecordLimits.bytes, 2 * Int(node.token.length)) }
  }

  /// Returns the path as a JSON Pointer. Called only when an issue is reported.
  func pointer() -> JSONPointer {
    guard let root else { return JSONPointer() }
    return JSONPointer(
      path.steps.map { step in step < 0 ? .element(-1 - step) : .member(root.at(step).string ?? "") })
  }

  /// Describes a value for a message, such as `an array`.
  static func describe(_ node: JSONNode) -> String {
    switch node.kind {
    case .null: return "null"
    case .true, .false: return "a boolean"
    case .array: return "an array"
    case .object: return "an object"
    case .number: return "the number \(short(node))"
    case .string: return "the string \(short(node))"
    }
  }

  static func short(_ node: JSONNode) -> String {
    let text = String(decoding: node.raw.prefix(60), as: UTF8.self)
    return node.raw.count > 60 ? text + "…" : text
  }

  /// Writes an object: known members in the order of the shape, then unknown members in source order.
  /// - Parameter position: the position among its siblings, for members that default to it.
  mutating func writeObject(
    _ node: JSONNode, _ shape: Shape, position: Int, parent: Int, into out: inout ByteBuffer
  ) {
    let count = shape.members.count
    guard slotsUsed + count <= Self.slotCapacity else { return writeAny(node, into: &out) }
    let base = slotsUsed
    slotsUsed += count
    defer { slotsUsed = base }
    slots[base..<slotsUsed].update(repeating: -1)
    var unknown = false
    assign(node, shape, base, &unknown)
    if mode == .bundle, shape.members.baseAddress == Shapes.item.members.baseAddress {
      item = ItemContext(node: node, slots: base, type: Self.contentType(of: node))
    }

    out.append(UInt8(ascii: "{"))
    let open = out.count
    for index in 0..<count {
      let member = shape.members[index]
      let slot = slots[base + index]
      if slot >= 0, !inheritsInstead(member, node.at(Int(slot) + 1)) {
        separate(&out, open)
        out.append(member.key.span)
        path.append(Int(slot))
        writeMember(
          member, node.at(Int(slot) + 1), position: position, parent: parent, owner: node, into: &out)
        path.removeLast()
      } else if mode != .order, member.absent != .omit || member.kind == .extras {
        writeAbsent(member, node, position: position, parent: parent, open: open, into: &out)
      }
    }
    if unknown { writeUnknown(node, shape, open: open, into: &out) }
    out.append(UInt8(ascii: "}"))
  }

  /// Whether the value is null but the surrounding item has a value to inherit.
  @inline(__always)
  private func inheritsInstead(_ member: ShapeMember, _ value: JSONNode) -> Bool {
    mode == .bundle && member.absent == .inherit && !member.nullable && value.isNull
  }

  @inline(__always)
  func separate(_ out: inout ByteBuffer, _ open: Int) {
    if out.count != open { out.append(UInt8(ascii: ",")) }
  }

  /// Finds the token of every known member, for the slots from `base` on. The last of duplicate members counts.
  mutating func assign(_ node: JSONNode, _ shape: Shape, _ base: Int, _ unknown: inout Bool) {
    let end = Int(node.token.next)
    var child = node.index + 1
    var hint = 0
    while child < end {
      let name = node.at(child)
      let index =
        name.token.flags.contains(.escaped)
        ? indexOfEscaped(name, shape) : shape.index(of: name.inner.span, from: hint)
      if index < 0 {
        unknown = true
      } else {
        hint = index + 1
        if slots[base + index] >= 0 { reportDuplicate(name) }
        slots[base + index] = Int32(truncatingIfNeeded: child)
      }
      child = Int(node.tokens[child + 1].next)
    }
    if unknown, mode != .order { checkUnknown(node, shape) }
  }

  private func indexOfEscaped(_ name: JSONNode, _ shape: Shape) -> Int {
    shape.index(of: (name.string ?? "").utf8.span, from: 0)
  }

  mutating func reportDuplicate(_ name: JSONNode) {
    altered = true
    report(.duplicateMember, "the member \(Self.short(name)) occurs twice; the last one counts", at: name)
  }

  /// The maximum number of an object's unknown members that a message names.
  private static let mostNames = 12

  private mutating func checkUnknown(_ node: JSONNode, _ shape: Shape) {
    if collectsUnknown {
      var names: [String] = []
      var count = 0
      var first: JSONNode?
      node.forEachMember { name, _ in
        guard indexOfEscaped(name, shape) < 0 else { return }
        count += 1
        first = first ?? name
        if names.count < Self.mostNames { names.append(Self.short(name)) }
      }
      if let first {
        let more = count > names.count ? " and \(count - names.count) more" : ""
        path.append(first.index)
        report(.unknownMember, "the app does not recognize \(names.joined(separator: ", "))\(more)", at: first)
        path.removeLast()
      }
    }
    if mode == .bundle, mentionsUnknown { reportUnknown(node, shape) }
    if let twice = node.duplicateOwnName, indexOfEscaped(twice, shape) < 0 { reportDuplicate(twice) }
  }

  /// Reports unknown members of a bundle. An unknown member that resembles a known name is probably misspelled. Only a
  /// few members of each object are named, because many unknown members are not misspellings.
  private mutating func reportUnknown(_ node: JSONNode, _ shape: Shape) {
    var reported = 0
    let table = Int(bitPattern: shape.members.baseAddress)
    let words = memberNames[table] ?? Spelling.Words(shape.members.map(\.nameText))
    memberNames[table] = words
    node.forEachMember { name, _ in
      guard reported < Self.mostNames, indexOfEscaped(name, shape) < 0, let text = name.string else { return }
      reported += 1
      let meant = words.nearest(to: text)
      path.append(name.index)
      report(
        .unknownBundleMember,
        "unknown member \(Self.short(name))" + (meant.map { "; did you mean \"\($0)\"?" } ?? ""), at: name,
        fix: meant == nil ? Self.advice(shape) : nil,
        length: name.raw.count)
      path.removeLast()
    }
  }

  /// Lists the members that an object can have, up to a readable number. Returns nil if it can have any member.
  private static func advice(_ shape: Shape) -> String? {
    let names = shape.members.map(\.nameText).filter { $0 != "kind" && $0 != "id" && $0 != "extras" }
    guard !names.isEmpty else { return nil }
    let list = names.prefix(12).joined(separator: ", ") + (names.count > 12 ? ", …" : "")
    return "correct the name if it is misspelled (\(shape.noun) has: \(list)); otherwise nothing needs to be done"
  }

  private mutating func writeUnknown(
    _ node: JSONNode, _ shape: Shape, open: Int, into out: inout ByteBuffer
  ) {
    let last = node.duplicateOwnName == nil ? nil : lastOccurrences(in: node)
    node.forEachMember { name, value in
      guard indexOfEscaped(name, shape) < 0, last?.contains(name.index) ?? true else { return }
      separate(&out, open)
      writeString(name, into: &out)
      out.append(UInt8(ascii: ":"))
      path.append(name.index)
      writeAny(value, into: &out)
      path.removeLast()
    }
  }

  /// Returns the token indices of the names that no later member of the object repeats.
  func lastOccurrences(in node: JSONNode) -> Set<Int> {
    // Bytes are compared, because two encodings of an accented letter are two different names.
    var last: [[UInt8]: Int] = [:]
    node.forEachMember { name, _ in last[name.textBytes] = name.index }
    return Set(last.values)
  }

  /// Writes the default of a member that the source does not have.
  private mutating func writeAbsent(
    _ member: ShapeMember, _ node: JSONNode, position: Int, parent: Int, open: Int,
    into out: inout ByteBuffer
  ) {
    if mode == .column, !member.nullable {
      report(.missingMember, "'\(member.nameText)' is missing", at: node)
    }
    switch member.absent {
    case .omit:
      guard member.kind == .extras, replacedID != nil else { return }
    case .inherit:
      writeInherited(member, open: open, into: &out)
      return
    case .refuse where mode == .bundle:
      report(.requiredMember, "'\(member.nameText)' is missing", at: node)
      return
    default: break
    }
    separate(&out, open)
    out.append(member.key.span)
    switch member.absent {
    case .null: out.append("null")
    case .literal where member.kind == .document: writeEmptyDocument(into: &out)
    case .literal: out.append(member.literal.span)
    case .position: out.append(utf8: String(position))
    case .derivedID where member.kind == .recordID: out.appendJSONString(ownID)
    case .derivedID: out.appendJSONString(derivedID(for: node, position: position, parent: parent))
    case .omit: writeExtras(nil, into: &out)
    default: out.append(member.kind == .text ? "\"\"" : "null")  // a missing title
    }
  }

  /// Writes the surrounding item's value under the document's name for it.
  private mutating func writeInherited(_ member: ShapeMember, open: Int, into out: inout ByteBuffer) {
    guard let item, let name = member.field.repeats else { return }
    let index = Shapes.item.index(of: name.utf8.span, from: 0)
    guard index >= 0 else { return }
    let slot = slots[item.slots + index]
    let source = Shapes.item.members[index]
    if slot < 0 || item.node.at(Int(slot) + 1).isNull {
      separate(&out, open)
      out.append(member.key.span)
      if source.absent == .derivedID {
        out.appendJSONString(recordID)
      } else {
        out.append(source.literal.span)  // a default, or null
      }
      return
    }
    separate(&out, open)
    out.append(member.key.span)
    let value = item.node.at(Int(slot) + 1)
    if source.kind == .recordID {
      out.appendJSONString(recordID)
    } else {
      // Issues of this value are reported where the envelope itself is written. Here the value is only repeated.
      let before = issues.count
      let wasRejected = rejected
      writeMember(
        source, value, position: 0, parent: -1, owner: item.node, into: &out)
      forgetIssues(from: before)
      rejected = wasRejected
    }
  }
}

/// An issue of a value, with its position in the given text.
package struct CanonicalIssue {
  package let code: DiagnosticCode
  package let message: String
  /// The path from the value that was given to the canonicaliser.
  package let pointer: JSONPointer
  /// Byte offset of the value in the text.
  package let offset: Int
  /// The severity of this issue, if it differs from the code's own.
  package let severity: Severity?
  /// The fix for this issue, if it is more specific than the code's own.
  package var fix: String?
  /// The number of affected bytes from the offset on, all on one line; 0 if the end is unknown.
  package var length = 0
}

/// The path from a value to one inside it. It changes with every member that is written, so it avoids reference
/// counting.
struct PathStack: ~Copyable {
  private let storage = UnsafeMutablePointer<Int>.allocate(capacity: PathStack.capacity)
  private var depth = 0

  /// The capacity exceeds the nesting depth of every shape. Further steps are counted but not stored.
  private static let capacity = 64

  deinit { storage.deallocate() }

  @inline(__always)
  mutating func append(_ step: Int) {
    if depth < Self.capacity { storage[depth] = step }
    depth += 1
  }

  @inline(__always)
  mutating func removeLast() { depth -= 1 }

  mutating func removeAll() { depth = 0 }

  /// The steps, outermost first.
  var steps: [Int] { (0..<min(depth, Self.capacity)).map { storage[$0] } }

  /// Replaces the steps.
  mutating func restore(_ steps: [Int]) {
    depth = 0
    for step in steps { append(step) }
  }
}
