import ArgumentParser
import FleetKit
import Foundation

/// `fleetkit pack keygen`.
struct PackKeygenVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keygen",
    abstract: "Generate a key pair for signing packs.",
    discussion: """
      Writes the secret key to NAME.key, readable only by you, and the public key to NAME.pub. If NAME is a folder, \
      the files are minisign.key and minisign.pub in it (default: ~/.fleetkit). Existing files are never overwritten. \
      Both files have minisign's format. On a terminal you are asked for a password; otherwise it is read from \
      --password-file or FLEETKIT_PASSWORD. Without a password the secret key is not encrypted.

      EXAMPLES
        fleetkit pack keygen --to publisher
        fleetkit pack keygen --secret publisher.key --public publisher.pub \\
            --no-password
      """)

  @Argument(help: ArgumentHelp("The names of the files, without extension.", valueName: "name"), completion: .file())
  var name: String?

  @Option(
    name: [.customLong("to"), .customShort("o")], help: ArgumentHelp("The same as NAME.", valueName: "name"),
    completion: .file())
  var to: String?

  @Option(name: .long, help: ArgumentHelp("The secret key's file.", valueName: "file"), completion: .file())
  var secret: String?

  @Option(name: .long, help: ArgumentHelp("The public key's file.", valueName: "file"), completion: .file())
  var `public`: String?

  @Flag(name: .long, help: "Do not encrypt the secret key with a password.")
  var noPassword = false

  @OptionGroup var password: PasswordOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func validate() throws {
    if name != nil, to != nil { throw ValidationError("Give either NAME or --to NAME, not both.") }
    if name ?? to != nil, secret != nil, `public` != nil {
      throw ValidationError("NAME cannot be used with both --secret and --public.")
    }
    if noPassword, password.passwordFile != nil {
      throw ValidationError("--no-password cannot be used with --password-file.")
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
      Terminal.say("Generated key \(keyID).")
      Terminal.say("  \(TerminalEscaping.escape(secret))  keep it secret, and make a copy: it cannot be restored")
      Terminal.say("  \(TerminalEscaping.escape(`public`))  publish it; it contains this line:")
      if couldNotAsk {
        Terminal.say(
          "warning: the secret key has no password, because there is no terminal to ask for one "
            + "(use --password-file or FLEETKIT_PASSWORD).")
      }
    }
    Terminal.print(key)
  }
}
