import FleetKit

/// What `doctor --recover` says.
enum RecoveryText {
  /// Damages and missing rows that are listed without -v.
  private static let shown = 10

  /// What was found, table by table, and what was not.
  static func say(_ report: LibraryRecovery.Report, library: String, target: String, verbose: Bool) {
    let name = TerminalText.escape(library)
    Terminal.say("\(name): \(counted(report.pages, "page")) of \(report.pageSize) bytes, schema v\(report.version)")
    for note in report.notes { Terminal.say("  " + TerminalText.escape(note)) }
    Terminal.say("")
    var table = Table(["table", "in its tree", "by an index", "uncertain", "missing"], rightAligned: [1, 2, 3, 4])
    for found in report.tables where found.name != "grdb_migrations" {
      table.add([
        TerminalText.escape(found.name), "\(found.reachable)", "\(found.confirmed)", "\(found.uncertain)",
        "\(found.missing)",
      ])
    }
    for line in table.lines(width: 110) { Terminal.say(line) }
    Terminal.say("")
    list("Damaged", report.damages.map(words), of: report.damageCount, verbose)
    list("Not found", report.missing.map(words), of: report.missingCount, verbose)
    list("Not made", report.refused, of: report.refused.count, verbose)
    if !report.quarantine.isEmpty {
      Terminal.say(
        "\(counted(report.uncertain, "row")) may be deleted or old, or on a damaged page: not in the library, but kept in"
      )
      for path in report.quarantine { Terminal.say("  " + TerminalText.escape(path)) }
      Terminal.say("Look at \(report.quarantine.count == 1 ? "it" : "them") before you import anything of it.\n")
    }
    Terminal.say(
      "Wrote \(TerminalText.escape(target)), \(Figures.bytes(report.bytes)), with \(counted(report.restored, "row"))"
        + (report.isWhole ? "; nothing is missing." : "."))
    if let folder = report.folder {
      Terminal.say(
        "Decks, attachments and FleetKit's history stay with the damaged library. To take them along:")
      let copy = "\(TerminalText.shellQuoted(folder + "/.")) \(TerminalText.shellQuoted(target + ".fleetkit"))"
      Terminal.say("  cp -R \(copy)")
    }
    if report.missingCount > 0 {
      Terminal.say("If a backup or another phone has what is missing, import it before you repair the new library.")
    }
    Terminal.say("Next: fleetkit doctor \(TerminalText.shellQuoted(target))")
  }

  private static func list(_ title: String, _ lines: [String], of count: Int, _ verbose: Bool) {
    guard count > 0 else { return }
    Terminal.say("\(title): \(count)")
    let listed = verbose ? lines : Array(lines.prefix(shown))
    for line in listed { Terminal.say("  " + TerminalText.escape(line)) }
    if count > listed.count {
      Terminal.say("  … and \(count - listed.count) more" + (verbose ? "" : " (-v shows more)"))
    }
    Terminal.say("")
  }

  private static func words(_ damage: LibraryRecovery.Report.Damage) -> String {
    let owner = damage.owner.map { " of '\($0)'" } ?? ""
    let row = damage.row.map { ", \($0)" } ?? ""
    let words = "page \(damage.page)\(owner)\(row): \(reasons[damage.reason] ?? damage.reason)"
    return damage.isIndex ? words + " (an index has no content; it was made again)" : words
  }

  private static let reasons = [
    "malformedPage": "its bytes were overwritten", "wrongPage": "it belongs to something else",
    "usedTwice": "it is used twice", "pointerOutOfRange": "it refers to a page that does not exist",
    "tooDeep": "the tree is too deep", "brokenCell": "the bytes of a row were overwritten",
    "overflowOutOfRange": "its text continues in a page that does not exist",
    "overflowUsedTwice": "its text continues in a page of something else",
    "overflowTooShort": "the end of its text is missing", "overflowTooLong": "a page of its text was overwritten",
    "rowidOutOfOrder": "rows are out of order", "doesNotFit": "it is not a row of this table",
    "ambiguous": "it may belong to several tables", "freelistBroken": "the list of free pages is broken",
    "neverUsed": "nothing refers to it; it may be the rest of a damaged row",
  ]

  private static func words(_ missing: LibraryRecovery.Report.Missing) -> String {
    "\(missing.table) \(missing.id)\(missing.title.map { " “\($0)”" } ?? ""), known from '\(missing.knownFrom)'"
      + (missing.isUncertain ? "; a part of it, or a version of it, is in the quarantine" : "")
  }

  private static func counted(_ number: Int, _ word: String) -> String { "\(number) \(word)\(number == 1 ? "" : "s")" }

  /// The same as JSON.
  static func json(
    _ report: LibraryRecovery.Report, library: String, target: String, status: ExitStatus
  ) -> String {
    var json = JSONBuilder()
    json.object { json in
      json.string("command", "doctor")
      json.number("status", Int(status.rawValue))
      json.string("library", library)
      json.string("recovered", target)
      json.string("schema_version", report.version)
      json.number("page_size", report.pageSize)
      json.number("pages", report.pages)
      json.number("bytes", report.bytes)
      json.array("notes") { json in for note in report.notes { json.string(nil, note) } }
      json.array("tables") { json in
        for table in report.tables {
          json.object { json in
            json.string("table", table.name)
            json.number("reachable", table.reachable)
            json.number("confirmed", table.confirmed)
            json.number("uncertain", table.uncertain)
            json.number("missing", table.missing)
          }
        }
      }
      json.number("damage_count", report.damageCount)
      json.array("damages") { json in
        for damage in report.damages {
          json.object { json in
            json.number("page", damage.page)
            json.string("owner", damage.owner)
            json.bool("index", damage.isIndex)
            json.string("reason", damage.reason)
            json.string("row", damage.row)
          }
        }
      }
      json.array("missing") { json in
        for missing in report.missing {
          json.object { json in
            json.string("table", missing.table)
            json.string("id", missing.id)
            json.string("title", missing.title)
            json.string("known_from", missing.knownFrom)
            json.bool("uncertain", missing.isUncertain)
          }
        }
      }
      json.string("folder", report.folder)
      json.array("not_made") { json in for line in report.refused { json.string(nil, line) } }
      json.array("quarantine") { json in for path in report.quarantine { json.string(nil, path) } }
    }
    return json.result
  }
}
