import ArgumentParser

/// `fleetkit pack`: what only packs need.
struct PackVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pack",
    abstract: "Build content packs.",
    subcommands: [PackBuildVerb.self])
}
