import FleetKit

/// What `login` and `logout` say.
enum SignInText {
  /// A session has begun.
  static func began(_ session: SignIn.Session, with address: RegistryAddress, _ output: OutputOptions) {
    if output.json {
      var json = JSONBuilder()
      json.object { json in
        json.string("command", "login")
        json.number("status", 0)
        json.string("registry", address.text)
        json.string("user_id", session.user.id)
        json.string("username", session.user.username)
        json.string("expires_at", session.expiresAt?.wholeSeconds)
        json.bool("renews_itself", session.isRenewable)
        json.string("kept_in", session.path)
      }
      return Terminal.print(json.result)
    }
    if output.quiet { return }
    Terminal.say("Signed in to \(address) as \(TerminalText.escape(session.user.username)).")
    if let end = session.expiresAt {
      Terminal.say(
        "The session lasts until \(end.wholeSeconds)\(session.isRenewable ? ", and renews itself when it is used" : "")."
      )
    }
    Terminal.say("It is kept in \(TerminalText.escape(session.path)).")
  }

  /// Who is signed in.
  static func status(of connection: RegistryConnection, _ output: OutputOptions) throws {
    let user: RegistryUser
    do {
      let client = try connection.client()
      user = try client.untilInterrupted { try client.me() }
    } catch let error as RegistryError {
      throw error.failure("see who is signed in to \(connection.address)")
    }
    if output.json {
      var json = JSONBuilder()
      json.object { json in
        json.string("command", "login")
        json.number("status", 0)
        json.string("registry", connection.address.text)
        json.string("user_id", user.id)
        json.string("username", user.username)
      }
      return Terminal.print(json.result)
    }
    Terminal.print(TerminalText.escape(user.username))
  }

  /// A session has ended, or there was none.
  /// - Throws: `RunFailure` with status 69 when the registry does not know of it.
  static func ended(_ end: SignIn.End?, with address: RegistryAddress, _ output: OutputOptions) throws {
    let left =
      end.map { $0.isForgotten ? "" : " The token is still in \($0.place), where only you can remove it." } ?? ""
    if let problem = end?.problem {
      let gone = end?.isForgotten == true ? "the tokens are forgotten here, but " : ""
      let failure = problem.failure("sign out of \(address): \(gone)the registry was not told")
      throw RunFailure(
        failure.status, failure.message, advice: "The session ends there by itself when it is not renewed.\(left)")
    }
    if output.json {
      var json = JSONBuilder()
      json.object { json in
        json.string("command", "logout")
        json.number("status", 0)
        json.string("registry", address.text)
        json.bool("was_signed_in", end != nil)
        json.bool("forgotten", end?.isForgotten ?? true)
      }
      return Terminal.print(json.result)
    }
    if output.quiet { return }
    Terminal.say(
      end == nil
        ? "Nobody was signed in to \(address)."
        : "Signed out of \(address).\(TerminalText.escape(left))")
  }
}
