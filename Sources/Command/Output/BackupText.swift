import FleetKit

/// What `backup` says about a backup that was made.
enum BackupText {
  /// For people.
  /// - Parameter target: what they call the place that it went to.
  static func say(_ report: LibraryBackup.Report, to target: String, context: RunContext, verbose: Bool) {
    SummaryText.findings(context.findings, verbose: verbose)
    let info = report.info
    for path in report.damagedMedia {
      Terminal.say("warning: '\(TerminalText.escape(path))' is not what its name says; it is not in the backup")
    }
    if info.unreadable > 0 {
      Terminal.say(
        "warning: \(info.unreadable) record\(info.unreadable == 1 ? "" : "s") cannot be read and "
          + "\(info.unreadable == 1 ? "is" : "are") not in the index; the snapshot holds what there is of them.")
    }
    if let folder = report.madeFolder { Terminal.say("Made the folder \(TerminalText.escape(folder))") }
    if let parent = report.parentElsewhere {
      Terminal.say(
        "warning: the backup that it needs, '\(TerminalText.escape(parent))', lies in another folder; both must lie in "
          + "one to be restored")
    }
    if let reason = report.fullBecause { Terminal.say("A full backup, because \(TerminalText.escape(reason)).") }
    let counts = info.counts.map { Figures.count($0.number, RecordKind($0.kind)) }.joined(separator: ", ")
    Terminal.say(
      "Backed up \(TerminalText.escape(info.library)) to \(TerminalText.escape(target)): "
        + "\(counts.isEmpty ? "no records" : TerminalText.escape(counts)); "
        + "\(Figures.bytes(report.bytes)) in \(Figures.duration(report.seconds))")
    if let parent = info.parent, let changes = report.changes {
      Terminal.say(
        "  changes since \(TerminalText.escape(parent.file)): \(changes.put) row\(changes.put == 1 ? "" : "s") new or changed, \(changes.gone) gone; "
          + "it needs \(info.depth == 1 ? "that backup" : "that backup and \(info.depth - 1) before it") to be restored"
      )
    }
    guard let rotation = report.rotation else { return }
    let removed = rotation.removed.count
    Terminal.say(
      "  kept \(rotation.kept.count) backup\(rotation.kept.count == 1 ? "" : "s"), removed \(removed)"
        + (removed > 0 ? " (\(Figures.bytes(rotation.freed)))" : ""))
    if verbose { for path in rotation.removed { Terminal.say("    removed \(TerminalText.escape(path))") } }
    if rotation.others > 0 {
      Terminal.say(
        "  left alone: \(rotation.others) backup\(rotation.others == 1 ? "" : "s") of the same name, of a library in "
          + "another place")
    }
    let damaged = Set(rotation.damaged)
    for left in rotation.left where !damaged.contains(left.path) {
      Terminal.say("  left alone: \(TerminalText.escape("\(left.path): \(left.reason)"))")
    }
  }

  /// What must be heard however quiet a run is: older backups that were found damaged.
  static func warn(_ rotation: BackupRotation.Report) {
    let damaged = Set(rotation.damaged)
    for left in rotation.left where damaged.contains(left.path) {
      Terminal.say("warning: \(TerminalText.escape("\(left.path): \(left.reason)")); it takes nobody's place")
    }
    guard !damaged.isEmpty else { return }
    Terminal.say("The new backup is whole. Look at the disk, and move what is damaged away.")
  }

  /// For programs.
  static func json(
    _ report: LibraryBackup.Report, library: String, proof: BackupProof.Result? = nil, context: RunContext
  ) -> String {
    let info = report.info
    var json = JSONBuilder()
    json.object { json in
      json.string("command", "backup")
      json.number("status", 0)
      json.string("library", library)
      json.string("target", report.path)
      json.string("name", info.name)
      json.string("origin", info.origin)
      json.string("taken_at", info.takenAt.iso8601)
      json.string("schema", info.schema)
      json.number("bytes", report.bytes)
      json.number("library_bytes", info.libraryBytes)
      json.number("seconds", (report.seconds * 1000).rounded() / 1000)
      json.number("copy_seconds", (report.copySeconds * 1000).rounded() / 1000)
      if let proof {
        ProofText.write(proof.proof, to: &json)
        json.bool("proved_by_index_only", proof.isOfIndexOnly)
      }
      json.object("counts") { json in for count in info.counts { json.number(count.kind, count.number) } }
      json.number("unreadable", info.unreadable)
      json.number("media", info.media.count)
      json.number("depth", info.depth)
      if let parent = info.parent {
        json.object("parent") { json in
          json.string("file", parent.file)
          json.string("sha256", parent.sha256)
          json.string("taken_at", parent.takenAt.iso8601)
        }
      }
      if let changes = report.changes {
        json.object("changes") { json in
          json.number("put", changes.put)
          json.number("gone", changes.gone)
        }
      }
      json.string("full_because", report.fullBecause)
      json.string("made_folder", report.madeFolder)
      json.string("parent_elsewhere", report.parentElsewhere)
      json.array("damaged_media") { json in for path in report.damagedMedia { json.string(nil, path) } }
      if let rotation = report.rotation {
        json.object("rotation") { json in
          json.number("kept", rotation.kept.count)
          json.number("freed", rotation.freed)
          json.number("others", rotation.others)
          json.array("removed") { json in for path in rotation.removed { json.string(nil, path) } }
          json.array("damaged") { json in for path in rotation.damaged { json.string(nil, path) } }
          json.array("left") { json in
            for left in rotation.left {
              json.object { json in
                json.string("path", left.path)
                json.string("reason", left.reason)
              }
            }
          }
        }
      }
      SummaryJSON.findings(&json, context.findings)
    }
    return json.result
  }
}
