import Content
import Diagnostics
import JSONText

/// Collects the findings of rules. Places, records and titles are added only if a finding will be shown.
public final class RuleReport {
  /// One finding, with the change that would correct it.
  public struct Entry {
    /// The finding.
    public let finding: Diagnostic
    /// The correction that `--fix` makes; nil unless exactly one correction is possible.
    public let fix: Fix?

    /// Makes an entry.
    package init(finding: Diagnostic, fix: Fix?) {
      self.finding = finding
      self.fix = fix
    }
  }

  /// The findings since the last `drain`.
  private var entries: [Entry] = []
  /// A rule that may report findings.
  struct Voice {
    let code: DiagnosticCode
    /// The severity of its findings.
    let severity: Severity
    /// The rules that have priority over this rule, as indices of voices.
    let yieldsTo: [Int]
    /// Whether this rule has priority over others.
    let isYieldedTo: Bool
  }

  /// A rule and the value that it reported.
  private struct RuleValue: Hashable {
    let speaker: Int
    let token: Int
  }

  /// The maximum number of findings about one record that are kept before they are passed on.
  private static let mostKept = 16_384

  private let voices: [Voice]
  private let onMany: (([Entry]) -> Void)?
  /// The token ranges of values that violate a schema, in ascending order and not nested.
  private var broken: [Range<Int>] = []
  /// Findings about this record that other rules must not repeat.
  private var reported: Set<RuleValue> = []
  /// The rules that reported findings about this record.
  private(set) var speakers: Set<Int> = []
  /// The index of the rule that is running. It is an index because copying a code for each rule and record would take
  /// longer than most rules do.
  var speaker = 0
  private(set) var record: Record?
  private(set) var root: JSONNode?
  /// The ids of the records that were checked, including the current one.
  var ids = RunIDs()
  /// Finds the paths of values in the current record.
  private var children = ChildIndex()
  /// Whether records of more than one file were checked.
  private(set) var hasManyFiles = false
  private var firstFile: String?
  private var batch: ObjectIdentifier?
  /// Called before a finding is built in full. Returns false if the finding is only counted.
  private let wants: (DiagnosticCode, Severity, Record?) -> Bool
  private let wantsLate: (DiagnosticCode, Severity, Place) -> Bool
  private let listens: () -> Bool

  init(
    voices: [Voice], wants: @escaping (DiagnosticCode, Severity, Record?) -> Bool,
    wantsLate: @escaping (DiagnosticCode, Severity, Place) -> Bool, listens: @escaping () -> Bool,
    onMany: (([Entry]) -> Void)?
  ) {
    self.voices = voices
    self.onMany = onMany
    self.wants = wants
    self.wantsLate = wantsLate
    self.listens = listens
  }

  /// Begins the record that the rules check next.
  /// - Parameter broken: the token ranges of values that are known to be invalid. Rules report no findings about these
  ///   values.
  func begin(_ record: Record, root: JSONNode, broken: [Range<Int>] = []) {
    self.broken = Self.outermost(broken)
    self.record = record
    self.root = root
    children = ChildIndex()
    if !reported.isEmpty { reported.removeAll() }
    if !speakers.isEmpty { speakers.removeAll() }
    if !hasManyFiles { recordFile(of: record) }
  }

  private static func outermost(_ ranges: [Range<Int>]) -> [Range<Int>] {
    guard ranges.count > 1 else { return ranges }
    var kept: [Range<Int>] = []
    // The tokens of two values are disjoint, or one value contains the other.
    for range in ranges.sorted(by: { ($0.lowerBound, -$0.upperBound) < ($1.lowerBound, -$1.upperBound) })
    where kept.last.map({ range.lowerBound >= $0.upperBound }) ?? true {
      kept.append(range)
    }
    return kept
  }

  private func isBroken(_ token: Int) -> Bool {
    var (low, high) = (0, broken.count)
    while low < high {
      let middle = (low + high) / 2
      if broken[middle].upperBound <= token { low = middle + 1 } else { high = middle }
    }
    return low < broken.count && broken[low].contains(token)
  }

  /// Tracks whether records come from several files. Nearly every batch comes from one file. A new batch at the same
  /// address is recognized by its first record.
  private func recordFile(of record: Record) {
    let current = ObjectIdentifier(record.batch)
    guard current != batch || record.index == 0 || record.batch.traits.hasManyFiles else { return }
    batch = current
    let file = record.batch.locator.file(of: record)
    hasManyFiles = firstFile.map { $0 != file } ?? false
    if firstFile == nil { firstFile = file }
  }

  /// Removes and returns the findings.
  func drain() -> [Entry] {
    guard !entries.isEmpty else { return [] }
    defer { entries.removeAll() }
    return entries
  }

  /// Reports a finding about a value of the current record.
  /// - Parameter node: the value, or a member's name.
  /// - Parameter range: a byte range in the string's text with escapes resolved; nil means the whole text.
  /// - Parameter label: a few words that a report shows under the value.
  public func finding(
    _ message: @autoclosure () -> String, at node: JSONNode, in range: Range<Int>? = nil, label: String? = nil,
    fix: String? = nil, edit: @autoclosure () -> Edit? = nil
  ) {
    let voice = voices[speaker]
    let (code, severity) = (voice.code, voice.severity)
    guard let record, let root,
      !voice.yieldsTo.contains(where: { reported.contains(RuleValue(speaker: $0, token: node.index)) })
    else { return }
    if isBroken(node.index) { return }
    speakers.insert(speaker)
    if voice.isYieldedTo { reported.insert(RuleValue(speaker: speaker, token: node.index)) }
    guard wants(code, severity, record) else { return }
    let pointer = children.pointer(from: root, to: node.index)
    let isName = node.token.flags.contains(.name)
    let located = record.locate(pointer, part: isName ? .name : range.map { .text($0) } ?? .value)
    let finding = Diagnostic(
      code, message(), at: located.place, record: recordName(record), title: title(root), severity: severity, fix: fix,
      label: label, excerpt: located.excerpt)
    let planned = edit().map { edit in
      // The source of a converted record may have another value at this pointer.
      Fix(
        record: record.place(), pointer: pointer, edit: edit,
        before: isName ? nil : String(decoding: node.raw, as: UTF8.self),
        value: isName ? nil : range == nil ? located.place : record.locate(pointer, part: .value).place)
    }
    add(Entry(finding: finding, fix: planned))
  }

  private func add(_ entry: Entry) {
    entries.append(entry)
    guard let onMany, entries.count >= Self.mostKept else { return }
    onMany(drain())
  }

  /// Reports a finding at a remembered place.
  public func finding(
    _ message: @autoclosure () -> String, at mark: Mark, severity: Severity? = nil, label: String? = nil,
    fix: String? = nil
  ) {
    let code = voices[speaker].code
    let severity = severity ?? voices[speaker].severity
    guard wantsLate(code, severity, mark.place) else { return }
    let finding = Diagnostic(
      code, message(), at: mark.place, record: mark.record, title: mark.title, severity: severity,
      fix: fix, label: label, excerpt: mark.excerpt)
    add(Entry(finding: finding, fix: nil))
  }

  /// A place that a rule remembers until the end of the run.
  public struct Mark {
    /// The place of the value.
    public let place: Place
    let record: String?
    let title: String?
    let excerpt: String?
  }

  private static let longestExcerpt = 2048

  /// Returns the place of a value for later use. This takes as long as reporting a finding, unless no more findings
  /// will be shown.
  public func mark(_ node: JSONNode, in range: Range<Int>? = nil) -> Mark? {
    guard let record, let root else { return nil }
    // A finding that is only counted does not need its line in the cell, which would have to be read again. The row is
    // enough.
    if !listens(), case let place = record.place(), place.row != nil {
      return Mark(place: place, record: nil, title: nil, excerpt: nil)
    }
    let pointer = children.pointer(from: root, to: node.index)
    let located = record.locate(pointer, part: range.map { .text($0) } ?? .value)
    // Tens of thousands of marks may be kept, so lines that are too long to be shown are not stored.
    let excerpt = located.excerpt.flatMap { $0.utf8.count <= Self.longestExcerpt ? $0 : nil }
    return Mark(place: located.place, record: recordName(record), title: title(root), excerpt: excerpt)
  }

  /// Whether the reader has already checked the record's links.
  public var linksAreChecked: Bool { record?.batch.traits.checksLinks ?? false }

  /// The place where the current record begins. This is fast.
  public var recordPlace: Place? { record?.place() }

  private func title(_ root: JSONNode) -> String? { (root.member("title") ?? root.member("name"))?.string }

  private func recordName(_ record: Record) -> String {
    let id = record.id
    return id.isEmpty ? record.kind.name : "\(record.kind.name) \(id)"
  }
}

/// The change that corrects a finding.
public enum Edit: Sendable, Equatable {
  /// Replaces the text of a string.
  case text(String)
  /// Replaces the value with this JSON.
  case json(String)
  /// Removes an element of an array or a member of an object.
  case remove
}

/// An edit and the value that it changes.
public struct Fix: Sendable {
  /// The place where the record begins.
  public let record: Place
  /// The path to the value inside the record.
  public let pointer: JSONPointer
  /// The change to the value.
  public let edit: Edit
  /// The value as the rule saw it, as JSON. An edit is made only if the source has an equivalent value.
  public let before: String?
  /// The place of the whole value, in sources that are not JSON.
  public let value: Place?

  /// Plans an edit.
  public init(record: Place, pointer: JSONPointer, edit: Edit, before: String? = nil, value: Place? = nil) {
    self.record = record
    self.pointer = pointer
    self.edit = edit
    self.before = before
    self.value = value
  }

  /// Returns the same fix for a record of a file inside a larger source, which is not edited in place.
  /// - Parameter source: the source that contains the file.
  public func inside(_ source: String) -> Fix {
    var place = record
    place.member = place.file
    place.file = source
    return Fix(record: place, pointer: pointer, edit: edit, before: before, value: value)
  }
}

/// The ids of a run's records and of the steps in its checklists, for all rules that compare records.
///
/// An item takes 33 bytes, and each of its steps takes eight. A charter or an execution takes 25 bytes. `CompactTable`
/// documents the memory that this requires.
struct RunIDs {
  private struct Item: BitwiseCopyable {
    let place: RecordPositions.Entry
    /// The index in `steps` at which the item's steps begin.
    var start: UInt32 = 0
    /// The number of the item's steps; `unknown` if they are not known.
    var count = unknown

    static let unknown = UInt32.max
  }

  private var items = CompactTable<RecordKey, Item>()
  private var charters = CompactTable<RecordKey, RecordPositions.Entry>()
  private var executions = CompactTable<RecordKey, RecordPositions.Entry>()
  private var book = RecordPositions()
  /// Hashes of step ids, checklist by checklist.
  private var steps = SpillingArray<UInt64>()
  /// The earlier record that has the same id as the last added record.
  private var twin: RecordPositions.Entry?

  /// The maximum number of steps that are remembered. The steps of further checklists are unknown.
  private static let mostSteps = 8_000_000

  /// Whether the run has no items with an id.
  var hasNoItems: Bool { items.isEmpty }
  /// Whether the run has no charters with an id.
  var hasNoCharters: Bool { charters.isEmpty }

  /// Adds an item.
  mutating func add(_ item: ItemOutline, at place: Place) {
    twin = nil
    guard let key = RecordKey(item.id) else { return }
    var entry = Item(place: book.store(place))
    if item.type == .checklist, steps.count + item.steps.count <= Self.mostSteps {
      entry.start = UInt32(steps.count)
      for step in item.steps {
        if let id = RecordKey(step.id) { steps.append(id.number) }
      }
      entry.count = UInt32(steps.count) - entry.start
    }
    guard let first = items.insert(key, entry) else { return }
    twin = first.place
    // It is unknown to which of the two items an execution refers.
    items.update(key) { $0.count = Item.unknown }
  }

  /// Adds a record of another kind.
  mutating func add(_ record: JSONNode, kind: RecordKind, at place: Place) {
    twin = nil
    switch kind {
    case .charter: if let key = RecordKey(record.member("id")) { twin = charters.insert(key, book.store(place)) }
    case .execution: if let key = RecordKey(record.member("id")) { twin = executions.insert(key, book.store(place)) }
    default: break
    }
  }

  /// Returns the place of the first record with the same id as the last added record, or nil.
  func twinPlace(id: String) -> Place? { twin.map { book.place($0, id: id) } }

  /// Whether the run has an item with the given id.
  func hasItem(_ key: RecordKey) -> Bool { items.contains(key) }

  /// Whether the run has a charter with the given id.
  func hasCharter(_ key: RecordKey) -> Bool { charters.contains(key) }

  /// Returns the id hashes of a checklist's steps; nil if the run has no such checklist, or has two of them.
  func steps(of key: RecordKey) -> [UInt64]? {
    guard let item = items[key], item.count != Item.unknown else { return nil }
    return Array(steps.elements[Int(item.start)..<Int(item.start) + Int(item.count)])
  }
}
