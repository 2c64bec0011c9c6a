import ArgumentParser
import FleetKit

/// Writing requests for DynamoDB as an upload, and sending them.
struct UploadFlags: ParsableArguments {
  @Flag(
    name: .long,
    help: """
      Write Haumana's pieces as the app's upload makes them: the version is raised by one, they are synced now, and \
      changes of the phone are dated now. Without it, rows are copied unchanged.
      """)
  var asUpload = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      """
      Send the requests to DynamoDB after they were written, to this address: https, or http for this machine. Needs \
      --table and --user, and credentials in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. Without it, nothing is sent.
      """, valueName: "url"))
  var endpoint: String?

  @Option(
    name: .long,
    help: ArgumentHelp("The table that pieces are sent to. It must exist.", valueName: "name"))
  var table: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The table that practice sessions are sent to. Without it, they are written and not sent.", valueName: "name"))
  var sessionsTable: String?

  /// The first of the options that is given; nil if none is.
  var given: String? {
    [
      ("--as-upload", asUpload), ("--endpoint", endpoint != nil), ("--table", table != nil),
      ("--sessions-table", sessionsTable != nil),
    ].first(where: \.1)?.0
  }

  /// What sends the requests; nil when nothing is to be sent.
  /// - Throws: `RunFailure` with status 64 when options, credentials or the region are missing.
  func upload(user: String?) throws -> DynamoDBUpload? {
    let options = [("--endpoint", endpoint), ("--table", table), ("--user", user)]
    guard endpoint != nil || table != nil || sessionsTable != nil else { return nil }
    guard let endpoint, let table, let user else {
      let missing = options.filter { $0.1 == nil }.map(\.0).joined(separator: " and ")
      throw RunFailure(
        .usage, "send to DynamoDB: \(missing) \(options.count { $0.1 == nil } == 1 ? "is" : "are") missing",
        advice: "Sending takes --endpoint URL, --table NAME and --user ID. Without all of them, only write the folder.")
    }
    var upload = try DynamoDBUpload(endpoint: endpoint, table: table, sessionsTable: sessionsTable, user: user)
    upload.onProgress = Progress("Sending").callback
    return upload
  }
}
