import ArgumentParser
import FleetKit
import Foundation

/// `fleetkit pack keygen`.
struct PackKeygenVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keygen",
    abstract: "Make a key to sign packs with: a secret file and a public one.",
    discussion: """
      NAME stands for NAME.key, which only you can read, and NAME.pub, which everybody may have; a folder gets \
      minisign.key and minisign.pub; without a name that folder is ~/.fleetkit. Nothing is written over. Both files \
      are minisign's. A password is asked for on a terminal; elsewhere it comes from --password-file or \
      FLEETKIT_PASSWORD, and without one the secret key is not protected by any.

      EXAMPLES
        fleetkit pack keygen --to publisher
        fleetkit pack keygen --secret publisher.key --public publisher.pub \\
            --no-password
      """)

  @Argument(help: ArgumentHelp("What the files are called, without an ending.", valueName: "name"), completion: .file())
  var name: String?

  @Option(
    name: [.customLong("to"), .customShort("o")], help: ArgumentHelp("The same as NAME.", valueName: "name"),
    completion: .file())
  var to: String?

  @Option(name: .long, help: ArgumentHelp("The secret key's file.", valueName: "file"), completion: .file())
  var secret: String?

  @Option(name: .long, help: ArgumentHelp("The public key's file.", valueName: "file"), completion: .file())
  var `public`: String?

  @Flag(name: .long, help: "Do not protect the secret key with a password.")
  var noPassword = false

  @OptionGroup var password: PasswordOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func validate() throws {
    if name != nil, to != nil { throw ValidationError("Name the files once: either NAME or --to NAME.") }
    if name ?? to != nil, secret != nil, `public` != nil {
      throw ValidationError("With --secret and --public there is nothing left for NAME to say.")
    }
    if noPassword, password.passwordFile != nil {
      throw ValidationError("--no-password does not go with --password-file.")
    }
  }

  func run() throws {
    let pair = try files()
    let word = noPassword ? nil : try password.new(for: pair.secret)
    let key = try pair.generate(password: word)
    try output.print(
      KeyReport(
        secret: pair.secret, public: pair.public, keyID: key.id, key: key.text, password: word != nil,
        couldNotAsk: word == nil && !noPassword))
  }

  private func files() throws -> MinisignKeyPair {
    var pair: MinisignKeyPair
    if let name = name ?? to ?? secret ?? `public` {
      pair = MinisignKeyPair(named: name)
    } else {
      pair = MinisignKeyPair(named: try PasswordOptions.homeFolder() + "/")
    }
    pair = MinisignKeyPair(secret: secret ?? pair.secret, public: `public` ?? pair.public)
    return pair
  }
}

/// The report of `pack keygen`.
private struct KeyReport: Report {
  let command = "pack keygen"
  let status = ExitStatus.success
  let secret, `public`, keyID, key: String
  let password: Bool
  @TextOnly var couldNotAsk: Bool

  func render(_ output: OutputOptions) {
    if !output.quiet {
      Terminal.say("Made key \(keyID).")
      Terminal.say("  \(TerminalText.escape(secret))  keep it secret, and keep a copy: it cannot be made again")
      Terminal.say("  \(TerminalText.escape(`public`))  give it away; it is this line:")
      if couldNotAsk {
        Terminal.say(
          "No password protects the secret key: nobody was there to ask (--password-file, FLEETKIT_PASSWORD).")
      }
    }
    Terminal.print(key)
  }
}
