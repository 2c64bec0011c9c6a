import ArgumentParser
import FleetKit

/// `fleetkit logout`.
struct LogoutVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logout",
    abstract: "End the session with a registry, and forget its tokens.",
    discussion: """
      The registry ends the session, and the tokens are removed from where 'fleetkit login' kept them, or from the \
      file that --token-file names. They are removed, too, when the registry is not reached; then the exit status is 69.

      EXAMPLES
        fleetkit logout --registry https://sail.example.org
        fleetkit logout anyfleet.sqlite   the registry that the library belongs to
      """)

  @Argument(help: "A library, in place of --registry: the registry that it belongs to.", completion: .file())
  var library: String?

  @OptionGroup(title: "Registry") var registry: RegistryOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func run() throws {
    let connection = try registry.connection(for: library)
    try output.print(SignOutReport(SignIn(connection).end(), with: connection.address))
  }
}
