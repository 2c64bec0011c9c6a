import Content
import Diagnostics
import JSONText

/// Holds single payloads against the publish rules: what a queue does before it takes one in, and before each send.
public enum PublishCheck {
  /// What a payload breaks.
  public struct Problem: Sendable, Equatable {
    /// The rule's code.
    public let code: DiagnosticCode
    /// How much it matters.
    public let severity: Severity
    /// What was found, in one sentence.
    public let message: String
    /// Where, from the payload's outermost object.
    public let pointer: JSONPointer
    /// What to do here.
    public let fix: String
  }

  /// What the app asked in every version before it sent anything: lengths, no empty section, a guide with text.
  ///
  /// For operations that were queued under these rules; whatever is published anew meets all of them.
  public static let askedByEveryVersion: [any Rule.Type] = [
    TitleFits.self, DescriptionFits.self, TagsFit.self, RequireStepsInSections.self, RequireGuideText.self,
  ]

  /// The same of an operation that waits: the app queues checklists with empty sections, and registries take them.
  public static let askedOfWaiting = askedByEveryVersion.filter { $0 != RequireStepsInSections.self }

  /// What is asked of an operation just before it is sent: all of the publish layer but steps in every section.
  public static let askedBeforeSending: [any Rule.Type] = RuleSet.publish.filter { $0 != RequireStepsInSections.self }

  /// What a publication's payload breaks, in the order of the rules; empty when it may be sent.
  ///
  /// Rules about items and rules about payloads are both asked. A payload that nobody could
  /// look at has a problem.
  /// - Parameter payload: the publish request; any value, as hostile as may be.
  /// - Parameter rules: rules to be asked, all of the publish layer unless given.
  public static func problems(
    inPayload payload: JSONValue, rules: [any Rule.Type] = RuleSet.publish, limits: RuleLimits = RuleLimits()
  ) -> [Problem] {
    let batch = RecordBatch(locator: FileLocator("payload", showing: .value), capacity: 4096)
    // The row of a queue that waits to send it: rules of both kinds look at such rows.
    batch.canonical.append("{\"kind\":\"sync_operation\",\"id\":0,\"operation\":\"publish\",\"payload\":")
    batch.canonical.append(utf8: payload.text)
    batch.canonical.append("}")
    batch.appendSlot(.syncOperation, from: 0)
    var tape = JSONTape()
    guard let slot = batch.slots.first, (try? tape.parse(batch.line(slot))) != nil else {
      // A rule that could not look has not passed anything.
      let code = PayloadIsComplete.code
      return [
        Problem(
          code: code, severity: code.severity, message: "the payload is too deep or too long to be looked at",
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
