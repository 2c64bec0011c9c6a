import Diagnostics
import JSONText

/// Turns values that people and apps wrote into the one spelling that every record has.
///
/// Member order comes from `Shapes`, unknown members follow in source order, strings and white space have one
/// spelling, numbers stay as written, defaults are filled in. What has to be repaired is reported with its
/// path. One canonicaliser serves one thread; its memory does not grow with the content.
package struct Canonicalizer: ~Copyable {
  /// How strict the canonicaliser is about what it is given.
  package enum Mode {
    /// What people may write: lenient about ids and defaults, strict about types (`rejected` is set).
    case bundle
    /// A JSON column of a library: nothing is refused; what the app would lose is repaired and reported.
    case column
    /// Values that are only carried: order and spelling, nothing else.
    case order
  }

  package var mode: Mode
  /// What was found since `begin`.
  package var issues: [CanonicalIssue] = []
  /// Whether something was found that forbids using the record (bundle mode).
  package var rejected = false
  /// Whether records that become too long are rejected, and thousands of issues of one record left out. A record can
  /// have many times the bytes of its source.
  package var limitsSize = false
  /// How many bytes there may be when the record is written.
  private var end = Int.max
  /// Whether the text became too long since `begin`; what was written is only its beginning.
  package private(set) var isTooLong = false

  private var errorCount = 0
  /// Whether a repair changed what the text says, so that the original should be kept beside it.
  package var altered = false
  /// The scope of derived inner ids: the item's id, or the checklist's for ticks.
  package var recordID = ""
  /// The record's own id as it is written.
  var ownID = ""
  /// The record's id as the source has it, when it is no UUID and must be kept.
  var replacedID: String?

  /// Token indices of the ids of sections, items and cards that were written since `begin`.
  package var innerIDs: [Int] = []

  /// Steps from the given value to the current one: token index of a member name, or -1 - position.
  var path = PathStack()
  /// How many inner ids were derived from the same parent and title.
  var derivedRepeats: [String: Int] = [:]
  /// The object whose steps got derived ids last, and what they were derived from.
  var around: (token: Int, text: String)?
  var text: UnsafePointer<UInt8>?
  var tokens: UnsafePointer<JSONToken>?
  /// The item whose document is being written, for members that inherit from it.
  var item: ItemContext?
  /// Unknown members that were met, by path of their object's shape; reported once each.
  package var collectsUnknown = false
  /// Whether members that nobody knows are mentioned (bundle mode). A server has nobody to tell it to.
  package var mentionsUnknown = true
  /// Whether times are cut to whole seconds, as publish payloads have them: Apple's older decoder takes no fraction.
  package var cutsToSeconds = false
  /// The member names of shapes with unknown members, by the table of the shape: what was meant is looked for there.
  var memberNames: [UnsafeRawPointer?: Spelling.Words] = [:]
  let slots: UnsafeMutablePointer<Int32>
  var slotsUsed = 0

  static let slotCapacity = 1024

  package init(mode: Mode) {
    self.mode = mode
    slots = .allocate(capacity: Self.slotCapacity)
  }

  deinit { slots.deallocate() }

  /// What an item's document takes over when it does not say it itself.
  struct ItemContext {
    let node: JSONNode
    /// Where the slots of the envelope's members start.
    let slots: Int
    let type: ContentType?
  }

  /// Starts a new text: forgets issues and the record that came before.
  package mutating func begin(_ node: JSONNode, recordID: String) {
    if !issues.isEmpty { issues.removeAll(keepingCapacity: issues.count < 1024) }
    errorCount = 0
    end = .max
    isTooLong = false
    rejected = false
    altered = false
    // The columns of a row have one id; comparing it costs less than counting references.
    if self.recordID != recordID { self.recordID = recordID }
    if ownID != recordID { ownID = recordID }
    if replacedID != nil { replacedID = nil }
    innerIDs.removeAll(keepingCapacity: true)
    path.removeAll()
    if !derivedRepeats.isEmpty { derivedRepeats.removeAll() }
    around = nil
    text = node.text
    tokens = node.tokens
    item = nil
    slotsUsed = 0
  }

  // MARK: Issues

  mutating func report(
    _ code: DiagnosticCode, _ message: String, at node: JSONNode, severity: Severity? = nil, fix: String? = nil,
    length: Int = 0
  ) {
    // Errors have room of their own: they are the reasons why a record is rejected.
    let isError = code.severity == .error
    let listed = isError ? errorCount : issues.count - errorCount
    // Of a text that is too long, nothing else counts.
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

  /// Forgets issues that were only about a part of the text that is not used.
  mutating func forgetIssues(from first: Int) {
    guard issues.count > first else { return }
    for issue in issues[first...] where issue.code.severity == .error { errorCount -= 1 }
    issues.removeLast(issues.count - first)
  }

  /// Whether nothing more is written because the text has become too long; reported at the element that is too much.
  mutating func isFull(_ bytes: Int, at element: JSONNode) -> Bool {
    guard bytes > end, !isTooLong else { return isTooLong }
    isTooLong = true
    altered = true
    // Whatever was reported before, this is why the record cannot be used.
    forgetIssues(from: 0)
    report(
      .recordTooLarge,
      "written out in full, the record is larger than \(RecordLimits.bytes >> 20) MiB and twice its text", at: element)
    return true
  }

  /// Takes note of where the text of a record begins.
  mutating func beginText(_ node: JSONNode, at start: Int) {
    if limitsSize { end = start + max(RecordLimits.bytes, 2 * Int(node.token.length)) }
  }

  /// The path as a JSON Pointer; made only when something is reported.
  func pointer() -> JSONPointer {
    guard let text, let tokens else { return JSONPointer() }
    return JSONPointer(
      path.steps.map { step in
        step < 0
          ? .element(-1 - step)
          : .member(JSONNode(text: text, tokens: tokens, index: step).string ?? "")
      })
  }

  /// What a value is, in words for a message.
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
}
