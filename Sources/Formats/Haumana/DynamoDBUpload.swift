import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import RegistryClient
import Synchronization

/// Sends the requests in a folder to DynamoDB.
///
/// All files are checked before the first request is sent. A put replaces the item with the same key, so requests can
/// safely be sent again.
///
/// - Source: formats/haumana.md, "Sending to DynamoDB"
public struct DynamoDBUpload: Sendable {
  /// The numbers of sent items, and the failure if some items were not sent.
  public struct Outcome: Sendable {
    /// The result for one table.
    public struct Table: Encodable, Sendable {
      /// The table's name.
      public let table: String
      /// The number of items that were written to the table.
      public fileprivate(set) var items = 0
      /// The number of items that should be written to the table.
      public fileprivate(set) var total = 0
    }

    /// The tables that received, or should have received, items.
    public fileprivate(set) var tables: [Table] = []
    /// The number of practice sessions that were not sent, because no table was given for them.
    public fileprivate(set) var sessionsKept = 0
    /// The reason why some items were not sent; nil if all were sent.
    public fileprivate(set) var failure: RunFailure?
  }

  /// The rules for repeating failed requests.
  package struct Retries: Sendable {
    /// The maximum number of consecutive attempts without progress.
    package var attempts = 10
    /// The first pause in milliseconds. Each further pause is twice as long.
    package var pause = 50.0
    /// The longest pause in milliseconds.
    package var longest = 5000.0

    /// Creates rules with the default values.
    package init() {}

    /// Returns a pause. Half of it is random, so that clients that were refused at the same time do not retry at the
    /// same time.
    func milliseconds(after failures: Int) -> Double {
      min(longest, pause * Double(1 << min(failures, 20))) * Double.random(in: 0.5...1)
    }
  }

  /// The rules for repeating failed requests.
  package var retries = Retries()
  /// A closure that is called with the number of bytes sent, the total number of bytes, and the number of items sent.
  public var onProgress: (@Sendable (Int, Int?, Int) -> Void)?

  private let link: DynamoDBLink
  private let names: [RequestFile.Table: String]
  private let user: String

  /// Prepares the upload without sending anything or reading any file.
  /// - Parameters:
  ///   - endpoint: DynamoDB's address.
  ///   - table: the table for pieces.
  ///   - sessionsTable: the table for practice sessions; nil to leave them in the folder.
  ///   - user: the owner of the items. Other users' items are refused.
  ///   - environment: the environment variables, which contain the credentials and the region.
  /// - Throws: `RunFailure` with status 64 if the endpoint, a name, the region or the credentials are invalid.
  public init(
    endpoint: String, table: String, sessionsTable: String? = nil, user: String,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws {
    for (option, name) in [("--table", table), ("--sessions-table", sessionsTable ?? table)] {
      let isName = name.utf8.allSatisfy { byte in
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || [0x2D, 0x2E, 0x5F].contains(byte)
      }
      guard (3...255).contains(name.utf8.count), isName else {
        throw RunFailure(
          .usage, "\(option) '\(TerminalEscaping.escape(name))': not a valid table name",
          advice: "Names consist of 3 to 255 letters, digits, '-', '_' and '.'.")
      }
    }
    guard sessionsTable != table else {
      throw RunFailure(
        .usage, "--sessions-table '\(table)': it is also the table for pieces", advice: "Use another table.")
    }
    names = sessionsTable.map { [.pieces: table, .sessions: $0] } ?? [.pieces: table]
    self.user = user
    link = try DynamoDBLink(RegistryAddress(endpoint, for: .dynamoDB), environment: environment)
  }

  /// Sends the requests of a folder.
  /// - Returns: the numbers of sent items, and the failure if some items were not sent.
  public func send(_ folder: String) throws -> Outcome {
    var folder = folder
    while folder.utf8.count > 1, folder.utf8.last == UInt8(ascii: "/") { folder = String(folder.dropLast()) }
    var outcome = Outcome()
    do {
      let (files, bytes) = try check(folder, &outcome)
      try send(files, bytes, &outcome)
    } catch let failure as RunFailure {
      outcome.failure = explained(failure, outcome, folder)
    }
    return outcome
  }

  private typealias File = (path: String, table: RequestFile.Table, index: Int)

  /// Checks the files in a folder.
  /// - Returns: the files with the numbers of their tables, and the total size of their puts in bytes.
  private func check(_ folder: String, _ outcome: inout Outcome) throws -> (files: [File], bytes: Int) {
    var bytes = 0
    var files: [File] = []
    for table in RequestFile.Table.allCases {
      let paths = RequestFile.paths(in: folder, table)
      var items = 0
      for path in paths {
        if Interruption.isRequested { throw Self.interrupted(folder) }
        let file = try RequestFile(path, table, user: user)
        items += file.puts.count
        if names[table] != nil { bytes += file.puts.reduce(0) { $0 + $1.json.count } }
      }
      guard let name = names[table] else {
        outcome.sessionsKept = items
        continue
      }
      if paths.isEmpty { continue }
      files += paths.map { ($0, table, outcome.tables.count) }
      outcome.tables.append(Outcome.Table(table: name, total: items))
    }
    return (files, bytes)
  }

  private func send(_ files: [File], _ bytes: Int, _ outcome: inout Outcome) throws {
    let link = link
    let watch = InterruptionWatch(grace: 5) { link.stop() }
    watch.sends()
    defer { watch.end() }
    var done = 0
    for (path, table, index) in files {
      // The file is checked again, because it may have changed.
      let file = try RequestFile(path, table, user: user)
      try send(file, to: outcome.tables[index].table) { puts in
        outcome.tables[index].items += puts.count
        done += puts.reduce(0) { $0 + $1.json.count }
        onProgress?(done, bytes, outcome.tables.reduce(0) { $0 + $1.items })
      }
    }
  }

  /// Returns a failure that also reports how many items were sent and how to send the rest.
  private func explained(_ failure: RunFailure, _ outcome: Outcome, _ folder: String) -> RunFailure {
    let isAny = outcome.tables.contains { $0.items > 0 }
    let sent =
      isAny
      ? outcome.tables.map { "\($0.items) of \($0.total) items were sent to '\($0.table)'" }.joined(separator: ", ")
      : "nothing was sent"
    if failure.status == .refused {
      return RunFailure(
        failure.status, "\(failure.message); \(sent)",
        advice: "Correct the source and write the requests to a new folder.")
    }
    let again =
      "The requests stay in '\(TerminalEscaping.escape(folder))/'. Send all of them again, which is safe, with that folder "
      + "as the source and a new folder as the target, and without --as-upload."
    return RunFailure(
      failure.status, "\(failure.message); \(sent)",
      advice: failure.advice.map { "\($0) \(again)" } ?? again)
  }

  /// Sends a request, and repeats it until all of its puts are processed.
  private func send(_ file: RequestFile, to name: String, _ report: ([RequestFile.Put]) -> Void) throws {
    var waiting = file.puts
    var failures = 0
    while true {
      if Interruption.isRequested { throw Self.interrupted(name) }
      let reason: String
      switch try link.send(waiting, of: file.table, to: name) {
      case .done(let left):
        report(waiting.filter { !left.contains($0.key) })
        let count = waiting.count
        waiting = waiting.filter { left.contains($0.key) }
        if waiting.isEmpty { return }
        failures = waiting.count < count ? 0 : failures + 1
        reason = "\(waiting.count) puts of a request were not processed"
      case .failed(let why):
        failures += 1
        reason = why
      }
      guard failures < retries.attempts else {
        throw RunFailure(
          .unreachable, "send to '\(name)': \(reason), \(failures) consecutive times", advice: "Try again later.")
      }
      try pause(retries.milliseconds(after: failures), name)
    }
  }

  private func pause(_ milliseconds: Double, _ name: String) throws {
    let end = ContinuousClock.now + .milliseconds(Int(milliseconds))
    while ContinuousClock.now < end {
      if Interruption.isRequested { throw Self.interrupted(name) }
      usleep(10_000)
    }
  }

  private static func interrupted(_ name: String) -> RunFailure {
    RunFailure(.interrupted, "send to '\(name)': interrupted")
  }
}

/// A connection to DynamoDB, which signs requests and interprets responses.
///
/// - Source: DynamoDB developer guide, "DynamoDB low-level API" and "Error handling"
private final class DynamoDBLink: Sendable {
  /// The outcome of a request.
  enum Answer {
    /// All puts were processed, except those with these keys.
    case done(left: Set<RequestFile.Key>)
    /// The request failed for this reason and can be sent again.
    case failed(String)
  }

  private let address: RegistryAddress
  private let transport: HTTPTransport
  private let signature: AWSSignature
  private let credentials: AWSSignature.Credentials
  /// Whether the address has responded before.
  private let hasAnswered = Atomic<Bool>(false)

  /// Reads the credentials and the region from environment variables.
  init(_ address: RegistryAddress, environment: [String: String]) throws {
    self.address = address
    let value = { (name: String) in environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    let host = Self.host(address)
    guard let region = value("AWS_REGION") ?? value("AWS_DEFAULT_REGION") ?? Self.region(ofHost: host) else {
      throw RunFailure(
        .usage, "send to '\(address)': the region is unknown",
        advice: "Set AWS_REGION or AWS_DEFAULT_REGION, or use an endpoint such as "
          + "https://dynamodb.us-west-2.amazonaws.com.")
    }
    guard let access = value("AWS_ACCESS_KEY_ID"), let secret = value("AWS_SECRET_ACCESS_KEY") else {
      throw RunFailure(
        .usage, "send to '\(address)': credentials are missing",
        advice: "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and AWS_SESSION_TOKEN for temporary credentials.")
    }
    let token = value("AWS_SESSION_TOKEN")
    for (name, text) in [("AWS_REGION", region), ("AWS_ACCESS_KEY_ID", access), ("AWS_SESSION_TOKEN", token ?? "-")] {
      guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ",") }) else {
        throw RunFailure(.usage, "use \(name): it has characters that cannot be sent", advice: "Correct its value.")
      }
    }
    credentials = AWSSignature.Credentials(accessKey: access, secretKey: secret, sessionToken: token)
    signature = AWSSignature(credentials, region: region, service: "dynamodb")
    var limits = HTTPLimits()
    // The response contains unprocessed puts, possibly with more escapes than in the request.
    limits.body = 3 * DynamoDBLimits.request
    transport = try HTTPTransport(
      limits: limits, userAgent: "fleetkit/\(RegistryConnection.version)", authorities: value("SSL_CERT_FILE"))
  }

  /// Stops all current transfers.
  func stop() { transport.stopAll() }

  /// Sends puts to a table.
  /// - Throws: `RunFailure` if sending again would not help.
  func send(_ puts: [RequestFile.Put], of table: RequestFile.Table, to name: String) throws -> Answer {
    let doing = "send to '\(name)'"
    do {
      let answer = try transport.send(request(RequestFile.body(puts, into: name)))
      hasAnswered.store(true, ordering: .relaxed)
      return try read(answer, to: puts, of: table, name: name)
    } catch let error as RegistryError {
      switch error {
      case .broken where Interruption.isRequested: throw RunFailure(.interrupted, "\(doing): interrupted")
      case .broken(let words), .timedOut(let words): return .failed(words)
      // An address that has never responded is probably wrong.
      case .unreachable(let words) where hasAnswered.load(ordering: .relaxed): return .failed(words)
      case .unreachable(let words):
        throw RunFailure(.unreachable, "\(doing): \(words)", advice: "Check the address in --endpoint.")
      case .insecure(let words, _):
        throw RunFailure(
          .unreachable, "\(doing): \(words)",
          advice:
            "Check the address in --endpoint. A certificate of your own must be trusted by this machine or "
            + "given in SSL_CERT_FILE.")
      case .unreadable(let words):
        throw RunFailure(
          .unreachable, "\(doing): \(words)", advice: "Check that --endpoint is the address of DynamoDB.")
      default: throw error.failure(doing)
      }
    }
  }

  private func request(_ body: [UInt8]) -> HTTPRequest {
    let time = Self.time(of: Date())
    var fields = [
      (name: "Content-Type", value: "application/x-amz-json-1.0"), ("X-Amz-Date", time),
      ("X-Amz-Target", "DynamoDB_20120810.BatchWriteItem"),
    ]
    if let token = credentials.sessionToken { fields.append(("X-Amz-Security-Token", token)) }
    let rest = address.text.drop { $0 != ":" }.dropFirst(3)
    let path = rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? "/"
    let signed = AWSSignature.Request(
      "POST", path, fields: fields + [("Host", Self.host(address))], body: body)
    fields.append(("Authorization", signature.authorization(signed, time: time)))
    let url = address.text + (path == "/" ? "/" : "")
    return HTTPRequest("POST", url, fields: fields, body: body, isDirect: address.isLoopback)
  }

  private func read(
    _ answer: HTTPAnswer, to puts: [RequestFile.Put], of table: RequestFile.Table, name: String
  ) throws -> Answer {
    let doing = "send to '\(name)'"
    let document = (try? JSONDocument(parsing: answer.body))?.root
    switch answer.status {
    case 200:
      guard let document, let left = Self.unprocessed(document, of: table, name: name),
        left.isSubset(of: puts.map(\.key))
      else {
        throw RunFailure(
          .unreachable, "\(doing): the response is not from DynamoDB",
          advice: "Check that --endpoint is the address of DynamoDB.")
      }
      return .done(left: left)
    case 300..<400:
      throw RunFailure(
        .unreachable, "\(doing): the endpoint responded with a redirect, which is not followed",
        advice: "Check the address in --endpoint.")
    default:
      let type = document?["__type"]?.string.map { String($0.split(separator: "#").last ?? "") } ?? ""
      let words = document.flatMap { $0["message"]?.string ?? $0["Message"]?.string } ?? ""
      let code = type.isEmpty ? "HTTP \(answer.status)" : type
      let message = shown(words.isEmpty ? code : "\(code): \(words)")
      if answer.status >= 500 || answer.status == 429 || Self.throttling.contains(type) { return .failed(message) }
      if Self.credentialErrors.contains(type) {
        throw RunFailure(
          .signInNeeded, "\(doing): \(message)",
          advice: "Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN and this machine's clock.")
      }
      throw RunFailure(.failed, "\(doing): \(message)")
    }
  }

  private static let throttling: Set<String> = [
    "ProvisionedThroughputExceededException", "ThrottlingException", "Throttling", "RequestLimitExceeded",
    "InternalServerError", "ServiceUnavailable",
  ]
  private static let credentialErrors: Set<String> = [
    "UnrecognizedClientException", "InvalidSignatureException", "IncompleteSignatureException",
    "IncompleteSignature", "MissingAuthenticationTokenException", "MissingAuthenticationToken", "ExpiredTokenException",
    "InvalidClientTokenId",
  ]

  /// Returns the keys of the unprocessed puts; nil if the response is not from DynamoDB.
  private static func unprocessed(
    _ answer: JSONValue, of table: RequestFile.Table, name: String
  ) -> Set<RequestFile.Key>? {
    guard let tables = answer["UnprocessedItems"], tables.kind == .object else { return nil }
    var keys: Set<RequestFile.Key> = []
    for (found, puts) in tables.members {
      guard found == name, puts.kind == .array else { return nil }
      for put in puts.elements {
        guard let item = put["PutRequest"]?["Item"], let key = RequestFile.key(of: item, table) else { return nil }
        keys.insert(key)
      }
    }
    return keys
  }

  /// Makes the server's message safe to show: removes secrets, which a response may repeat, puts the message on one
  /// line, and limits its length.
  private func shown(_ words: String) -> String {
    var text = words
    for secret in [credentials.secretKey, credentials.sessionToken ?? ""] where !secret.isEmpty {
      text = text.replacing(secret, with: "…")
    }
    let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return TerminalEscaping.escape(line.count > 300 ? line.prefix(300) + "…" : line)
  }

  /// Returns the host with its port, in the form of the `Host` header.
  private static func host(_ address: RegistryAddress) -> String {
    String(address.text.drop { $0 != ":" }.dropFirst(3).prefix { $0 != "/" })
  }

  /// Returns the region in a host such as `dynamodb.us-west-2.amazonaws.com`; nil for any other host.
  private static func region(ofHost host: String) -> String? {
    let parts = host.prefix { $0 != ":" }.split(separator: ".").map(String.init)
    guard let first = parts.first, first == "dynamodb" || first == "dynamodb-fips", parts.count >= 4,
      parts[2] == "amazonaws", parts[3] == "com"
    else { return nil }
    return parts[1]
  }

  /// Returns a time in the form `20150830T123600Z`.
  private static func time(of date: Date) -> String {
    let text = Timestamp(milliseconds: Int64(date.timeIntervalSince1970 * 1000)).wholeSeconds
    return text.filter { $0 != "-" && $0 != ":" }
  }
}

/// A file with a BatchWriteItem request, checked before it is sent.
///
/// - Source: formats/haumana.md, "Sending to DynamoDB"; DynamoDB API reference, BatchWriteItem
struct RequestFile: Sendable {
  /// Haumana's tables, which have different keys.
  enum Table: String, CaseIterable, Sendable {
    case pieces, sessions

    /// The prefix of the table's file names.
    var fileName: String { self == .pieces ? "request" : "sessions" }
    /// The key attributes: the partition key and the sort key.
    var keys: (partition: String, sort: String) { self == .pieces ? ("userId", "pieceId") : ("pk", "sk") }
  }

  /// An item's key, as UTF-8 bytes, because DynamoDB distinguishes strings that differ only in normalization.
  struct Key: Hashable, Sendable {
    let partition: [UInt8]
    let sort: [UInt8]
  }

  /// A put and its key.
  struct Put: Sendable {
    let key: Key
    /// The put's bytes in the file: `{"PutRequest":{"Item":{…}}}`.
    let json: [UInt8]
  }

  let table: Table
  let path: String
  let puts: [Put]

  /// Returns the paths of a folder's request files, in order.
  static func paths(in folder: String, _ table: Table) -> [String] {
    var paths: [String] = []
    while true {
      let path = "\(folder)/\(table.fileName)-\(paths.count + 1).json"
      guard FileManager.default.fileExists(atPath: path) else { return paths }
      paths.append(path)
    }
  }

  /// Reads a file.
  /// - Parameter user: the user that every item must belong to.
  /// - Throws: `RunFailure` with status 2 if the file cannot be read, 4 if DynamoDB would refuse the request or an item
  ///   belongs to another user.
  init(_ path: String, _ table: Table, user: String) throws {
    self.table = table
    self.path = path
    let refuse = { (why: String) in
      RunFailure(.refused, "send '\(TerminalEscaping.escape(path))': \(why)")
    }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw RunFailure(.failed, "read '\(TerminalEscaping.escape(path))': \(SystemError.last)")
    }
    let most = DynamoDBLimits.request
    guard data.count <= most else { throw refuse("it has \(data.count) bytes, but DynamoDB allows only \(most)") }
    guard let document = try? JSONDocument(parsing: Array(data)) else { throw refuse("it is not JSON") }
    let root = document.root.members
    guard root.count == 1, root[0].name == "RequestItems", root[0].value.members.count == 1,
      let list = root[0].value.members.first?.value, list.kind == .array
    else {
      throw refuse("it is not an object with RequestItems for one table")
    }
    guard (1...DynamoDBLimits.puts).contains(list.elements.count) else {
      throw refuse("it has \(list.elements.count) puts, but DynamoDB allows 1 to \(DynamoDBLimits.puts)")
    }
    var seen: Set<Key> = []
    puts = try list.elements.enumerated().map { index, element in
      func fail(_ why: String) -> RunFailure { refuse("put \(index + 1) \(why)") }
      guard element.members.count == 1, let put = element["PutRequest"], put.members.count == 1,
        let item = put["Item"], item.withNode({ HaumanaItem.isTyped($0) })
      else {
        throw fail("is not a PutRequest with an Item")
      }
      guard Set(item.members.map { Array($0.name.utf8) }).count == item.members.count else {
        throw fail("has a repeated attribute")
      }
      guard let key = Self.key(of: item, table) else {
        throw fail("does not have the table's key, \(table.keys.partition) and \(table.keys.sort)")
      }
      guard item["userId"]?["S"]?.string?.utf8.elementsEqual(user.utf8) == true else {
        throw fail("does not belong to the user given with --user")
      }
      guard seen.insert(key).inserted else { throw fail("has the same key as another put") }
      guard DynamoDBLimits.size(of: item) <= DynamoDBLimits.item else {
        throw fail("has more than \(DynamoDBLimits.item) bytes")
      }
      return Put(key: key, json: Array(element.text.utf8))
    }
  }

  /// Returns the key of a typed item; nil if it is incomplete or too long.
  static func key(of item: JSONValue, _ table: Table) -> Key? {
    guard let partition = item[table.keys.partition]?["S"]?.string, let sort = item[table.keys.sort]?["S"]?.string,
      (1...DynamoDBLimits.key.partition).contains(partition.utf8.count),
      (1...DynamoDBLimits.key.sort).contains(sort.utf8.count)
    else { return nil }
    return Key(partition: Array(partition.utf8), sort: Array(sort.utf8))
  }

  /// Returns the body of a request that writes puts to a table.
  static func body(_ puts: [Put], into table: String) -> [UInt8] {
    var body = Array("{\"RequestItems\":{\"\(table)\":[".utf8)
    for (index, put) in puts.enumerated() {
      if index > 0 { body.append(UInt8(ascii: ",")) }
      body += put.json
    }
    return body + Array("]}}".utf8)
  }
}

/// Signs AWS requests with Signature Version 4. Paths must be sent exactly as they are signed, without a query.
///
/// - Source: AWS General Reference, "Signature Version 4 signing process"
package struct AWSSignature: Sendable {
  /// The signer's credentials.
  package struct Credentials: Sendable {
    /// The id of the access key, which is sent with each request.
    package var accessKey: String
    /// The secret key, which is never sent.
    package var secretKey: String
    /// The session token of temporary credentials, which is sent with each request; nil for permanent credentials.
    package var sessionToken: String?

    /// Creates credentials.
    package init(accessKey: String, secretKey: String, sessionToken: String? = nil) {
      self.accessKey = accessKey
      self.secretKey = secretKey
      self.sessionToken = sessionToken
    }
  }

  /// The request to be signed.
  package struct Request: Sendable {
    /// The HTTP method, such as `POST`.
    package var method: String
    /// The path as it is sent, such as `/`.
    package var path: String
    /// All header fields that are signed, including `Host` and `X-Amz-Date`.
    package var fields: [(name: String, value: String)]
    /// The body, which may be empty.
    package var body: [UInt8]

    /// Creates a request.
    package init(_ method: String, _ path: String, fields: [(name: String, value: String)], body: [UInt8]) {
      self.method = method
      self.path = path
      self.fields = fields
      self.body = body
    }
  }

  private let credentials: Credentials
  private let region: String
  private let service: String

  /// Prepares signatures for a service in a region.
  package init(_ credentials: Credentials, region: String, service: String) {
    self.credentials = credentials
    self.region = region
    self.service = service
  }

  /// Returns the value of the `Authorization` header.
  /// - Parameter time: the value of `X-Amz-Date`, such as `20150830T123600Z`.
  package func authorization(_ request: Request, time: String) -> String {
    let scope = scope(time)
    var key = Array("AWS4\(credentials.secretKey)".utf8)
    for part in scope.split(separator: "/") { key = Self.hmac(Array(part.utf8), key: key) }
    let signature = Self.hmac(Array(stringToSign(request, time: time).utf8), key: key)
    return "AWS4-HMAC-SHA256 Credential=\(credentials.accessKey)/\(scope), "
      + "SignedHeaders=\(Self.signedNames(request)), Signature=\(Digest.hex(signature))"
  }

  /// Returns the string that is signed.
  package func stringToSign(_ request: Request, time: String) -> String {
    "AWS4-HMAC-SHA256\n\(time)\n\(scope(time))\n\(Self.hash(Array(Self.canonical(request).utf8)))"
  }

  /// Returns the request in the canonical form that AWS uses to check the signature.
  package static func canonical(_ request: Request) -> String {
    let fields = byName(request).map { "\($0.name):\($0.values.joined(separator: ","))\n" }.joined()
    return "\(request.method)\n\(request.path)\n\n\(fields)\n\(signedNames(request))\n\(hash(request.body))"
  }

  private func scope(_ time: String) -> String { "\(time.prefix(8))/\(region)/\(service)/aws4_request" }

  private static func signedNames(_ request: Request) -> String {
    byName(request).map(\.name).joined(separator: ";")
  }

  /// Returns the fields, sorted by name. Fields with the same name keep their order.
  private static func byName(_ request: Request) -> [(name: String, values: [String])] {
    var values: [String: [String]] = [:]
    for field in request.fields {
      let words = field.value.split { $0 == " " || $0 == "\t" || $0 == "\n" || $0 == "\r\n" }
      values[field.name.lowercased(), default: []].append(words.joined(separator: " "))
    }
    return values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { ($0.key, $0.value) }
  }

  private static func hash(_ bytes: [UInt8]) -> String { Digest.hex(Digest.sha256(bytes.span)) }

  /// Computes an HMAC with SHA-256.
  ///
  /// - Source: RFC 2104
  static func hmac(_ text: [UInt8], key: [UInt8]) -> [UInt8] {
    let block = 64
    let short = key.count > block ? Digest.sha256(key.span) : key
    let full = short + [UInt8](repeating: 0, count: block - short.count)
    let inner = Digest.sha256((full.map { $0 ^ 0x36 } + text).span)
    return Digest.sha256((full.map { $0 ^ 0x5C } + inner).span)
  }
}
