import Content
import Diagnostics
import JSONText

/// Applies a set of rules to records, one record after the other, on one thread.
public final class RuleRunner {
  private struct Entry {
    var rule: any Rule
    let layer: RuleLayer
  }

  private var entries: [Entry]
  private let codes: [DiagnosticCode]
  private let report: RuleReport
  private var outliner = ItemOutliner()
  private let keepsIDs: Bool

  /// Makes the rules for one run.
  /// - Parameter severity: returns the severity of a rule's findings; nil turns the rule off.
  /// - Parameter wants: called before a finding is built in full. If it returns false, the finding counts as reported.
  /// - Parameter wantsLate: the same as `wants`, for a finding at a place that a rule remembered.
  /// - Parameter listens: returns whether any later finding may be shown. Once it returns false, it always returns
  ///   false.
  /// - Parameter onMany: receives findings early if one record has thousands, so that memory does not grow with their
  ///   number. If nil, all findings are kept for `check` and `finish`.
  public init(
    _ rules: [any Rule.Type] = RuleSet.all, limits: RuleLimits = RuleLimits(),
    severity: (DiagnosticCode) -> Severity? = { $0.severity },
    wants: @escaping (DiagnosticCode, Severity, Record?) -> Bool = { _, _, _ in true },
    wantsLate: @escaping (DiagnosticCode, Severity, Place) -> Bool = { _, _, _ in true },
    listens: @escaping () -> Bool = { true }, onMany: (([RuleReport.Entry]) -> Void)? = nil
  ) {
    let asked = rules.compactMap { rule in severity(rule.code).map { (rule: rule, severity: $0) } }
    codes = asked.map { $0.rule.code }
    let yielded = Set(asked.flatMap { $0.rule.yieldsTo })
    let voices = asked.map { rule, severity in
      RuleReport.Voice(
        code: rule.code, severity: severity,
        yieldsTo: asked.indices.filter { rule.yieldsTo.contains(asked[$0].rule.code) },
        isYieldedTo: yielded.contains(rule.code))
    }
    keepsIDs = asked.contains { $0.rule.comparesIDs }
    entries = asked.map { Entry(rule: $0.rule.init(limits: limits), layer: $0.rule.layer) }
    report = RuleReport(voices: voices, wants: wants, wantsLate: wantsLate, listens: listens, onMany: onMany)
  }

  /// Checks one record.
  /// - Returns: The findings, in the order of the rules.
  public func check(_ record: Record) -> [RuleReport.Entry] {
    guard !entries.isEmpty else { return [] }
    if let root = record.batch.parsed(record.index) { applyRules(to: root, record) }
    return report.drain()
  }

  /// Checks as much as possible of an item that the reader refused. Only lint rules run, and they report no findings
  /// about values that are known to be invalid. A mistake in one step thus does not hide findings about the other
  /// steps, and links to the item are not reported as dead.
  /// - Parameter wrong: the values that violate a schema.
  public func check(refused record: Record, wrong: [JSONPointer]) -> [RuleReport.Entry] {
    let batch = record.batch
    let slot = record.slot
    guard slot.inSource, slot.root >= 0, record.kind == .item else { return [] }
    let root = JSONNode(text: batch.source.start, tokens: batch.tape.tokens, index: slot.root)
    // If a member occurs twice, it is unknown which value is meant.
    guard RecordLimits.fits(root), root.duplicateName == nil else { return [] }
    let broken = wrong.compactMap { pointer -> Range<Int>? in
      guard !pointer.steps.isEmpty, let node = root.value(at: pointer) else { return nil }
      return node.index..<Int(node.token.next)
    }
    applyRules(to: root, record, broken: broken, only: .lint)
    return report.drain()
  }

  /// The rules with findings, shown or not, about the last record that was checked.
  public var spoken: [DiagnosticCode] { report.speakers.map { codes[$0] } }

  private func applyRules(
    to root: JSONNode, _ record: Record, broken: [Range<Int>] = [], only layer: RuleLayer? = nil
  ) {
    report.begin(record, root: root, broken: broken)
    let isItem = record.kind == .item
    // Pending publications are checked against the same rules as the items themselves.
    let payload = record.kind == .syncOperation ? PendingOperation(root)?.publishedItem : nil
    if isItem { outliner.fill(root) } else if let payload { outliner.fill(payload) }
    let outline = outliner.outline
    if keepsIDs {
      if isItem {
        report.ids.add(outline, at: record.place())
      } else {
        report.ids.add(root, kind: record.kind, at: record.place())
      }
    }
    // The entries are moved to a local variable for the loop, which avoids the exclusivity checks of a property.
    var asked: [Entry] = []
    swap(&asked, &entries)
    for index in asked.indices where layer == nil || asked[index].layer == layer {
      report.speaker = index
      if isItem {
        asked[index].rule.check(outline, report)
      } else {
        asked[index].rule.check(root, kind: record.kind, report)
        if payload != nil, asked[index].layer == .publish { asked[index].rule.check(outline, report) }
      }
    }
    swap(&asked, &entries)
  }

  /// Reports the findings that are known only after the last record.
  public func finish() -> [RuleReport.Entry] {
    for index in entries.indices {
      report.speaker = index
      entries[index].rule.finish(report)
    }
    return report.drain()
  }
}
