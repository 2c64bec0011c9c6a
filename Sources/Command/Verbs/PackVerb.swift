import ArgumentParser

/// `fleetkit pack`: what only packs need.
struct PackVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pack",
    abstract: "Build content packs, sign them, and prove whose they are.",
    discussion: """
      A pack is content with a name, a version, a publisher and a licence, in one file. Signatures are minisign's \
      (Ed25519 over the whole file), so minisign verifies ours, and minisign's are verified here.

      EXAMPLES
        fleetkit pack build vault/ --to first-charter.fleetpack
        fleetkit pack keygen --to publisher   once: publisher.key and publisher.pub
        fleetkit pack sign first-charter.fleetpack --key publisher.key
        fleetkit pack verify first-charter.fleetpack --trust publisher.pub
      """,
    subcommands: [PackBuildVerb.self, PackKeygenVerb.self, PackSignVerb.self, PackVerifyVerb.self])
}
