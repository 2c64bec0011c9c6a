import FleetKit
import Foundation
import Haumana
import JSONText
import RegistryClient
import Synchronization
import TestSupport
import Testing

/// Requests for Haumana's tables, written as upload files and sent to moto, which implements DynamoDB's interface.
/// botocore checks the signatures.
@Suite struct HaumanaUploadTests {
  private let scratch = Scratch()
  private static let folder = Paths.root + "/Tests/Fixtures/haumana/"
  private static let store = folder + "default-v1.store"
  private static let user = "191064050706105604154"
  private static let secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
  private static let token = "Example+Session/Token=="
  private static let variables = [
    "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": secret, "AWS_SESSION_TOKEN": token,
    "AWS_REGION": "us-west-2", "AWS_DEFAULT_REGION": "", "SOURCE_DATE_EPOCH": "1768478400",
  ]
  private static let hasMoto = Judges.has(module: "moto")

  /// Runs `convert` on the store, or on another source, and writes the requests into a folder.
  private func convert(
    _ source: String = store, to target: String, _ arguments: [String] = [], variables: [String: String] = [:]
  ) throws -> Answer {
    try Shell.run(
      Paths.command,
      ["convert", source, "--to", target, "--to-format", "haumana-dynamodb", "--user", Self.user] + arguments,
      environment: Self.variables.merging(variables) { $1 })
  }

  private static func json(_ path: String) throws -> JSONValue {
    try JSONDocument(parsing: Array(try Data(contentsOf: URL(fileURLWithPath: path)))).root
  }

  /// Returns the items in a folder of requests in a comparable form.
  private static func items(_ folder: String, _ name: String = "request") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix(name + "-") }.flatMap { file in
      let tables = try json(folder + "/" + file)["RequestItems"]?.members ?? []
      return tables.flatMap { $0.value.elements.compactMap { $0["PutRequest"]?["Item"] }.map(HaumanaTests.normal) }
    }.sorted()
  }

  /// Returns the bytes of each item, because canonically equivalent strings must count as different.
  private static func bytes(_ items: [String]) -> Set<[UInt8]> { Set(items.map { Array($0.utf8) }) }

  // MARK: Upload files

  @Test func rowsAreWrittenAsTheAppUploadsThem() throws {
    let run = try convert(to: scratch["upload/"], ["--as-upload", "-q"])
    #expect(run.status == 0, "\(run.errors)")
    let wanted = try Self.items(Self.folder + "batch-expected/upload")
    #expect(wanted.count == 40)
    #expect(try Self.bytes(Self.items(scratch["upload"])) == Self.bytes(wanted))
  }

  @Test func aVersionThatCannotBeRaisedIsRejected() throws {
    let pieces = [("1", "\"x\""), ("2", "7"), ("3", "9223372036854775807"), ("4", "1.5")].map {
      #"{"pieceId":"0\#($0.0)AC77EF-64B1-4127-B627-67F25FEBC6DB","title":"T","lyrics":"a","version":\#($0.1)}"#
    }
    let source = try scratch.write("list.json", "[" + pieces.joined(separator: ",") + "]")
    let run = try convert(source, to: scratch["v/"], ["--as-upload", "-q"])
    #expect(run.status == 3, "\(run.errors)")
    let items = try Self.items(scratch["v"])
    #expect(items.count == 1 && items[0].contains(#"version:{N:"8"}"#), "\(items)")
    #expect(try convert(source, to: scratch["w/"], ["-q"]).status == 0)
  }

  // MARK: Options

  @Test(arguments: [
    ["--endpoint", "http://127.0.0.1:9", "--user", user], ["--table", "pieces", "--user", user],
    ["--sessions-table", "sessions", "--user", user], ["--endpoint", "http://127.0.0.1:9", "--table", "pieces"],
    ["--endpoint", "http://dynamodb.us-west-2.amazonaws.com", "--table", "pieces", "--user", user],
    ["--endpoint", "https://u:p@dynamodb.us-west-2.amazonaws.com", "--table", "pieces", "--user", user],
    ["--endpoint", "http://127.0.0.1:9", "--table", "a b", "--user", user],
    ["--endpoint", "http://127.0.0.1:9", "--table", "abc", "--sessions-table", "abc", "--user", user],
    ["--as-upload", "--prove", "--user", user],
  ]) func optionsThatDoNotFitAreRefused(_ arguments: [String]) throws {
    let run = try Shell.run(
      Paths.command,
      ["convert", Self.store, "--to", scratch["r/"], "--to-format", "haumana-dynamodb"] + arguments,
      environment: Self.variables)
    #expect(run.status == 64, "\(run.errors)")
    #expect(!FileManager.default.fileExists(atPath: scratch["r"]))
  }

  @Test(arguments: [["--as-upload"], ["--endpoint", "http://127.0.0.1:9", "--table", "pieces"]])
  func otherTargetsRefuseThem(_ arguments: [String]) throws {
    let run = try Shell.run(
      Paths.command, ["convert", Self.store, "--to", scratch["x.jsonl"], "--user", Self.user] + arguments,
      environment: Self.variables)
    #expect(run.status == 64 && run.errors.contains(arguments[0]), "\(run.errors)")
  }

  @Test func regionAndCredentialsComeFromVariablesAndTheHost() throws {
    func failure(_ endpoint: String, _ variables: [String: String]) -> RunFailure? {
      do {
        _ = try DynamoDBUpload(endpoint: endpoint, table: "pieces", user: Self.user, environment: variables)
        return nil
      } catch {
        return error as? RunFailure
      }
    }
    var variables = Self.variables
    variables["AWS_REGION"] = ""
    let missing = failure("https://dynamodb.example.org", variables)
    #expect(missing?.status == .usage)
    #expect(missing?.advice?.contains("AWS_REGION or AWS_DEFAULT_REGION") == true)
    #expect(failure("https://dynamodb.us-west-2.amazonaws.com", variables) == nil)
    #expect(failure("https://dynamodb-fips.us-west-2.amazonaws.com:443/", variables) == nil)
    #expect(failure("https://dynamodb.cn-north-1.amazonaws.com.cn", variables) == nil)
    variables["AWS_DEFAULT_REGION"] = "eu-west-1"
    #expect(failure("https://dynamodb.example.org", variables) == nil)
    for name in ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] {
      var fewer = variables
      fewer[name] = nil
      #expect(failure("https://dynamodb.example.org", fewer)?.status == .usage)
    }
    variables["AWS_SESSION_TOKEN"] = "two\nlines"
    #expect(failure("https://dynamodb.example.org", variables)?.description.contains("lines") == false)
  }

  // MARK: Sending

  @Test(.enabled(if: hasMoto, Judges.reason), arguments: ["plain", "faulty"]) func everythingArrives(
    _ mode: String
  ) throws {
    let server = try DynamoDBServer.shared.get()
    let tables = try server.makeTables()
    let sending = ["--endpoint", server.url(mode), "--table", tables.pieces, "--sessions-table", tables.sessions]
    let run = try convert(to: scratch["r/"], ["--as-upload"] + sending)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.errors.contains("Sent 40 items to '\(tables.pieces)'."), "\(run.errors)")
    #expect(run.errors.contains("Sent 120 items to '\(tables.sessions)'."))
    let pieces = try server.items(tables.pieces)
    #expect(pieces.count == 40)
    #expect(try Self.bytes(pieces) == Self.bytes(Self.items(Self.folder + "batch-expected/upload")))
    let sessions = try server.items(tables.sessions)
    #expect(sessions.count == 120)
    #expect(try Self.bytes(sessions) == Self.bytes(Self.items(scratch["r"], "sessions")))
    for text in [Self.secret, Self.token] { #expect(!(run.errors + run.output).contains(text)) }
  }

  /// Unsent items can be sent later from the folder that the first run wrote, which stays unchanged.
  @Test(.enabled(if: hasMoto, Judges.reason)) func aTableThatIsMissingCostsNothing() throws {
    let server = try DynamoDBServer.shared.get()
    let tables = try server.makeTables()
    let failed = try convert(
      to: scratch["r/"], ["--as-upload", "--endpoint", server.url("plain"), "--table", "no-such-table", "--json"])
    #expect(failed.status == 2)
    #expect(failed.errors.contains("ResourceNotFoundException") && failed.errors.contains("nothing was sent"))
    let written = try Self.items(scratch["r"])
    #expect(written.count == 40)
    let again = try convert(
      scratch["r/"], to: scratch["again/"], ["--endpoint", server.url("plain"), "--table", tables.pieces, "--json"])
    #expect(again.status == 0, "\(again.errors)")
    #expect(try Self.bytes(server.items(tables.pieces)) == Self.bytes(written))
    #expect(
      try Self.bytes(Self.items(scratch["again"], "sessions")) == Self.bytes(Self.items(scratch["r"], "sessions")))
    #expect(try server.items(tables.sessions).isEmpty)
    let report = try JSONDocument(parsing: again.output).root
    #expect(
      report["sent"]?.text
        == #"{"tables":[{"table":"\#(tables.pieces)","items":40,"total":40}],"sessions_kept":120}"#)
  }

  @Test(.enabled(if: hasMoto, Judges.reason)) func whatStopsARunIsReportedOnce() throws {
    let server = try DynamoDBServer.shared.get()
    func send(_ mode: String, _ variables: [String: String] = [:]) throws -> Answer {
      try convert(
        to: scratch[mode + "\(variables.count)/"], ["--endpoint", server.url(mode), "--table", "pieces", "-q"],
        variables: variables)
    }
    let forged = try send("plain", ["AWS_SECRET_ACCESS_KEY": "AnotherSecret"])
    #expect(forged.status == 77 && forged.errors.contains("InvalidSignatureException"), "\(forged.errors)")
    for text in [Self.secret, Self.token, "AnotherSecret"] { #expect(!forged.errors.contains(text)) }
    for (mode, status) in [("denied", 2), ("redirect", 69), ("page", 69)] as [(String, Int32)] {
      let run = try send(mode)
      #expect(run.status == status, "\(run.errors)")
      #expect(try server.count(mode) == 1)
      #expect(run.errors.contains("nothing was sent") && !run.errors.contains("\u{1B}"))
      #expect(try Self.items(scratch[mode + "0"]).count == 40)
    }
    let unreachable = try convert(
      to: scratch["u/"], ["--endpoint", "http://127.0.0.1:1", "--table", "pieces", "-q"])
    #expect(unreachable.status == 69 && unreachable.errors.contains("--endpoint"), "\(unreachable.errors)")
  }

  @Test(.enabled(if: hasMoto, Judges.reason), arguments: ["throttled", "stuck"]) func repeatsAreBounded(
    _ mode: String
  ) throws {
    let server = try DynamoDBServer.shared.get()
    #expect(try convert(to: scratch["r/"], ["-q"]).status == 0)
    var upload = try upload(server, mode, table: "pieces")
    upload.retries.pause = 1
    upload.retries.longest = 4
    let before = try server.count(mode)
    let outcome = try upload.send(scratch["r"])
    #expect(try server.count(mode) - before == 10)
    #expect(outcome.failure?.status == .unreachable)
    #expect(outcome.failure?.message.hasSuffix("10 consecutive times; nothing was sent") == true)
    #expect(outcome.tables.map(\.items) == [0] && outcome.tables.map(\.total) == [40])
  }

  @Test(.enabled(if: hasMoto, Judges.reason)) func aDryRunSendsNothing() throws {
    let server = try DynamoDBServer.shared.get()
    let tables = try server.makeTables()
    let run = try convert(
      to: scratch["r/"], ["--endpoint", server.url("plain"), "--table", tables.pieces, "--dry-run"])
    #expect(run.status == 0 && !run.errors.contains("Sent"), "\(run.errors)")
    #expect(try server.items(tables.pieces).isEmpty)
    #expect(!FileManager.default.fileExists(atPath: scratch["r"]))
  }

  @Test(.enabled(if: hasMoto, Judges.reason)) func aLibraryIsExportedAndSent() throws {
    let server = try DynamoDBServer.shared.get()
    let tables = try server.makeTables()
    let library = scratch["boat.sqlite"]
    let made = try Shell.run(
      Paths.command, ["import", Self.store, "--into", library, "--create", "--user", Self.user, "-q"])
    #expect(made.status == 0, "\(made.errors)")
    let arguments = ["--to", scratch["r/"], "--to-format", "haumana-dynamodb", "--user", Self.user]
    let run = try Shell.run(
      Paths.command,
      ["export", library] + arguments + ["--endpoint", server.url("plain"), "--table", tables.pieces],
      environment: Self.variables)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.errors.contains("Not sent: 120 practice sessions"), "\(run.errors)")
    #expect(try server.items(tables.pieces).count == 40)
  }

  /// A file that DynamoDB would refuse, or that contains another user's items, prevents the whole folder from being
  /// sent.
  @Test(.enabled(if: hasMoto, Judges.reason)) func nothingIsSentIfAFileIsInvalid() throws {
    let server = try DynamoDBServer.shared.get()
    let tables = try server.makeTables()
    #expect(try convert(to: scratch["r/"], ["-q"]).status == 0)
    let path = scratch["r/request-2.json"]
    let whole = try String(contentsOfFile: path, encoding: .utf8)
    let item = #"{"userId":{"S":"\#(Self.user)"},"pieceId":{"S":"p"}}"#
    let put = #"{"PutRequest":{"Item":\#(item)}}"#
    func request(_ puts: [String]) -> String { #"{"RequestItems":{"t":[\#(puts.joined(separator: ","))]}}"# }
    let large = put.replacing(#""p"}"#, with: #""p"},"lyrics":{"S":"\#(String(repeating: "a", count: 410 << 10))"}"#)
    let many = (0..<26).map { put.replacing(#""p""#, with: "\"p\($0)\"") }
    let broken = [
      String(whole.dropLast(40)), "[]", "{}", "{\"RequestItems\":{}}", request([]), request(many),
      request([put, put]), request([large]), request(["{\"DeleteRequest\":{\"Key\":\(item)}}"]),
      request([put.replacing(Self.user, with: "another")]),
      request([put.replacing(#"{"S":"p"}"#, with: #"{"N":"1"}"#)]),
      request([put.replacing(#"{"S":"p"}"#, with: #"{"S":""}"#)]), request([put.replacing("pieceId", with: "id")]),
      request([put.replacing(#""p"}"#, with: #""p"},"version":1"#)]),
      request([put.replacing(#""p"}"#, with: #""p"},"pieceId":{"S":"q"}"#)]),
    ]
    for (index, text) in broken.enumerated() {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      let outcome = try upload(server, "plain", table: tables.pieces).send(scratch["r/"])
      #expect(outcome.failure?.status == .refused, "\(index): \(String(describing: outcome.failure))")
      #expect(outcome.failure?.message.hasSuffix("; nothing was sent") == true)
    }
    #expect(try server.items(tables.pieces).isEmpty)
    // Keys that differ only in their normalization form are two keys.
    let forms = ["\u{E9}", "e\u{301}"].map { put.replacing(#""p""#, with: "\"\($0)\"") }
    try request(forms).write(toFile: path, atomically: true, encoding: .utf8)
    #expect(try upload(server, "plain", table: tables.pieces).send(scratch["r/"]).failure == nil)
    #expect(try server.items(tables.pieces).count == 27)
  }

  @Test(.enabled(if: hasMoto, Judges.reason)) func anInterruptionEndsBetweenRequests() throws {
    let server = try DynamoDBServer.shared.get()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Paths.command)
    process.arguments = [
      "convert", Self.store, "--to", scratch["r/"], "--to-format", "haumana-dynamodb", "--user", Self.user,
      "--endpoint", server.url("stuck/i"), "--table", "pieces", "-q",
    ]
    process.environment = ProcessInfo.processInfo.environment.merging(Self.variables) { $1 }
    let errors = Pipe()
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let end = ContinuousClock.now + .seconds(60)
    while try server.count("stuck/i") == 0, ContinuousClock.now < end { usleep(20_000) }
    kill(process.processIdentifier, SIGINT)
    process.waitUntilExit()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(process.terminationStatus == 130 && text.contains("interrupted; nothing was sent"), "\(text)")
    #expect(try Self.items(scratch["r"]).count == 40)
  }

  private func upload(_ server: DynamoDBServer, _ mode: String, table: String) throws -> DynamoDBUpload {
    try DynamoDBUpload(endpoint: server.url(mode), table: table, user: Self.user, environment: Self.variables)
  }
}

/// A moto server behind a proxy, shared by all tests of a process: Tests/Fixtures/haumana/dynamodb_server.py.
private final class DynamoDBServer: Sendable {
  /// The only instance.
  static let shared = Result { try DynamoDBServer() }

  /// The error for a server that does not start.
  struct Failure: Error {}

  private let port: Int
  private let transport: HTTPTransport
  private let tables = Atomic<Int>(0)
  /// The process and its input pipe. The server ends when the pipe is closed, which happens when this process ends.
  private let running: Mutex<(Process, Pipe)?>

  private init() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Judges.python)
    process.arguments = [Paths.root + "/Tests/Fixtures/haumana/dynamodb_server.py"]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    var line = ""
    while !line.contains("\n") {
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { throw Failure() }
      line += String(decoding: data, as: UTF8.self)
    }
    guard let port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) else { throw Failure() }
    self.port = port
    transport = try HTTPTransport(userAgent: "tests")
    running = Mutex((process, input))
  }

  /// Returns the address at which the server behaves in the given way. The ways are named as in the script.
  func url(_ mode: String) -> String { "http://127.0.0.1:\(port)/\(mode)" }

  /// Creates two tables with unique names.
  func makeTables() throws -> (pieces: String, sessions: String) {
    let number = tables.add(1, ordering: .relaxed).newValue
    _ = try get("make/pieces-\(number)/sessions-\(number)")
    return ("pieces-\(number)", "sessions-\(number)")
  }

  /// Returns the items of a table in a comparable form.
  func items(_ table: String) throws -> [String] {
    try JSONDocument(parsing: get("scan/" + table)).root["Items"]?.elements.map(HaumanaTests.normal).sorted() ?? []
  }

  /// Returns the number of requests that were sent to the address of a mode.
  func count(_ mode: String) throws -> Int {
    try Int(String(decoding: get("count/" + mode), as: UTF8.self)) ?? -1
  }

  private func get(_ path: String) throws -> [UInt8] {
    try transport.send(HTTPRequest("GET", "http://127.0.0.1:\(port)/" + path, isDirect: true)).body
  }
}
