import ArgumentParser
import FleetKit
import SQLiteLibrary

/// What `convert` and `export` share: where to, and what to do when something does not fit.
struct TransferOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "The new file; a folder (with / at its end, or there already) for a vault of notes; - for standard output.",
      valueName: "dst"), completion: .file())
  var to: String

  @Option(name: .long, help: "Write this format whatever the name says; see 'fleetkit formats'.", completion: .formats)
  var toFormat: FormatID?

  @Option(name: .long, help: "Schema of a new library, for an older app: 1.4.0 and so on; today's is 2.2.0.")
  var schemaVersion: String?

  @Flag(
    name: .long,
    help: """
      Replace the file if it is there already, or write notes into a folder that FleetKit did not make. A library is \
      never replaced, and files of others stay as they are.
      """)
  var overwrite = false

  @Flag(
    name: .long,
    help: """
      Rewrite notes in FleetKit's notation where their own cannot express what changed in the library. Without it, such \
      a note stays as it is and the item is rejected.
      """)
  var rewriteNotes = false

  @Flag(name: .long, help: "Write CSV for Excel: with a byte order mark, so that it takes the letters for UTF-8.")
  var excel = false

  @Flag(
    name: .long,
    help: """
      Fill the empty store of an app (Haumana's default.store) in one transaction, after copying it. Experimental: no \
      device has confirmed it.
      """)
  var writeAppStore = false

  @Flag(
    name: .long,
    help: """
      Read the target back before it gets its name and compare it with the sources, field by field; a difference that \
      no loss explains ends with 5. Takes about as long as reading both once more.
      """)
  var prove = false

  @OptionGroup(title: "DynamoDB") var upload: UploadFlags
  @OptionGroup var run: RunOptions

  func validate() throws {
    if prove, upload.asUpload {
      throw ValidationError("--prove and --as-upload: an upload differs from its source; leave out one of the two.")
    }
    if let schemaVersion, !SQLiteLibraryFormat.schemaVersions.contains(schemaVersion) {
      throw ValidationError(
        "--schema-version \(schemaVersion): versions are \(SQLiteLibraryFormat.schemaVersions.joined(separator: ", "))."
      )
    }
  }

  /// The target as the options say it.
  var target: Target {
    var target = Target(to, overwrites: overwrite, schemaVersion: schemaVersion)
    target.canOverwrite = true
    target.rewritesNotes = rewriteNotes
    target.fillsAppStore = writeAppStore
    target.asUpload = upload.asUpload
    return target
  }
}
