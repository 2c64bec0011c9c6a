import ArgumentParser
import FleetKit
import Foundation

/// `fleetkit serve`: becomes the registry's server.
struct ServeVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Run a registry of your own: the server that content is published to.",
    usage: "fleetkit serve [<argument> ...]",
    discussion: """
      The server is a program of its own, fleetkit-registry. This verb finds it and becomes it: every argument, \
      signal and exit status is the server's. It looks at FLEETKIT_REGISTRY (a path), beside this program, on PATH, \
      and in the checkout that this program was built in ('make registry' builds it there).

      'fleetkit serve -- --help' shows the server's own options.

      EXAMPLES
        fleetkit serve --dev --database try.sqlite   to try it, on this machine only
        fleetkit serve --database registry.sqlite --port 8080
        fleetkit serve -- --help                     every option of the server
      """)

  @Argument(
    parsing: .captureForPassthrough,
    help: ArgumentHelp("What the server is told, word for word.", valueName: "argument"))
  var arguments: [String] = []

  func run() throws {
    if let only = arguments.first, arguments.count == 1, ["--help", "-h", "-help"].contains(only) {
      throw CleanExit.helpRequest(self)
    }
    let passed = arguments.first == "--" ? Array(arguments.dropFirst()) : arguments
    try RegistryProgram.find().replaceProcess(with: passed)
  }
}
