import ArgumentParser
import FleetKit

/// `fleetkit logout`.
struct LogoutVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logout",
    abstract: "Sign out of a registry, and remove its tokens.",
    discussion: """
      The registry ends the session, and the tokens are removed from where 'fleetkit login' stored them, or from the \
      file named by --token-file. Tokens are removed even if the registry cannot be reached; then the exit status is 69.

      EXAMPLES
        fleetkit logout --registry https://sail.example.org
        fleetkit logout anyfleet.sqlite   from the library's registry
      """)

  @Argument(help: "A library, instead of --registry: sign out of the registry that it belongs to.", completion: .file())
  var library: String?

  @OptionGroup(title: "Registry") var registry: RegistryOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func run() throws {
    let connection = try registry.connection(for: library)
    try output.print(SignOutReport(SignIn(connection).end(), with: connection.address))
  }
}
