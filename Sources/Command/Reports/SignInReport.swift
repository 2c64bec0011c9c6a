import FleetKit

/// The report of `login`: a session has begun.
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
    Terminal.say("Signed in to \(registry) as \(TerminalText.escape(username)).")
    if let expiresAt {
      Terminal.say("The session lasts until \(expiresAt)\(renewsItself ? ", and renews itself when it is used" : "").")
    }
    Terminal.say("It is kept in \(TerminalText.escape(keptIn)).")
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

  func render(_ output: OutputOptions) { Terminal.print(TerminalText.escape(username)) }
}

/// The report of `logout`: a session has ended, or there was none.
struct SignOutReport: Report {
  let command = "logout"
  let status = ExitStatus.success
  let registry: String
  let wasSignedIn, forgotten: Bool
  @TextOnly var left: String

  /// - Throws: `RunFailure` with status 69 when the registry could not be told.
  init(_ end: SignIn.End?, with address: RegistryAddress) throws {
    let left =
      end.map { $0.isForgotten ? "" : " The token is still in \($0.place), where only you can remove it." } ?? ""
    if let problem = end?.problem {
      let gone = end?.isForgotten == true ? "the tokens are forgotten here, but " : ""
      let failure = problem.failure("sign out of \(address): \(gone)the registry was not told")
      throw RunFailure(
        failure.status, failure.message, advice: "The session ends there by itself when it is not renewed.\(left)")
    }
    (registry, wasSignedIn, forgotten) = (address.text, end != nil, end?.isForgotten ?? true)
    self.left = left
  }

  func render(_ output: OutputOptions) {
    if output.quiet { return }
    Terminal.say(
      wasSignedIn ? "Signed out of \(registry).\(TerminalText.escape(left))" : "Nobody was signed in to \(registry).")
  }
}
