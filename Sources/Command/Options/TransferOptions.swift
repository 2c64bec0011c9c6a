import ArgumentParser
import FleetKit
import SQLiteLibrary

/// The options shared by `convert` and `export`: the target, and what to do with values that do not fit.
struct TransferOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "The new file; a folder (an existing one, or a name that ends in /) for a vault; - for standard output.",
      valueName: "dst"), completion: .file())
  var to: String

  @Option(
    name: .long, help: "Write this format regardless of the file name; see 'fleetkit formats'.", completion: .formats)
  var toFormat: FormatID?

  @Option(name: .long, help: "Write a new library with an older schema, e.g. 1.4.0, for an older app (current: 2.2.0).")
  var schemaVersion: String?

  @Flag(
    name: .long,
    help: """
      Replace an existing file, or write notes into a folder that FleetKit did not create. A library is never \
      replaced, and other programs' files are not touched.
      """)
  var overwrite = false

  @Flag(
    name: .long,
    help: """
      Rewrite a note in FleetKit's notation if its own notation cannot express what changed in the library. Without \
      this flag, such a note stays unchanged and the item is rejected.
      """)
  var rewriteNotes = false

  @Flag(name: .long, help: "Write CSV for Excel, with a byte order mark so that Excel reads it as UTF-8.")
  var excel = false

  @Flag(
    name: .long,
    help: """
      Fill the empty store of an app (Haumana's default.store) in one transaction, after making a copy of it. \
      Experimental: not tested on a device.
      """)
  var writeAppStore = false

  @Flag(
    name: .long,
    help: """
      Before the target gets its name, read it back and compare it with the sources, field by field. Exit with 5 if \
      there is a difference that no loss explains. This takes about as long as reading sources and target again.
      """)
  var prove = false

  @OptionGroup(title: "DynamoDB") var upload: UploadFlags
  @OptionGroup var run: RunOptions

  func validate() throws {
    if prove, upload.asUpload {
      throw ValidationError("--prove cannot be used with --as-upload: an upload differs from its source.")
    }
    if let schemaVersion, !SQLiteLibraryFormat.schemaVersions.contains(schemaVersion) {
      throw ValidationError(
        "--schema-version \(schemaVersion): unknown version; the versions are "
          + "\(SQLiteLibraryFormat.schemaVersions.joined(separator: ", "))."
      )
    }
  }

  /// The target, made from the options.
  var target: Target {
    var target = Target(to, overwrites: overwrite, schemaVersion: schemaVersion)
    target.canOverwrite = true
    target.rewritesNotes = rewriteNotes
    target.fillsAppStore = writeAppStore
    target.asUpload = upload.asUpload
    return target
  }
}
