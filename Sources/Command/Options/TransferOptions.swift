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

/// The options for writing requests for DynamoDB as an upload, and for sending them.
struct UploadFlags: ParsableArguments {
  @Flag(
    name: .long,
    help: """
      Write Haumana's pieces as the app's own upload does: raise the version by one, set the sync time to now, and \
      give changes from the phone the current time. Without this flag, rows are copied unchanged.
      """)
  var asUpload = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      """
      After writing the requests, send them to DynamoDB at this address: https, or http for this machine. Requires \
      --table, --user and credentials in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. Without this, nothing is sent.
      """, valueName: "url"))
  var endpoint: String?

  @Option(
    name: .long,
    help: ArgumentHelp("The existing table to send pieces to.", valueName: "name"))
  var table: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The table to send practice sessions to. Without this, sessions are written but not sent.", valueName: "name"))
  var sessionsTable: String?

  /// The first option that is given, or nil.
  var given: String? {
    [
      ("--as-upload", asUpload), ("--endpoint", endpoint != nil), ("--table", table != nil),
      ("--sessions-table", sessionsTable != nil),
    ].first(where: \.1)?.0
  }

  /// Returns the upload that sends the requests; nil if nothing is to be sent.
  /// - Throws: `RunFailure` with status 64 if options, credentials or the region are missing.
  func upload(user: String?) throws -> DynamoDBUpload? {
    let options = [("--endpoint", endpoint), ("--table", table), ("--user", user)]
    guard endpoint != nil || table != nil || sessionsTable != nil else { return nil }
    guard let endpoint, let table, let user else {
      let missing = options.filter { $0.1 == nil }.map(\.0).joined(separator: " and ")
      throw RunFailure(
        .usage, "send to DynamoDB: \(missing) \(options.count { $0.1 == nil } == 1 ? "is" : "are") missing",
        advice:
          "Sending requires --endpoint URL, --table NAME and --user ID. To only write the folder, remove all of these.")
    }
    var upload = try DynamoDBUpload(endpoint: endpoint, table: table, sessionsTable: sessionsTable, user: user)
    upload.onProgress = Progress("Sending").callback
    return upload
  }
}
