import ArgumentParser
import FleetKit
import Foundation

/// `fleetkit pack sign`.
struct PackSignVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign",
    abstract: "Sign a pack: FILE.minisig beside it says who made it, which version it is and which one it follows.",
    discussion: """
      First the pack is proved to be sound; one that is not is not signed (exit 5). The version before is what --previous \
      names, else what the pack itself says; both must agree. Signing again replaces FILE.minisig and gives the same \
      bytes. Keys are those of 'fleetkit pack keygen' or 'minisign -G'.

      EXAMPLES
        fleetkit pack sign first-charter-1.0.0.fleetpack --key publisher.key
        fleetkit pack sign first-charter-1.1.0.fleetpack --key publisher.key \\
            --previous first-charter-1.0.0.fleetpack

      EXIT STATUS
        0   signed
        2   something cannot be read or written, or is no pack
        4   FILE.minisig is there and no signature
        5   the pack is not sound, or does not follow the version before
        6   a newer FleetKit is needed
        64  wrong usage
      """)

  @Argument(help: "The pack, as one file.", completion: .file())
  var file: String

  @Option(
    name: [.customLong("key"), .customShort("s")],
    help: ArgumentHelp("The secret key; ~/.fleetkit/minisign.key if you say nothing.", valueName: "secret"),
    completion: .file())
  var key: String?

  @Option(
    name: .long, help: ArgumentHelp("The file of the version before this one.", valueName: "old"), completion: .file())
  var previous: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Another public key that may have signed the version before, when you have changed keys.", valueName: "key"),
    completion: .file())
  var trust: [String] = []

  @OptionGroup var password: PasswordOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func run() throws {
    let trusted = try trust.map { try MinisignKey($0) }
    let path = key ?? NSHomeDirectory() + "/.fleetkit/minisign.key"
    let secret = try MinisignSecretKey.read(path) { try password.existing(for: path) }
    var signer = PackSigner(file, key: secret)
    signer.previous = previous
    signer.trusted = trusted
    signer.onProgress = output.quiet ? nil : Progress("").reading("Signing \(file)")
    let report = try signer.run()
    Progress.clear()
    let comment = report.comment
    try output.print(
      SignatureReport(
        file: file, signature: report.path, keyID: secret.publicKey.id, name: comment.name,
        version: comment.version.text, sha256: report.pack.fingerprint.sha256, trustedComment: comment.text,
        previous: comment.previous.map(PreviousVersion.init),
        unsignedPrevious: report.isPreviousUnsigned ? previous : nil))
  }
}

/// The report of `pack sign`.
private struct SignatureReport: Report {
  let command = "pack sign"
  let status = ExitStatus.success
  let file, signature, keyID, name, version, sha256, trustedComment: String
  let previous: PreviousVersion?
  @TextOnly var unsignedPrevious: String?

  func render(_ output: OutputOptions) {
    guard !output.quiet else { return }
    let follows = previous.map { ", which follows \($0.version)" } ?? ", the first one"
    Terminal.say("Signed \(name) \(version)\(follows), with key \(keyID).")
    if let unsignedPrevious {
      Terminal.say("\(TerminalText.escape(unsignedPrevious)) is not signed itself; its SHA-256 names it.")
    }
    Terminal.say(TerminalText.escape(signature))
  }
}
