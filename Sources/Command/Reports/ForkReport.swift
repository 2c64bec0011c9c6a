import FleetKit

/// The report of `fork`.
struct CopyReport: Report {
  let command = "fork"
  let status = ExitStatus.success
  let library: String
  let dryRun: Bool
  let run: Int64?
  let publicID: String
  let author: String?
  let id, title: String
  let contentType: ContentType
  let counted: Bool
  let countProblem: String?

  init(_ report: ForkReport, library: String) {
    (self.library, dryRun, run, publicID) = (library, report.run == nil, report.run, report.original)
    (author, id, title, contentType) = (report.author, report.id, report.title, report.contentType)
    (counted, countProblem) = (report.isCounted, report.countProblem)
  }

  func render(_ output: OutputOptions) {
    guard !output.quiet else { return }
    let author = author.map { " by \(TerminalEscaping.escape($0))" } ?? ""
    let name = TerminalEscaping.escape(library)
    let title = TerminalEscaping.escape(title)
    guard run != nil else {
      return Terminal.say("Nothing was changed (--dry-run): '\(title)'\(author) can be copied into \(name).")
    }
    Terminal.say("Copied '\(title)'\(author) into \(name), private, as \(id).")
    if let problem = countProblem {
      Terminal.say("note: the copy was not counted by the registry: \(TerminalEscaping.escape(problem))")
    }
  }

}
