import ArgumentParser
import FleetKit
import Foundation

/// `fleetkit login`.
struct LoginVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "login",
    abstract: "Sign in to a registry, for publishing.",
    discussion: """
      Exchanges Apple's identity token for a session, which is renewed automatically. The session is stored in \
      fleetkit/credentials.json in XDG_CONFIG_HOME (default: ~/.config), readable only by you; --token-file \
      stores it in another file. Tokens are read from files or standard input, never from the command line, \
      which all users of this machine can see.

      Without a login, commands use a session from --token-file or from FLEETKIT_TOKEN (and FLEETKIT_REFRESH_TOKEN, \
      which works for one run only, because renewed tokens are not stored). These take precedence over the login.

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

  @Option(name: .long, help: ArgumentHelp("The nonce sent to Apple, if any.", valueName: "text"))
  var nonce: String?

  @Option(
    name: .long,
    help: ArgumentHelp("Sign in as any user, to a registry that runs with --dev.", valueName: "email"))
  var devEmail: String?

  @Flag(name: .long, help: "Show who is signed in.")
  var status = false

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func validate() throws {
    let ways = [identityTokenFile != nil, devEmail != nil, status].filter { $0 }
    guard ways.count == 1 else {
      throw ValidationError("Give --identity-token-file FILE, --dev-email EMAIL or --status.")
    }
    if nonce != nil, identityTokenFile == nil { throw ValidationError("--nonce requires --identity-token-file.") }
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
      throw RunFailure(
        .usage, "read the identity token from \(name): it cannot be read", advice: "Check its path and permissions.")
    }
    let token = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    guard !token.isEmpty, token.utf8.count <= 65_536, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw RunFailure(
        .usage, "read the identity token from \(name): it contains no token",
        advice: "A token is one line of letters, digits and dots, as received from Apple.")
    }
    return .apple(identityToken: token, nonce: nonce)
  }
}

/// The report of `login`.
struct SessionReport: Report {
  let command = "login"
  let status = ExitStatus.success
  let registry, userID, username: String
  let expiresAt: String?
  let renewsItself: Bool
  let keptIn: String

  init(_ session: SignIn.Session, with address: RegistryAddress) {
    (registry, userID, username) = (address.text, session.user.id, session.user.username)
    expiresAt = session.expiresAt?.wholeSeconds
    (renewsItself, keptIn) = (session.isRenewable, session.path)
  }

  func render(_ output: OutputOptions) {
    if output.quiet { return }
    Terminal.report("Signed in to \(registry) as \(TerminalEscaping.escape(username)).")
    if let expiresAt {
      Terminal.report(
        "The session expires at \(expiresAt)\(renewsItself ? ", and is renewed automatically when used" : "").")
    }
    Terminal.report("The session is stored in \(TerminalEscaping.escape(keptIn)).")
  }
}

/// The report of `login --status`.
struct AccountReport: Report {
  let command = "login"
  let status = ExitStatus.success
  let registry, userID, username: String

  /// Asks the registry who is signed in.
  init(_ connection: RegistryConnection) throws {
    let user: RegistryUser
    do {
      let client = try connection.client()
      user = try client.untilInterrupted { try client.me() }
    } catch let error as RegistryError {
      throw error.failure("see who is signed in to \(connection.address)")
    }
    (registry, userID, username) = (connection.address.text, user.id, user.username)
  }

  func render(_ output: OutputOptions) { Terminal.print(TerminalEscaping.escape(username)) }
}

/// The report of `logout`.
struct SignOutReport: Report {
  let command = "logout"
  let status = ExitStatus.success
  let registry: String
  let wasSignedIn, forgotten: Bool
  @TextOnly var left: String

  /// - Throws: `RunFailure` with status 69 if the registry could not be reached.
  init(_ end: SignIn.End?, with address: RegistryAddress) throws {
    let left =
      end.map { $0.isForgotten ? "" : " The token is still in \($0.place); remove it there yourself." } ?? ""
    if let problem = end?.problem {
      let gone = end?.isForgotten == true ? "the tokens were removed here, but " : ""
      let failure = problem.failure("sign out of \(address): \(gone)the registry was not notified")
      throw RunFailure(
        failure.status, failure.message, advice: "The session expires there if it is not renewed.\(left)")
    }
    (registry, wasSignedIn, forgotten) = (address.text, end != nil, end?.isForgotten ?? true)
    self.left = left
  }

  func render(_ output: OutputOptions) {
    if output.quiet { return }
    Terminal.report(
      wasSignedIn ? "Signed out of \(registry).\(TerminalEscaping.escape(left))" : "Not signed in to \(registry).")
  }
}
