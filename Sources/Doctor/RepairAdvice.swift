import Diagnostics

/// Describes what `doctor --repair` does about each kind of finding.
enum RepairAdvice {
  /// Returns the words that follow "--repair"; nil if a repair leaves such a finding alone.
  static func of(_ finding: Diagnostic) -> String? {
    switch finding.code {
    // An operation that was sent is history, so its form no longer matters.
    case .payloadUndecodable, .payloadMissing, .payloadNotForkable, .duplicateMember, .publicationRefused:
      finding.severity == .note ? nil : words[finding.code]
    default: words[finding.code]
    }
  }

  private static let words: [DiagnosticCode: String] = [
    .duplicateMember: "keeps the last of the two",
    .contentNotJSON: "writes back what can be read",
    .contentNotSections: "writes back the sections that can be found",
    .partLost: "writes back the rest and keeps the original in the library's sidecar",
    .missingMember: "fills in the default",
    .wrongType: "writes the nearest value of the right type",
    .itemIDNotUUID: "replaces it with a UUID derived from the old id, in ticks too",
    .duplicateItemID: "gives the second element a new id; ticks belong to the first element",
    .unknownMember: "removes them, as the app would at its next save, and keeps them with the originals",
    .tagsNotStrings: "writes the tags that can be read",
    .dateUndecodable: "writes the date if it can be understood, otherwise another time of the same record",
    .dateNotCanonical: "writes the date in the app's form",
    .dateRollsOver: "writes the date that the app reads from it",
    .unknownValue: "writes the value that the app uses instead",
    .idCase: "writes the id in upper case, wherever it occurs",
    .idNotUUID: "replaces it with a UUID derived from its text, wherever it occurs",
    .zeroCreator: "writes NULL",
    .unexpectedStorage: "writes the nearest value of the right type",
    .textNotUTF8: "replaces the broken bytes with U+FFFD",
    .publicMetadataUndecodable: "rebuilds it from the known data about the publication",
    .metadataWithoutBody: "takes the body from a queued publication if there is one, or moves the item to quarantine; "
      + "a backup may still contain the body",
    .bodyWithoutMetadata: "makes the metadata from the body's own title, tags and times",
    .bodyOfOtherType: "changes the type to that of the body",
    .twoBodies: "makes a separate item from the second body",
    .itemStatesUndecodable: "writes back the ticks that can be read",
    .itemStateKeyNotUUID: "replaces it with the UUID derived from that id, the same as the item's",
    .itemStateWithoutItem: "moves the tick to quarantine",
    .itemStateDateNotStrict: "writes the date in whole seconds",
    .executionWithoutChecklist: "moves the ticks to quarantine",
    .executionWithoutCharter: "moves the ticks to quarantine",
    .payloadUndecodable: "rebuilds the payload, or marks the operation as failed if its meaning is unknown",
    .payloadNotForkable: "writes the dates as text",
    .payloadMissing: "finds the public id in an earlier publication, or marks the operation as failed",
    .queueColumnsSnakeCase: "gives them their current names",
    .operationWithoutContent: "moves the operation to quarantine",
    .publicationRefused: "marks the operation and the item as failed until the item is corrected",
    .terminalErrorRetried: "marks the operation and the item as failed",
    .operationsCancelOut: "moves both operations to quarantine",
    .operationSuperseded: "moves the operation to quarantine, or marks it as failed if it may have arrived already",
    .statusStuck: "sets the status that matches the queue",
    .statusBehind: "marks the item as synced",
    .withdrawalNotSent: "queues the withdrawal again",
    .publicWithoutRow: "writes the row that the app looks for",
    .publicWithoutID: "makes the item private",
    .migrationsIncomplete: "lists the steps that have run",
    .foreignKeyViolated: "moves the row to quarantine",
  ]
}

/// Receives findings, adds the repair advice to each, and counts findings that a repair settles.
final class RepairFindings {
  let log: DiagnosticLog
  private(set) var repairable = 0
  /// The number of findings of each kind that a repair settles.
  private(set) var counts: [DiagnosticCode: Int] = [:]

  init(keepPerCode: Int) { log = DiagnosticLog(keepPerCode: keepPerCode) }

  func report(_ finding: Diagnostic) {
    guard let advice = RepairAdvice.of(finding) else { return log.report(finding) }
    repairable += 1
    counts[finding.code, default: 0] += 1
    log.report(
      Diagnostic(
        finding.code, finding.message, at: finding.place, record: finding.record, title: finding.title,
        severity: finding.severity, fix: "--repair " + advice))
  }
}
