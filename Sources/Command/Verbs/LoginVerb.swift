import ArgumentParser
import FleetKit
import Foundation

/// `fleetkit login`.
struct LoginVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "login",
    abstract: "Sign in to a registry, for publishing.",
    discussion: """
      Apple's identity token is exchanged for a session, which renews itself from then on. The session is kept in \
      fleetkit/credentials.json below XDG_CONFIG_HOME (else ~/.config), where only you can read it; --token-file \
      keeps it in a file of your own. Tokens are read from files or standard input, never from the command line, \
      which everybody on this machine can see.

      Without a login, verbs take a session from --token-file or from FLEETKIT_TOKEN (and FLEETKIT_REFRESH_TOKEN, \
      which is good for one run: renewed tokens are not written anywhere). Those come before what login keeps.

      EXAMPLES
        fleetkit login --registry https://sail.example.org \\
            --identity-token-file token.txt
        fleetkit login --registry http://127.0.0.1:8080 \\
            --dev-email captain@example.com
        fleetkit login --registry https://sail.example.org --status
      """)

  @OptionGroup(title: "Registry") var registry: RegistryOptions

  @Option(
    name: .long,
    help: ArgumentHelp("Read Apple's identity token from a file, - for standard input.", valueName: "file"),
    completion: .file())
  var identityTokenFile: String?

  @Option(name: .long, help: ArgumentHelp("What Apple was asked with, if anything.", valueName: "text"))
  var nonce: String?

  @Option(
    name: .long,
    help: ArgumentHelp("Sign in as anybody: only to a registry that was started with --dev.", valueName: "email"))
  var devEmail: String?

  @Flag(name: .long, help: "Sign nobody in; say who is.")
  var status = false

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func validate() throws {
    let ways = [identityTokenFile != nil, devEmail != nil, status].filter { $0 }
    guard ways.count == 1 else {
      throw ValidationError("Say how: --identity-token-file FILE, --dev-email EMAIL, or --status to see who is.")
    }
    if nonce != nil, identityTokenFile == nil { throw ValidationError("--nonce belongs to --identity-token-file.") }
  }

  func run() throws {
    let connection = try registry.connection()
    if status { return try output.print(AccountReport(connection)) }
    let session = try SignIn(connection).begin(try proof())
    try output.print(SessionReport(session, with: connection.address))
  }

  private func proof() throws -> SignIn.Proof {
    if let devEmail { return .test(email: devEmail) }
    let path = identityTokenFile ?? "-"
    let name = path == "-" ? "standard input" : "'\(path)'"
    let data = path == "-" ? FileHandle.standardInput.readDataToEndOfFile() : FileManager.default.contents(atPath: path)
    guard let data else {
      throw RunFailure(.usage, "read the identity token from \(name): it cannot be read", advice: "Check the file.")
    }
    let token = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    guard !token.isEmpty, token.utf8.count <= 65_536, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw RunFailure(
        .usage, "read the identity token from \(name): there is no token",
        advice: "It is one line of letters, digits and points, as Apple gave it to the app.")
    }
    return .apple(identityToken: token, nonce: nonce)
  }
}
