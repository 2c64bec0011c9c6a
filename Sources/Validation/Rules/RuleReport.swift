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
  /// The rules that may speak, and how much what they say matters.
  private let voices: [(code: DiagnosticCode, severity: Severity)]
  /// The one that speaks now. A number: copying a code for each rule and record would cost more than most rules do.
  var speaker = 0
  private(set) var record: Record?
  private(set) var root: JSONNode?
  /// Where values of the record stand in it.
  private var children = ChildIndex()
  /// Whether records of more than one file were looked at.
  private(set) var hasManyFiles = false
  private var firstFile: String?
  private var batch: ObjectIdentifier?
  /// Asked before a finding is made in full; false when it will only be counted.
  private let wants: (DiagnosticCode, Severity, Record?) -> Bool

  init(
    voices: [(code: DiagnosticCode, severity: Severity)],
    wants: @escaping (DiagnosticCode, Severity, Record?) -> Bool
  ) {
    self.voices = voices
    self.wants = wants
  }

  /// The record that rules look at now.
  func begin(_ record: Record, root: JSONNode) {
    self.record = record
    self.root = root
    children = ChildIndex()
    if !hasManyFiles { noteFile(of: record) }
  }

  /// A batch is of one file; another batch at the same address begins with a first record.
  private func noteFile(of record: Record) {
    let current = ObjectIdentifier(record.batch)
    guard current != batch || record.index == 0 else { return }
    batch = current
    let file = record.place().file
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
    let (code, severity) = voices[speaker]
    guard let record, let root, wants(code, severity, record) else { return }
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
        before: isName ? nil : String(decoding: node.raw, as: UTF8.self))
    }
    entries.append(Entry(finding: finding, fix: planned))
  }

  /// Says that something is wrong at a place that was remembered.
  public func finding(
    _ message: @autoclosure () -> String, at mark: Mark, severity: Severity? = nil, label: String? = nil,
    fix: String? = nil
  ) {
    let code = voices[speaker].code
    let severity = severity ?? voices[speaker].severity
    guard wants(code, severity, nil) else { return }
    let finding = Diagnostic(
      code, message(), at: mark.place, record: mark.record, title: mark.title, severity: severity,
      fix: fix, label: label, excerpt: mark.excerpt)
    entries.append(Entry(finding: finding, fix: nil))
  }

  /// A place that a rule remembers until the end of the run.
  public struct Mark {
    /// Where.
    public let place: Place
    let record: String?
    let title: String?
    let excerpt: String?
  }

  /// Remembers the place of a value; costs as much as a finding.
  public func mark(_ node: JSONNode, in range: Range<Int>? = nil) -> Mark? {
    guard let record, let root else { return nil }
    let located = record.locate(children.pointer(from: root, to: node.index), part: range.map { .text($0) } ?? .value)
    return Mark(
      place: located.place, record: recordName(record), title: title(root), excerpt: located.excerpt)
  }

  /// Where the record that is looked at begins; costs little.
  public var recordPlace: Place? { record?.place() }

  private func title(_ root: JSONNode) -> String? { (root.member("title") ?? root.member("name"))?.string }

  private func recordName(_ record: Record) -> String {
    let id = record.id
    return id.isEmpty ? record.kind.name : "\(record.kind.name) \(id)"
  }
}
