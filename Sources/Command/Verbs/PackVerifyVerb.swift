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
        fleetkit pack verify new.fleetpack --trust publisher.pub \\
            --previous old.fleetpack
        fleetkit pack verify first-charter.fleetpack   not signed: only its checksums

      EXIT STATUS
        0   everything matches
        2   it cannot be read, or is no pack
        5   something does not match: signature, key, version, checksum
        6   a newer FleetKit is needed
        64  wrong usage
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
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func run() throws {
    var verifier = PackVerifier(file)
    verifier.trusted = try trust.map { try MinisignKey($0) }
    verifier.previous = previous
    verifier.onProgress = output.quiet ? nil : Progress("").reading("Verifying \(file)")
    let report = try verifier.run()
    Progress.clear()
    try output.print(PackVerificationReport(report, file: file))
  }
}

/// The version of a pack that came before.
struct PreviousVersion: Encodable {
  let version, sha256: String

  init(_ previous: PackPrevious) { (version, sha256) = (previous.version.text, previous.sha256) }
}

/// The report of `pack verify`.
private struct PackVerificationReport: Report {
  let command = "pack verify"
  let status = ExitStatus.success
  let file: String
  let sha256, name, version, publisher: String?
  let signed: Bool
  let keyID, trustedComment: String?
  let previous: PreviousVersion?
  let againstPrevious: String?
  let files, bytes: Int
  let notes: [String]
  let findings: [FindingJSON]
  @TextOnly var report: PackVerifier.Report

  init(_ report: PackVerifier.Report, file: String) {
    let signature = report.signature
    (self.file, sha256, name, version) = (file, report.sha256, report.info?.name, report.info?.version?.text)
    (publisher, signed, keyID) = (report.info?.publisher, signature != nil, signature?.key.id)
    trustedComment = signature?.signature.trustedComment
    previous = (signature?.comment?.previous ?? report.info?.parent).map(PreviousVersion.init)
    againstPrevious = report.step.map { $0 == .same ? "same" : "newer" }
    (files, bytes, notes) = (report.bag.files, report.bag.bytes, report.notes)
    findings = report.bag.findings.map { FindingJSON($0) }
    self.report = report
  }

  func render(_ output: OutputOptions) {
    guard !output.quiet else { return }
    let what = report.info.map { "\($0.name) \($0.version?.text ?? "without a version")" } ?? "a bag"
    Terminal.say(
      "Verified \(TerminalText.escape(file)): \(what), \(files == 1 ? "1 file" : "\(files) files"), every checksum right."
    )
    if let keyID {
      Terminal.say("  signed by key \(keyID), which you trust")
      if let publisher { Terminal.say("  publisher: \(TerminalText.escape(publisher))") }
      Terminal.say("  trusted comment: \(TerminalText.escape(trustedComment ?? ""))")
    }
    switch report.step {
    case .same: Terminal.say("  it is the version that you have")
    case .newer: Terminal.say("  it comes from the version that you have")
    case nil: break
    }
    for note in notes { Terminal.say("  note: \(TerminalText.escape(note))") }
    for finding in report.bag.findings {
      Terminal.say("  \(TerminalText.escape("\(finding.place): \(finding.message)"))")
    }
  }
}
