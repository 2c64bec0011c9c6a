import Diagnostics

/// Reports findings as SARIF 2.1.0 (OASIS), a format that code scanning services read.
///
/// Results are written as they arrive. The rules that occurred follow them, so memory grows only with the number of
/// rules. Files are named relative to the working directory, without a base.
public final class SARIFReport: FindingReport {
  private let output: ReportOutput
  private let paths: ReportPath
  private let options: ReportOptions
  private var rules: [DiagnosticCode] = []
  private var indices: [DiagnosticCode: Int] = [:]
  private var isFirst = true

  /// Makes a report.
  public init(_ options: ReportOptions, to sink: @escaping ReportSink) {
    output = ReportOutput(options, to: sink)
    paths = options.repositoryPaths
    self.options = options
  }

  /// Opens the run.
  public func begin() throws {
    try output.write(
      """
      {"$schema":"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",\
      "version":"2.1.0","runs":[{"columnKind":"unicodeCodePoints","results":[
      """)
  }

  /// Writes one result.
  public func add(_ finding: Diagnostic) throws {
    let index = index(of: finding.code)
    var json = JSONBuilder()
    json.object { json in
      json.string("ruleId", finding.code.id)
      json.number("ruleIndex", index)
      json.string("level", finding.severity.description)
      json.object("message") { $0.string("text", Self.message(finding)) }
      json.array("locations") { json in
        json.object { json in location(finding.place, &json) }
      }
      json.object("partialFingerprints") { json in
        json.string("fleetkitFinding/v2", Fingerprint.of(finding, file: paths.name(finding.place.file)))
      }
      json.object("properties") { json in
        json.string("place", finding.place.description)
        if let record = finding.record { json.string("record", ReportEscaping.cut(record)) }
        if let title = finding.title { json.string("title", ReportEscaping.cut(title)) }
      }
    }
    try output.write((isFirst ? "\n" : ",\n") + json.result)
    isFirst = false
  }

  /// Writes the outcome of the run and the rules, then closes the document.
  public func end(_ summary: ReportSummary) throws {
    var json = JSONBuilder()
    json.object { json in
      json.array("invocations") { json in
        json.object { json in
          json.bool("executionSuccessful", summary.isComplete)
          json.number("exitCode", Int(summary.status))
          if !summary.omissions.isEmpty {
            json.array("toolExecutionNotifications") { json in
              for sentence in summary.omissions {
                json.object { json in
                  json.string("level", sentence == summary.hiddenSentence ? "warning" : "note")
                  json.object("message") { $0.string("text", sentence) }
                }
              }
            }
          }
        }
      }
      json.object("properties") { json in
        json.string("summary", summary.sentence)
        json.number("hidden", summary.hidden)
        json.number("baseline", summary.baseline)
      }
      json.object("tool") { json in
        json.object("driver") { json in
          json.string("name", "fleetkit")
          json.string("version", options.toolVersion)
          if let address = options.informationURI { json.string("informationUri", address) }
          json.array("rules") { json in
            for rule in rules { json.object { json in self.rule(rule, &json) } }
          }
        }
      }
    }
    // The members continue the run that `begin` opened.
    try output.write("\n]," + json.result.dropFirst().dropLast() + "}]}\n")
    try output.flush()
  }

  private func index(of code: DiagnosticCode) -> Int {
    if let index = indices[code] { return index }
    indices[code] = rules.count
    rules.append(code)
    return rules.count - 1
  }

  private func location(_ place: Place, _ json: inout JSONBuilder) {
    json.object("physicalLocation") { json in
      json.object("artifactLocation") { $0.string("uri", paths.uri(place.file)) }
      // A line inside a database cell or an archive member is not a line of the file.
      if place.row == nil, place.member == nil, let line = place.line, line > 0 {
        json.object("region") { json in
          json.number("startLine", line)
          if let column = place.column, column > 0 {
            json.number("startColumn", column)
            if let end = place.endColumn, end >= column { json.number("endColumn", end) }
          }
        }
      }
    }
    let name: String
    if place.row != nil || place.member != nil {
      name = String(place.description.unicodeScalars.dropFirst(place.file.unicodeScalars.count + 1))
    } else {
      name = place.pointer
    }
    guard !name.isEmpty else { return }
    json.array("logicalLocations") { json in
      json.object { json in
        json.string("fullyQualifiedName", name)
        json.string("kind", place.row != nil ? "row" : place.member != nil ? "member" : "value")
      }
    }
  }

  private func rule(_ rule: DiagnosticCode, _ json: inout JSONBuilder) {
    json.string("id", rule.id)
    json.string("name", rule.name)
    json.object("shortDescription") { $0.string("text", rule.summary) }
    json.object("fullDescription") { $0.string("text", "\(rule.summary) Why: \(rule.why).") }
    json.object("help") { json in
      json.string("text", "Why: \(rule.why).\nFix: \(rule.fix).")
      json.string("markdown", "**Why:** \(rule.why).\n\n**Fix:** \(rule.fix).")
    }
    json.object("defaultConfiguration") { $0.string("level", rule.severity.description) }
    if let address = helpAddress(rule) { json.string("helpUri", address) }
  }

  /// Returns the address of a rule's page; nil if it is not absolute, because the format allows only absolute
  /// addresses.
  private func helpAddress(_ rule: DiagnosticCode) -> String? {
    guard let path = rule.helpPath else { return nil }
    let isAbsolute = path.hasPrefix("https://") || path.hasPrefix("http://")
    return isAbsolute ? path : options.helpBase.map { $0 + path }
  }

  /// Returns the message, the reason and the advice, one per line. Line breaks in content are escaped.
  private static func message(_ finding: Diagnostic) -> String {
    escape(
      "\(ReportEscaping.line(finding.message))\nwhy: \(ReportEscaping.line(finding.why))\nfix: \(ReportEscaping.line(finding.fix))"
    )
  }

  /// Escapes a message for SARIF, where `{0}` is an argument (§3.11.5) and `[text](1)` is a link (§3.11.6).
  private static func escape(_ text: String) -> String {
    let bytes = text.utf8
    // Without a link, brackets and backslashes are literal.
    let hasLink = zip(bytes, bytes.dropFirst()).contains { $0 == UInt8(ascii: "]") && $1 == UInt8(ascii: "(") }
    var safe = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "{", "}": safe.unicodeScalars.append(scalar)
      case "[", "]", "\\": if hasLink { safe += "\\" }
      default: break
      }
      safe.unicodeScalars.append(scalar)
    }
    return safe
  }
}
