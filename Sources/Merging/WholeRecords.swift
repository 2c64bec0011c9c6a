import Diagnostics

/// Counts records of which one side was taken whole because it is newer, and nobody knew what both come from.
///
/// What only the other side says is not in the library then: the run says so once, whatever their number.
struct WholeRecords {
  private var replaced = 0
  private var kept = 0
  private var first: (place: Place, record: String, title: String?)?

  mutating func note(_ decision: Decision, _ incoming: Incoming) {
    if case .update = decision { replaced += 1 } else { kept += 1 }
    if first == nil { first = (incoming.place(), "\(incoming.kind.name) \(incoming.idText)", incoming.title) }
  }

  func report(to findings: DiagnosticLog) {
    guard let first else { return }
    func records(_ count: Int) -> String { count == 1 ? "1 record was" : "\(count) records were" }
    var parts: [String] = []
    if replaced > 0 {
      parts.append("\(records(replaced)) taken whole because \(replaced == 1 ? "it is" : "they are") newer")
    }
    if kept > 0 {
      parts.append("\(records(kept)) left as the library has \(kept == 1 ? "it" : "them"), which is newer")
    }
    findings.report(
      Diagnostic(
        .takenWhole, parts.joined(separator: ", and ") + ": nobody remembers what both come from",
        at: first.place, record: first.record, title: first.title))
  }
}
