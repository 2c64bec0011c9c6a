import ArgumentParser
import Foundation

/// The registry of shared sailing content.
@main
struct FleetKitRegistry: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleetkit-registry",
    abstract: "Serve the registry of shared sailing content from a SQLite file or a PostgreSQL database.",
    discussion: """
      Without a subcommand, the registry serves: `fleetkit-registry --port 8080` is `fleetkit-registry serve --port 8080`.
      The options are in `fleetkit-registry serve --help`.

      \(ServeCommand.discussion)
      """,
    version: "0.1.0",
    subcommands: [
      ServeCommand.self, MigrateCommand.self, LoadCommand.self, DumpCommand.self, MoveCommand.self,
    ], defaultSubcommand: ServeCommand.self)

  /// Handles signals before anything else, so that the server can also be stopped while it starts.
  static func main() async {
    SignalWatch.begin()
    await main(nil)
    ProcessEnd.now(0)
  }
}

/// Serves until a signal ends the run.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve the registry over HTTP.",
    discussion: discussion)

  /// The explanation in the help of this command and of the whole program.
  static let discussion = """
    Listens on http://127.0.0.1:8080 by default and prints the address as one line on stdout. Everything else goes \
    to stderr, one JSON object per line. Options take precedence over the environment:

      DATABASE_URL                      a path, or postgresql://user@host/database
      DATABASE_REPLICA_URLS             replicas for public reads, with commas
      PORT                              8080
      JWT_SECRET_KEY                    the key that signs tokens, 32 bytes or more
      JWT_ACCESS_TOKEN_EXPIRE_MINUTES   15
      JWT_REFRESH_TOKEN_EXPIRE_DAYS     7
      APPLE_CLIENT_ID                   the app's names at Apple, with commas
      APPLE_JWKS                        address or file of Apple's keys
      CORS_ORIGINS                      origins of browsers, with commas
      RATE_LIMIT_ENABLED                true

    SIGTERM, SIGINT and SIGHUP stop the server after it has answered the current requests.

    EXAMPLES
      head -c 48 /dev/urandom | base64 > registry.key
      fleetkit-registry --database registry.sqlite --jwt-key-file registry.key
      fleetkit-registry --database /tmp/try.sqlite --dev --port 0
      fleetkit-registry --jwt-key-file registry.key \\
        --database postgresql://registry@db.example.org/registry

    EXIT STATUS
      0 stopped on request · 2 cannot start or continue
      7 another registry has the database open · 64 wrong usage or configuration
    """

  @OptionGroup var options: ServerOptions

  func run() async throws {
    let plan: ServerPlan
    do {
      plan = try ServerPlan(options, environment: ProcessInfo.processInfo.environment)
    } catch {
      StandardError.fail(error)
    }
    do {
      try await ServerRun(plan).run()
    } catch let failure as StartFailure {
      StandardError.fail(failure)
    }
  }
}

/// The command-line options.
struct ServerOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The address to listen on: an IP address or localhost.", valueName: "address"))
  var host = "127.0.0.1"

  @Option(help: ArgumentHelp("The port; 0 selects a free one. The default is 8080.", valueName: "port"))
  var port: Int?

  @Option(
    help: ArgumentHelp(
      "The database: a SQLite file, which is created if it is missing, or postgresql://….", valueName: "database"))
  var database: String?

  @Option(help: ArgumentHelp("The number of connections to a PostgreSQL server.", valueName: "count"))
  var databaseConnections = 16

  @Flag(help: "For development only: sign-in without proof, and a random key by default. Loopback addresses only.")
  var dev = false

  @Option(
    help: ArgumentHelp("A file with the keys that sign tokens, one per line; the first one signs.", valueName: "file"))
  var jwtKeyFile: String?

  @Option(help: ArgumentHelp("The app's name at Apple; may be repeated.", valueName: "name"))
  var appleClientID: [String] = []

  @Option(name: .customLong("apple-jwks"), help: ArgumentHelp("Apple's keys.", valueName: "address or file"))
  var appleJWKS: String?

  @Flag(help: "Trust X-Forwarded-For and X-Forwarded-Proto; use only behind a proxy that sets them.")
  var trustProxy = false

  @Option(help: ArgumentHelp("An origin that browsers may call from, or *; may be repeated.", valueName: "origin"))
  var corsOrigin: [String] = []

  @Flag(help: "Turn off rate limits.")
  var noRateLimit = false

  @Option(help: ArgumentHelp("Requests per minute that one address may send.", valueName: "count"))
  var requestsPerMinute = 1200

  @Option(help: ArgumentHelp("Maximum bytes of a request's body; 16 times that for a batch.", valueName: "bytes"))
  var maxBody = 1 << 20

  @Option(
    name: .customLong("public-url"),
    help: ArgumentHelp("The address of the items' pages; adds public_url to answers.", valueName: "address"))
  var publicURL: String?

  @Flag(help: "Open the registry's pages in the browser.")
  var open = false

  @Option(help: ArgumentHelp("What to log: debug, info, warning, error.", valueName: "level"))
  var logLevel = "info"
}
