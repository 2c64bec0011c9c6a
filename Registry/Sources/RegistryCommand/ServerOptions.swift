import ArgumentParser

/// The command-line options.
struct ServerOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The address to listen on: an IP address or localhost.", valueName: "address"))
  var host = "127.0.0.1"

  @Option(help: ArgumentHelp("The port; 0 selects a free one.", valueName: "port"))
  var port = 8080

  @Option(help: ArgumentHelp("The database, created if missing: a path or sqlite:///path.", valueName: "file"))
  var database: String?

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

  @Option(help: ArgumentHelp("What to log: debug, info, warning, error.", valueName: "level"))
  var logLevel = "info"
}
