import FleetKit

/// What a verification found, for people and as JSON.
enum VerificationText {
  static func print(_ report: PackVerification.Report, _ output: OutputOptions) {
    let name = TerminalText.escape(report.path)
    let renderer = TextRenderer(colour: Terminal.usesColour)
    let shown = output.verbose ? report.findings.kept : Array(report.findings.kept.prefix(20))
    for finding in shown where !output.quiet || finding.severity == .error { Terminal.say(renderer.render(finding)) }
    let more = report.findings.total - shown.count
    if more > 0, !output.quiet { Terminal.say("… and \(more) more\(output.verbose ? "" : " (-v shows them)")\n") }
    if let failure = report.failure {
      Terminal.complain("fleetkit: " + TerminalText.escape(failure.sentences))
    }
    guard report.status == .success else {
      if report.failure == nil { Terminal.complain("\(name): NOT SOUND: \(wrong(report)). \(what(report))") }
      return
    }
    if !output.quiet { Terminal.say("\(name): sound. \(what(report))") }
  }

  private static func wrong(_ report: PackVerification.Report) -> String {
    let count = report.findings.count(.error)
    return count == 1 ? "1 thing does not match" : "\(count) things do not match"
  }

  /// What was looked at, and nothing that was not.
  private static func what(_ report: PackVerification.Report) -> String {
    var parts: [String] = []
    let files = "\(report.files) file\(report.files == 1 ? "" : "s")"
    let size = Figures.bytes(report.bytes)
    switch report.level {
    case .structure: parts.append("\(files) listed, \(size), checksums not looked at")
    case .content, .restore: parts.append("every checksum of \(files), \(size)")
    }
    switch report.kind {
    case .backup:
      if let info = report.backup {
        parts.append(
          "\(info.isIncremental ? "incremental" : "full") backup of \(TerminalText.escape(info.name)), "
            + info.takenAt.wholeSeconds)
      }
    case .pack:
      if let pack = report.pack {
        parts.append(
          "\(TerminalText.escape(pack.name)) \(pack.version.map { "\($0)" } ?? "")".trimmed)
      }
    case .bag: parts.append("a bag that is no pack: there is nothing to restore")
    case nil: break
    }
    if let compared = report.compared {
      parts.append("\(compared) record\(compared == 1 ? "" : "s") restored and compared")
      if report.chain > 1 { parts.append("put together from \(report.chain) backups") }
      if report.media > 0 { parts.append("\(report.media) attachment\(report.media == 1 ? "" : "s")") }
    } else if let records = report.records {
      parts.append("\(records) record\(records == 1 ? "" : "s") in its index")
    }
    return parts.joined(separator: "; ") + "; in \(Figures.duration(report.seconds))."
  }

  static func json(_ reports: [PackVerification.Report], _ status: ExitStatus) -> String {
    var json = JSONBuilder()
    json.object { json in
      json.string("command", "verify")
      json.number("status", Int(status.rawValue))
      json.array("files") { json in
        for report in reports { json.object { write(report, &$0) } }
      }
    }
    return json.result
  }

  private static func write(_ report: PackVerification.Report, _ json: inout JSONBuilder) {
    json.string("path", report.path)
    json.number("status", Int(report.status.rawValue))
    json.string("level", report.level.rawValue)
    let kind: String? =
      switch report.kind {
      case .bag: "bag"
      case .pack(let profile): profile.rawValue
      case .backup: "backup"
      case nil: nil
      }
    json.string("kind", kind)
    json.number("payload_files", report.files)
    json.number("payload_bytes", report.bytes)
    if let info = report.backup {
      json.string("library", info.name)
      json.string("taken_at", info.takenAt.iso8601)
      json.bool("incremental", info.isIncremental)
    }
    if let pack = report.pack {
      json.string("name", pack.name)
      json.string("version", pack.version.map { "\($0)" })
    }
    if let records = report.records { json.number("records", records) }
    if let compared = report.compared {
      json.number("restored", compared)
      json.number("attachments", report.media)
    }
    if report.chain > 0 { json.number("chain", report.chain) }
    SummaryJSON.findings(&json, report.findings)
    if let failure = report.failure {
      json.object("error") { json in
        json.string("message", failure.message)
        json.string("advice", failure.advice)
      }
    }
    json.number("seconds", (report.seconds * 1000).rounded() / 1000)
  }
}

extension String {
  fileprivate var trimmed: String { hasSuffix(" ") ? String(dropLast()) : self }
}
