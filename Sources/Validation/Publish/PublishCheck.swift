import Content
import Diagnostics
import JSONText

/// Checks single payloads against the publish rules, as a queue does before it accepts one and before each send.
public enum PublishCheck {
  /// A violation of a rule by a payload.
  public struct Problem: Sendable, Equatable {
    /// The rule's code.
    public let code: DiagnosticCode
    /// Its severity.
    public let severity: Severity
    /// What was found, in one sentence.
    public let message: String
    /// The place of the value, from the payload's outermost object.
    public let pointer: JSONPointer
    /// What to do here.
    public let fix: String
  }

  /// The rules that every version of the app checked before it sent anything: lengths, no empty section, a guide with
  /// text.
  ///
  /// For operations that were queued under these rules. New publications meet all of `RuleSet.publish`.
  public static let askedByEveryVersion: [any Rule.Type] = [
    TitleFits.self, DescriptionFits.self, TagsFit.self, RequireStepsInSections.self, RequireGuideText.self,
  ]

  /// The same rules for a pending operation: the app queues checklists with empty sections, and registries accept them.
  public static let askedOfWaiting = askedByEveryVersion.filter { $0 != RequireStepsInSections.self }

  /// The rules for an operation just before it is sent: all of the publish layer except steps in every section.
  public static let askedBeforeSending: [any Rule.Type] = RuleSet.publish.filter { $0 != RequireStepsInSections.self }

  /// Returns the violations of a publication's payload, in the order of the rules; empty if it may be sent.
  ///
  /// Rules about items and rules about payloads are both applied. A payload that could not be checked has a problem.
  /// - Parameter payload: the publish request; any value, even a hostile one.
  /// - Parameter rules: the rules to apply; by default all of the publish layer.
  public static func problems(
    inPayload payload: JSONValue, rules: [any Rule.Type] = RuleSet.publish, limits: RuleLimits = RuleLimits()
  ) -> [Problem] {
    let batch = RecordBatch(locator: FileLocator("payload", showing: .value), capacity: 4096)
    // A pending queue row with the payload: rules of both kinds check such rows.
    batch.canonical.append("{\"kind\":\"sync_operation\",\"id\":0,\"operation\":\"publish\",\"payload\":")
    batch.canonical.append(utf8: payload.text)
    batch.canonical.append("}")
    batch.appendSlot(.syncOperation, from: 0)
    var tape = JSONTape()
    guard let slot = batch.slots.first, (try? tape.parse(batch.line(slot))) != nil else {
      // A payload that the rules could not check has not passed.
      let code = PayloadIsComplete.code
      return [
        Problem(
          code: code, severity: code.severity, message: "the payload is too deep or too long to be checked",
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
