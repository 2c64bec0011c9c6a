import Content
import Diagnostics
import JSONText

/// Checks single payloads against the publish rules. A queue uses it before it accepts a payload and before each send.
public enum PublishCheck {
  /// A rule violation in a payload.
  public struct Problem: Sendable, Equatable {
    /// The rule's code.
    public let code: DiagnosticCode
    /// Its severity.
    public let severity: Severity
    /// What was found, in one sentence.
    public let message: String
    /// The place of the value, from the payload's outermost object.
    public let pointer: JSONPointer
    /// What to do about this problem.
    public let fix: String
  }

  /// The rules that every version of the app checked before sending: lengths, no empty sections, and a guide with text.
  ///
  /// These rules are for operations that were queued under them. New publications must satisfy all of
  /// `RuleSet.publish`.
  public static let askedByEveryVersion: [any Rule.Type] = [
    TitleFits.self, DescriptionFits.self, TagsFit.self, RequireStepsInSections.self, RequireGuideText.self,
  ]

  /// The same rules for a pending operation, without the rule about empty sections. The app queues checklists with
  /// empty sections, and registries accept them.
  public static let askedOfWaiting = askedByEveryVersion.filter { $0 != RequireStepsInSections.self }

  /// The rules for an operation just before it is sent: the whole publish layer except steps in every section.
  public static let askedBeforeSending: [any Rule.Type] = RuleSet.publish.filter { $0 != RequireStepsInSections.self }

  /// Returns the violations in a publication's payload, in the order of the rules; empty if the payload may be sent.
  ///
  /// Rules about items and rules about payloads are both applied. A payload that could not be checked counts as a
  /// violation.
  /// - Parameter payload: the publish request. Any value is allowed, even a hostile one.
  /// - Parameter rules: the rules to apply; by default the whole publish layer.
  public static func problems(
    inPayload payload: JSONValue, rules: [any Rule.Type] = RuleSet.publish, limits: RuleLimits = RuleLimits()
  ) -> [Problem] {
    let batch = RecordBatch(locator: FileLocator("payload", showing: .value), capacity: 4096)
    // The payload becomes a pending queue row, because rules of both kinds check such rows.
    batch.canonical.append("{\"kind\":\"sync_operation\",\"id\":0,\"operation\":\"publish\",\"payload\":")
    batch.canonical.append(utf8: payload.text)
    batch.canonical.append("}")
    batch.appendSlot(.syncOperation, from: 0)
    var tape = JSONTape()
    guard let slot = batch.slots.first, (try? tape.parse(batch.line(slot).span)) != nil else {
      // A payload that the rules could not check does not pass.
      let code = PayloadIsComplete.code
      return [
        Problem(
          code: code, severity: code.severity, message: "the payload is too deep or too long to check",
          pointer: JSONPointer(), fix: code.fix)
      ]
    }
    let runner = RuleRunner(rules, limits: limits)
    return batch.records.flatMap { runner.check($0) }.map { entry in
      let finding = entry.finding
      // The first step is the row's member `payload`.
      let pointer = JSONPointer(finding.place.pointer).map { $0.dropping(1) } ?? JSONPointer()
      return Problem(
        code: finding.code, severity: finding.severity, message: finding.message, pointer: pointer, fix: finding.fix)
    }
  }
}
