import ArgumentParser
import FleetKit
import Foundation

/// `fleetkit pack verify`.
struct PackVerifyVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Verify that a pack is authentic, unchanged, and a successor of the version that you have.",
    discussion: """
      With --trust, the file must be signed by one of the keys. With --previous, it must be a successor of the version \
      that you have: an older version is a downgrade, another file of the same version is a fork. Then every checksum \
      inside is checked. Any mismatch exits with 5. In an unsigned pack only the checksums can be checked.

      EXAMPLES
        fleetkit pack verify first-charter.fleetpack --trust publisher.pub
        fleetkit pack verify new.fleetpack --trust publisher.pub \\
            --previous old.fleetpack
        fleetkit pack verify first-charter.fleetpack   check only the checksums

      EXIT STATUS
        0   everything matches
        2   the file cannot be read, or is not a pack
        5   mismatch: signature, key, version or checksum
        6   a newer FleetKit is needed
        64  wrong usage
      """)

  @Argument(help: "The pack.", completion: .file())
  var file: String

  @Option(
    name: .long,
    help: ArgumentHelp(
      "A trusted public key: a file, or the key itself. May be repeated.", valueName: "key"),
    completion: .file())
  var trust: [String] = []

  @Option(
    name: .long, help: ArgumentHelp("The file of the version that you have.", valueName: "old"), completion: .file())
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

/// The previous version of a pack.
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
      "Verified \(TerminalEscaping.escape(file)): \(what), \(files == 1 ? "1 file" : "\(files) files"), "
        + "all checksums match."
    )
    if let keyID {
      Terminal.say("  signed by key \(keyID), which you trust")
      if let publisher { Terminal.say("  publisher: \(TerminalEscaping.escape(publisher))") }
      Terminal.say("  trusted comment: \(TerminalEscaping.escape(trustedComment ?? ""))")
    }
    switch report.step {
    case .same: Terminal.say("  the same version that you have")
    case .newer: Terminal.say("  a successor of the version that you have")
    case nil: break
    }
    for note in notes { Terminal.say("  note: \(TerminalEscaping.escape(note))") }
    for finding in report.bag.findings {
      Terminal.say("  \(TerminalEscaping.escape("\(finding.place): \(finding.message)"))")
    }
  }
}
