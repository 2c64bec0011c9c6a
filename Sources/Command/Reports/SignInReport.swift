import FleetKit

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
    Terminal.say("Signed in to \(registry) as \(TerminalEscaping.escape(username)).")
    if let expiresAt {
      Terminal.say(
        "The session expires at \(expiresAt)\(renewsItself ? ", and is renewed automatically when used" : "").")
    }
    Terminal.say("The session is stored in \(TerminalEscaping.escape(keptIn)).")
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
    Terminal.say(
      wasSignedIn ? "Signed out of \(registry).\(TerminalEscaping.escape(left))" : "Not signed in to \(registry).")
  }
}
