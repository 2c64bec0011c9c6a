import FleetKit

/// What came of a fork, for people and as JSON.
struct ForkText {
  let into: String
  let output: OutputOptions

  func say(_ report: ForkReport) {
    if output.json { return Terminal.print(json(report)) }
    guard !output.quiet else { return }
    let author = report.author.map { " by \(TerminalText.escape($0))" } ?? ""
    let name = TerminalText.escape(into)
    let title = TerminalText.escape(report.title)
    guard report.run != nil else {
      return Terminal.say("Nothing was changed (--dry-run): '\(title)'\(author) can be copied into \(name).")
    }
    Terminal.say("Copied '\(title)'\(author) into \(name), private, as \(report.id).")
    if let problem = report.countProblem {
      Terminal.say("note: the registry has not counted the copy: \(TerminalText.escape(problem))")
    }
  }

  private func json(_ report: ForkReport) -> String {
    var json = JSONBuilder()
    json.object { json in
      json.string("command", "fork")
      json.number("status", 0)
      json.string("library", into)
      json.bool("dry_run", report.run == nil)
      json.number("run", report.run.map { Int(clamping: $0) })
      json.string("public_id", report.original)
      json.string("author", report.author)
      json.string("id", report.id)
      json.string("title", report.title)
      json.string("content_type", report.contentType.rawValue)
      json.bool("counted", report.isCounted)
      json.string("count_problem", report.countProblem)
    }
    return json.result
  }
}
