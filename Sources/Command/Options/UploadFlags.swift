import ArgumentParser
import FleetKit

/// The options for writing requests for DynamoDB as an upload, and for sending them.
struct UploadFlags: ParsableArguments {
  @Flag(
    name: .long,
    help: """
      Write Haumana's pieces as the app's own upload does: raise the version by one, set the sync time to now, and \
      date changes from the phone now. Without this flag, rows are copied unchanged.
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
