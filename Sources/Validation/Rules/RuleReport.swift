import Content
import Diagnostics
import JSONText

/// Where rules say what they found. Places, records and titles are added here, and only when somebody listens.
public final class RuleReport {
  /// One finding with the change that would put it right.
  public struct Entry {
    /// The finding.
    public let finding: Diagnostic
    /// How `--fix` puts it right; nil when there is no one right answer.
    public let fix: Fix?

    /// Makes an entry.
    package init(finding: Diagnostic, fix: Fix?) {
      self.finding = finding
      self.fix = fix
    }
  }

  /// What was found since the last `take`.
  private var entries: [Entry] = []
  /// A rule that may speak.
  struct Voice {
    let code: DiagnosticCode
    /// How much what it says matters.
    let severity: Severity
    /// The rules that it leaves the word to, as indices of voices.
    let yieldsTo: [Int]
    /// Whether others leave the word to it.
    let isYieldedTo: Bool
  }

  /// A rule and the value that it spoke about.
  private struct Word: Hashable {
    let speaker: Int
    let token: Int
  }

  /// How many findings about one record are kept before they are handed over.
  private static let mostKept = 16_384

  private let voices: [Voice]
  private let onMany: (([Entry]) -> Void)?
  /// Tokens of values that a schema has found wrong, in their order, none inside another.
  private var broken: [Range<Int>] = []
  /// What others must not say again about this record.
  private var said: Set<Word> = []
  /// The rules that spoke about this record.
  private(set) var speakers: Set<Int> = []
  /// The one that speaks now. A number: copying a code for each rule and record would cost more than most rules do.
  var speaker = 0
  private(set) var record: Record?
  private(set) var root: JSONNode?
  /// The ids of the records that were looked at, the current one among them.
  var ids = RunIDs()
  /// Finds paths in the record that is looked at.
  private var children = ChildIndex()
  /// Whether records of more than one file were looked at.
  private(set) var hasManyFiles = false
  private var firstFile: String?
  private var batch: ObjectIdentifier?
  /// Asked before a finding is made in full; false when it will only be counted.
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

  /// The record that rules look at now.
  /// - Parameter broken: tokens of values that are wrong already; rules have nothing to add to them.
  func begin(_ record: Record, root: JSONNode, broken: [Range<Int>] = []) {
    self.broken = Self.outermost(broken)
    self.record = record
    self.root = root
    children = ChildIndex()
    if !said.isEmpty { said.removeAll() }
    if !speakers.isEmpty { speakers.removeAll() }
    if !hasManyFiles { noteFile(of: record) }
  }

  private static func outermost(_ ranges: [Range<Int>]) -> [Range<Int>] {
    guard ranges.count > 1 else { return ranges }
    var kept: [Range<Int>] = []
    // The tokens of two values lie apart, or one has all of the other.
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

  /// Nearly every batch is of one file; another batch at the same address begins with a first record.
  private func noteFile(of record: Record) {
    let current = ObjectIdentifier(record.batch)
    guard current != batch || record.index == 0 || record.batch.traits.hasManyFiles else { return }
    batch = current
    let file = record.batch.locator.file(of: record)
    hasManyFiles = firstFile.map { $0 != file } ?? false
    if firstFile == nil { firstFile = file }
  }

  /// Takes out what was found.
  func take() -> [Entry] {
    guard !entries.isEmpty else { return [] }
    defer { entries.removeAll() }
    return entries
  }

  /// Says that something is wrong with a value of the record that is looked at.
  /// - Parameter node: the value, or the name of a member.
  /// - Parameter range: bytes inside the text of a string, escapes resolved; nil means all of it.
  /// - Parameter label: a few words that stand under the value in a report.
  public func finding(
    _ message: @autoclosure () -> String, at node: JSONNode, in range: Range<Int>? = nil, label: String? = nil,
    fix: String? = nil, edit: @autoclosure () -> Edit? = nil
  ) {
    let voice = voices[speaker]
    let (code, severity) = (voice.code, voice.severity)
    guard let record, let root, !voice.yieldsTo.contains(where: { said.contains(Word(speaker: $0, token: node.index)) })
    else { return }
    if isBroken(node.index) { return }
    speakers.insert(speaker)
    if voice.isYieldedTo { said.insert(Word(speaker: speaker, token: node.index)) }
    guard wants(code, severity, record) else { return }
    let pointer = children.pointer(from: root, to: node.index)
    let isName = node.token.flags.contains(.name)
    let located = record.locate(pointer, part: isName ? .name : range.map { .text($0) } ?? .value)
    let finding = Diagnostic(
      code, message(), at: located.place, record: recordName(record), title: title(root), severity: severity, fix: fix,
      label: label, excerpt: located.excerpt)
    let planned = edit().map { edit in
      // A record that was brought into another form may have something else at that pointer in its source.
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
    onMany(take())
  }

  /// Says that something is wrong at a place that was remembered.
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
    /// Where.
    public let place: Place
    let record: String?
    let title: String?
    let excerpt: String?
  }

  private static let longestExcerpt = 2048

  /// Remembers the place of a value; costs as much as a finding, unless nothing will be shown any more.
  public func mark(_ node: JSONNode, in range: Range<Int>? = nil) -> Mark? {
    guard let record, let root else { return nil }
    // What is only counted needs no line in its cell, which would have to be read again; a row says enough.
    if !listens(), case let place = record.place(), place.row != nil {
      return Mark(place: place, record: nil, title: nil, excerpt: nil)
    }
    let pointer = children.pointer(from: root, to: node.index)
    let located = record.locate(pointer, part: range.map { .text($0) } ?? .value)
    // Tens of thousands of marks may have to be kept; a line that is longer than people read is not worth it.
    let excerpt = located.excerpt.flatMap { $0.utf8.count <= Self.longestExcerpt ? $0 : nil }
    return Mark(place: located.place, record: recordName(record), title: title(root), excerpt: excerpt)
  }

  /// Whether somebody has looked already where the links of the record lead.
  public var linksAreChecked: Bool { record?.batch.traits.checksLinks ?? false }

  /// Where the record that is looked at begins; costs little.
  public var recordPlace: Place? { record?.place() }

  private func title(_ root: JSONNode) -> String? { (root.member("title") ?? root.member("name"))?.string }

  private func recordName(_ record: Record) -> String {
    let id = record.id
    return id.isEmpty ? record.kind.name : "\(record.kind.name) \(id)"
  }
}
