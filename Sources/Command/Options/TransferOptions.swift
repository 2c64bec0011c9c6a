import ArgumentParser
import FleetKit
import SQLiteLibrary

/// What `convert` and `export` share: where to, and what to do when something does not fit.
struct TransferOptions: ParsableArguments {
  @Option(
    name: .long, help: ArgumentHelp("The new file; - for standard output.", valueName: "dst"), completion: .file())
  var to: String

  @Option(name: .long, help: "Write this format whatever the name says; see 'fleetkit formats'.", completion: .formats)
  var toFormat: String?

  @Option(name: .long, help: "Schema of a new library, for an older app: 1.4.0 and so on; today's is 2.2.0.")
  var schemaVersion: String?

  @Flag(name: .long, help: "Replace the file if it is there already. A library is never replaced.")
  var overwrite = false

  @OptionGroup var run: RunOptions

  func validate() throws {
    if let schemaVersion, !SQLiteLibraryFormat.schemaVersions.contains(schemaVersion) {
      throw ValidationError(
        "--schema-version \(schemaVersion): versions are \(SQLiteLibraryFormat.schemaVersions.joined(separator: ", "))."
      )
    }
  }

  /// The target as the options say it.
  func target() throws -> Target {
    if to.hasSuffix("/") {
      throw RunFailure(
        .usage, "write '\(to)': this version writes files, not folders",
        advice: "Name a file, for example backup.jsonl.")
    }
    return Target(to, overwrites: overwrite, schemaVersion: schemaVersion)
  }
}
