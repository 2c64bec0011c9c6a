import ArgumentParser
import FleetKit
import Foundation

/// `fleetkit serve`, which replaces this process with the registry's server.
struct ServeVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Run your own registry, the server that content is published to.",
    usage: "fleetkit serve [<argument> ...]",
    discussion: """
      The server is a separate program, fleetkit-registry. This command replaces itself with it: all arguments, \
      signals and exit statuses are the server's. It looks for the program in FLEETKIT_REGISTRY (a path), in the same \
      folder as fleetkit, on PATH, and in the checkout that fleetkit was built in ('make registry' builds it there).

      'fleetkit serve -- --help' shows the server's own options.

      EXAMPLES
        fleetkit serve --dev --database try.sqlite   a local test registry
        fleetkit serve --database registry.sqlite --port 8080
        fleetkit serve -- --help                     list the server's options
      """)

  @Argument(
    parsing: .captureForPassthrough,
    help: ArgumentHelp("Arguments passed to fleetkit-registry.", valueName: "argument"))
  var arguments: [String] = []

  func run() throws {
    if let only = arguments.first, arguments.count == 1, ["--help", "-h", "-help"].contains(only) {
      throw CleanExit.helpRequest(self)
    }
    let passed = arguments.first == "--" ? Array(arguments.dropFirst()) : arguments
    try RegistryProgram.find().replaceProcess(with: passed)
  }
}
