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
        fleetkit pack keygen --secret publisher.key --public publisher.pub --no-password
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
    if output.json {
      var json = JSONBuilder()
      json.object { json in
        json.string("command", "pack keygen")
        json.number("status", 0)
        json.string("secret", pair.secret)
        json.string("public", pair.public)
        json.string("key_id", key.id)
        json.string("key", key.text)
        json.bool("password", word != nil)
      }
      return Terminal.print(json.result)
    }
    if !output.quiet {
      Terminal.say("Made key \(key.id).")
      Terminal.say("  \(TerminalText.escape(pair.secret))  keep it secret, and keep a copy: it cannot be made again")
      Terminal.say("  \(TerminalText.escape(pair.public))  give it away; it is this line:")
      if word == nil, !noPassword {
        Terminal.say(
          "No password protects the secret key: nobody was there to ask (--password-file, FLEETKIT_PASSWORD).")
      }
    }
    Terminal.print(key.text)
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
