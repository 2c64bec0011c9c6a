import FleetKit

/// What ran on a library, for people and as JSON.
enum RunsText {
  static func print(_ list: RunList, library: String) {
    if list.runs.isEmpty { return Terminal.say("Nothing has run on \(TerminalText.escape(library)) yet.") }
    var table = Table(
      ["run", "when (UTC)", "command", "from", "created", "updated", "unchanged", "rejected", "state"],
      rightAligned: [0, 4, 5, 6, 7])
    for run in list.runs {
      table.add(
        ["\(run.id)", time(run.started), TerminalText.escape(run.command), TerminalText.escape(from(run))]
          + ["created", "updated", "unchanged", "rejected"].map { run.count($0).map { "\($0)" } ?? "" } + [state(run)])
    }
    for line in table.lines(width: Terminal.width, flexible: 3) { Terminal.print(line) }
  }

  static func print(_ run: RunRecord, library: String) {
    func line(_ name: String, _ value: String) {
      Terminal.print("  " + name.padding(toLength: 11, withPad: " ", startingAt: 0) + TerminalText.escape(value))
    }
    Terminal.print("Run \(run.id) of \(TerminalText.escape(library)): \(TerminalText.escape(run.command))")
    line("state", state(run))
    line("started", time(run.started) + " UTC")
    if let finished = run.finished { line("finished", time(finished) + " UTC") }
    for source in run.sources { line("from", source) }
    for (name, word) in [
      ("read", "read"), ("created", "created"), ("updated", "updated"), ("unchanged", "unchanged"),
      ("rejected", "rejected"), ("skipped", "skipped"), ("kept_beside", "beside"), ("marked", "marked"),
      ("removed", "removed"),
      ("put_back", "put back"),
    ] {
      if let count = run.count(name) { line(word, "\(count)") }
    }
    if let backup = run.backup { line("backup", backup) }
    let path = TerminalText.shellQuoted(library)
    if run.state == .interrupted, run.request != nil {
      Terminal.say("It changed nothing so far. To do it again: fleetkit import --resume \(run.id) --into \(path)")
    }
    if run.canUndo { Terminal.say("To take it back: fleetkit undo \(run.id) --library \(path)") }
  }

  private static func time(_ text: String) -> String {
    TerminalText.escape(String(text.prefix(19)).replacing("T", with: " "))
  }

  /// The last parts of its sources' paths.
  private static func from(_ run: RunRecord) -> String {
    run.sources.map { source in
      let parts = source.split(separator: "/")
      return parts.last.map { String($0) + (source.hasSuffix("/") ? "/" : "") } ?? source
    }.joined(separator: ", ")
  }

  private static func state(_ run: RunRecord) -> String {
    run.state.rawValue + (run.madeLibrary && run.state == .done ? ", made the library" : "")
      + (run.undoneBy.map { " by \($0)" } ?? "")
  }

  static func json(_ list: RunList, library: String) -> String {
    var json = JSONBuilder()
    json.object { json in
      json.string("command", "runs")
      json.number("status", 0)
      json.string("library", library)
      json.array("runs") { json in
        for run in list.runs { json.object { write(run, &$0) } }
      }
    }
    return json.result
  }

  static func json(_ run: RunRecord, library: String) -> String {
    var json = JSONBuilder()
    json.object { json in
      json.string("command", "runs")
      json.number("status", 0)
      json.string("library", library)
      json.object("run") { write(run, &$0) }
    }
    return json.result
  }

  /// JSON from beside a library; null when somebody has damaged it.
  private static func sound(_ text: String?) -> String {
    text.flatMap { try? JSONDocument(parsing: $0) }?.root.text ?? "null"
  }

  private static func write(_ run: RunRecord, _ json: inout JSONBuilder) {
    json.number("id", Int(clamping: run.id))
    json.string("command", run.command)
    json.string("state", run.state.rawValue)
    json.string("started", run.started)
    json.string("finished", run.finished)
    json.array("from") { json in
      for source in run.sources { json.string(nil, source) }
    }
    json.raw("counts", sound(run.counts))
    json.string("backup", run.backup)
    json.number("undoes", run.undoes.map { Int(clamping: $0) })
    json.number("undone_by", run.undoneBy.map { Int(clamping: $0) })
    json.bool("made_library", run.madeLibrary)
    json.bool("can_undo", run.canUndo)
    json.bool("can_resume", run.state == .interrupted && run.request != nil)
    json.raw("request", sound(run.request))
  }
}
