import ArgumentParser

/// `fleetkit pack`: the commands for packs only.
struct PackVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pack",
    abstract: "Build, sign and verify content packs.",
    discussion: """
      A pack is content with a name, a version, a publisher and a licence, in one file. Signatures have minisign's \
      format (Ed25519 over the whole file): minisign can verify them, and FleetKit can verify those made by minisign.

      EXAMPLES
        fleetkit pack build vault/ --to first-charter.fleetpack
        fleetkit pack keygen --to publisher   once, to make your keys
        fleetkit pack sign first-charter.fleetpack --key publisher.key
        fleetkit pack verify first-charter.fleetpack --trust publisher.pub
      """,
    subcommands: [PackBuildVerb.self, PackKeygenVerb.self, PackSignVerb.self, PackVerifyVerb.self])
}
