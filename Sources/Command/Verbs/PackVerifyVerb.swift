import ArgumentParser
import FleetKit
import Foundation

/// `fleetkit pack verify`.
struct PackVerifyVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Prove whose a pack is, that nobody changed it, and that it follows the version that you have.",
    discussion: """
      With --trust the file must be signed by one of the keys. With --previous it must come from the version that \
      you have: an older one is a downgrade, another file of the same version a fork. Then every checksum \
      inside is proved. Whatever does not match ends with exit 5. A pack that nobody signed has only its checksums.

      EXAMPLES
        fleetkit pack verify first-charter.fleetpack --trust publisher.pub
        fleetkit pack verify new.fleetpack --trust publisher.pub --previous old.fleetpack
        fleetkit pack verify first-charter.fleetpack                    not signed: only its checksums

      EXIT STATUS
        0 everything matches · 2 it cannot be read, or is no pack · 5 something does not match: signature, key, \
      version, checksum · 6 a newer FleetKit is needed · 64 wrong usage
      """)

  @Argument(help: "The pack.", completion: .file())
  var file: String

  @Option(
    name: .long,
    help: ArgumentHelp(
      "A public key that may have signed it: a file, or the key itself. Several may be named.", valueName: "key"),
    completion: .file())
  var trust: [String] = []

  @Option(
    name: .long, help: ArgumentHelp("The version that you have, as a file.", valueName: "old"), completion: .file())
  var previous: String?

  @OptionGroup(title: "Output") var output: OutputOptions

  func run() throws {
    var verifier = PackVerifier(file)
    verifier.trusted = try trust.map { try MinisignKey($0) }
    verifier.previous = previous
    verifier.onProgress = output.quiet ? nil : Progress("").reading("Verifying \(file)")
    let report = try verifier.run()
    Progress.clear()
    if output.json { return Terminal.print(json(report)) }
    guard !output.quiet else { return }
    let what = report.info.map { "\($0.name) \($0.version?.text ?? "without a version")" } ?? "a bag"
    let files = report.bag.files == 1 ? "1 file" : "\(report.bag.files) files"
    Terminal.say("Verified \(TerminalText.escape(file)): \(what), \(files), every checksum right.")
    if let signature = report.signature {
      Terminal.say("  signed by key \(signature.key.id), which you trust")
      if let publisher = report.info?.publisher { Terminal.say("  publisher: \(TerminalText.escape(publisher))") }
      Terminal.say("  trusted comment: \(TerminalText.escape(signature.signature.trustedComment))")
    }
    switch report.step {
    case .same: Terminal.say("  it is the version that you have")
    case .newer: Terminal.say("  it comes from the version that you have")
    case nil: break
    }
    for note in report.notes { Terminal.say("  note: \(TerminalText.escape(note))") }
    for finding in report.bag.findings {
      Terminal.say("  \(TerminalText.escape("\(finding.place): \(finding.message)"))")
    }
  }

  private func json(_ report: PackVerifier.Report) -> String {
    var json = JSONBuilder()
    json.object { json in
      json.string("command", "pack verify")
      json.number("status", 0)
      json.string("file", file)
      json.string("sha256", report.sha256)
      json.string("name", report.info?.name)
      json.string("version", report.info?.version?.text)
      json.string("publisher", report.info?.publisher)
      json.bool("signed", report.signature != nil)
      json.string("key_id", report.signature?.key.id)
      json.string("trusted_comment", report.signature?.signature.trustedComment)
      Self.previous(report.signature?.comment?.previous ?? report.info?.parent, &json)
      json.string("against_previous", report.step.map { $0 == .same ? "same" : "newer" })
      json.number("files", report.bag.files)
      json.number("bytes", report.bag.bytes)
      json.array("notes") { json in
        for note in report.notes { json.string(nil, note) }
      }
      json.array("findings") { json in
        for finding in report.bag.findings { json.raw(nil, SummaryJSON.text(FindingJSON(finding))) }
      }
    }
    return json.result
  }

  /// Which version came before.
  static func previous(_ previous: PackPrevious?, _ json: inout JSONBuilder) {
    guard let previous else { return json.string("previous", nil) }
    json.object("previous") { json in
      json.string("version", previous.version.text)
      json.string("sha256", previous.sha256)
    }
  }
}
