import ArgumentParser
import FleetKit
import Foundation

/// `fleetkit pack sign`.
struct PackSignVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign",
    abstract: "Sign a pack: write FILE.minisig, which proves the publisher, the version and its predecessor.",
    discussion: """
      The pack is verified first, and is not signed if it is not sound (exit 5). The previous version is given with \
      --previous or named by the pack; if both name one, they must agree. Signing again replaces FILE.minisig \
      with the same bytes. Use keys from 'fleetkit pack keygen' or 'minisign -G'.

      EXAMPLES
        fleetkit pack sign first-charter-1.0.0.fleetpack --key publisher.key
        fleetkit pack sign first-charter-1.1.0.fleetpack --key publisher.key \\
            --previous first-charter-1.0.0.fleetpack

      EXIT STATUS
        0   signed
        2   a file cannot be read or written, or is not a pack
        4   FILE.minisig exists and is not a signature
        5   the pack is not sound, or does not follow the previous version
        6   a newer FleetKit is needed
        64  wrong usage
      """)

  @Argument(help: "The pack, as one file.", completion: .file())
  var file: String

  @Option(
    name: [.customLong("key"), .customShort("s")],
    help: ArgumentHelp("The secret key (default: ~/.fleetkit/minisign.key).", valueName: "secret"),
    completion: .file())
  var key: String?

  @Option(
    name: .long, help: ArgumentHelp("The file of the previous version.", valueName: "old"), completion: .file())
  var previous: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Another public key that may have signed the previous version, if you changed keys.", valueName: "key"),
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
    let follows = previous.map { ", which follows \($0.version)" } ?? ", the first version"
    Terminal.say("Signed \(name) \(version)\(follows), with key \(keyID).")
    if let unsignedPrevious {
      Terminal.say("\(TerminalEscaping.escape(unsignedPrevious)) is not signed; it is identified by its SHA-256.")
    }
    Terminal.say(TerminalEscaping.escape(signature))
  }
}
