import FleetKit

/// The machine-readable side of what verbs report.
enum SummaryJSON {
  /// A run's summary.
  /// - Parameter more: adds what only this verb has to say.
  static func run(
    _ summary: RunSummary, verb: String, target: String, dryRun: Bool, more: (inout JSONBuilder) -> Void = { _ in }
  ) -> String {
    var json = JSONBuilder()
    json.object { json in
      json.string("command", verb)
      json.number("status", Int(summary.status.rawValue))
      json.string("target", target)
      json.bool("dry_run", dryRun)
      json.number("bytes", summary.bytesWritten)
      if let notes = summary.notes { json.number("notes", notes) }
      json.number("seconds", (summary.seconds * 1000).rounded() / 1000)
      json.object("kinds") { json in
        for kind in summary.tally.order { tally(&json, kind.name, summary.tally[kind]) }
      }
      tally(&json, "total", summary.tally.total)
      if !summary.tally.rows.isEmpty { json.rows(summary.tally.rows) }
      json.bool("balances", summary.tally.balances)
      losses(&json, summary.context.losses)
      findings(&json, summary.context.findings)
      if let proof = summary.proof { ProofText.write(proof, to: &json) }
      json.string("rejects", summary.rejectsPath)
      if summary.rejectsPaths.count > 1 {
        json.array("rejects_files") { json in
          for path in summary.rejectsPaths { json.string(nil, path) }
        }
      }
      ExplanationText.write(summary.context, to: &json)
      more(&json)
    }
    return json.result
  }

  /// A run that failed.
  static func failure(_ failure: RunFailure) -> String {
    var json = JSONBuilder()
    json.object { json in
      json.number("status", Int(failure.status.rawValue))
      json.object("error") { json in
        json.string("message", failure.message)
        json.string("advice", failure.advice)
      }
    }
    return json.result
  }

  static func tally(_ json: inout JSONBuilder, _ name: String, _ tally: KindTally) {
    json.object(name) { json in
      json.number("read", tally.read)
      json.number("created", tally.created)
      json.number("updated", tally.updated)
      json.number("unchanged", tally.unchanged)
      json.number("rejected", tally.rejected)
      json.object("skipped") { json in
        for (reason, count) in tally.skipped.sorted(by: { $0.key.text < $1.key.text }) {
          json.number(reason.text, count)
        }
      }
    }
  }

  static func losses(_ json: inout JSONBuilder, _ log: LossLog) {
    json.object("losses") { json in
      json.number("total", log.total)
      json.array("reasons") { json in
        for (reason, count) in log.byReason {
          json.object { json in
            json.string("reason", reason)
            json.number("count", count)
          }
        }
      }
      json.array("items") { json in
        for loss in log.kept {
          json.object { json in
            json.string("kind", loss.kind.name)
            json.string("id", loss.id)
            json.string("field", loss.field)
            json.string("reason", loss.reason)
          }
        }
      }
    }
  }

  static func findings(_ json: inout JSONBuilder, _ log: DiagnosticLog) {
    json.object("findings") { json in
      json.number("total", log.total)
      json.number("errors", log.count(.error))
      json.number("warnings", log.count(.warning))
      json.number("notes", log.count(.note))
      json.object("codes") { json in
        for (code, count) in log.counts.sorted(by: { $0.key.id < $1.key.id }) { json.number(code.id, count) }
      }
      json.array("items") { json in
        for finding in log.kept.inFileOrder() { FindingJSON.write(finding, to: &json) }
      }
    }
  }
}
