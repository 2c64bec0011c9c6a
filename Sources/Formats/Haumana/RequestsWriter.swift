import Content
import Diagnostics
import Foundation
import Interchange
import JSONText

/// Writes BatchWriteItem requests to a folder. Pieces are written to `request-1.json` and the following files, practice
/// sessions to `sessions-1.json` and the following files.
///
/// A request has at most 25 puts, which is DynamoDB's limit. Rows are written unchanged, or as the app's upload would
/// write them. The folder gets its final name when all files are complete.
///
/// - Source: formats/haumana.md, "What is written"; DynamoDB API reference, BatchWriteItem
final class RequestsWriter: ContentWriter {
  private let context: RunContext
  private let isUpload: Bool
  private let folder: StagedFolder
  private var pieces = Requests(table: "haumana-pieces", name: "request")
  private var sessions = Requests(table: "haumana-sessions", name: "sessions")
  private var tape = JSONTape(capacity: 1024)
  private var size = 0

  /// The puts for one table that have not been written yet.
  private struct Requests: ~Copyable {
    let table: String
    let name: String
    var json = ByteBuffer(capacity: 1 << 16)
    var count = 0
    var written = 0

    init(table: String, name: String) {
      self.table = table
      self.name = name
    }
  }

  init(_ target: Target, context: RunContext) throws {
    guard target.path.hasSuffix("/") || target.isFolder else {
      throw RunFailure(
        .usage, "write '\(target.path)': requests are written to a folder",
        advice: "Specify a folder, such as '\(target.path)/'.")
    }
    self.context = context
    isUpload = target.asUpload
    folder = try StagedFolder(target)
  }

  func write(_ batch: RecordBatch, tally: inout Tally, rejects: RejectsWriter) throws {
    for record in batch.records {
      let made = try record.withNode { try item(of: $0, record.kind) } ?? .nothing
      if case .unusable(let code, let message) = made {
        try rejects.add(record, code, message, &tally, context)
        continue
      }
      guard case .item(let item) = made else {
        let reason = SkipReason.notInApp("Haumana", has: "texts to practise and practice sessions")
        context.losses.record(record.kind, id: record.id, field: "", reason: .skipped(reason))
        tally[record.kind].skipped[reason, default: 0] += 1
        continue
      }
      if let problem = problem(of: item) {
        try rejects.add(record, problem.code, problem.message, &tally, context)
        continue
      }
      if record.kind == .item { try append(item, to: &pieces) } else { try append(item, to: &sessions) }
      tally[record.kind].created += 1
    }
  }

  func prepare(tally: inout Tally, rejects: RejectsWriter) throws {
    try flush(&pieces)
    try flush(&sessions)
    guard pieces.written + sessions.written > 0 else {
      throw RunFailure(
        .refused, "write requests: the source has neither pieces nor practice sessions; nothing was written",
        advice: "'fleetkit list' shows the source's content.")
    }
  }

  func finish() throws -> Int {
    try folder.publish()
    return size
  }

  func abort() { folder.discard() }

  // MARK: Items

  /// The result of converting a record.
  private enum Made {
    case item([UInt8])
    /// The record cannot be written as the app's upload would write it.
    case unusable(DiagnosticCode, String)
    /// The tables have no items for this kind of record.
    case nothing
  }

  /// Returns a record as a DynamoDB item with its keys.
  private func item(of record: JSONNode, _ kind: RecordKind) throws -> Made {
    var plain = ByteBuffer(capacity: 4096)
    switch kind {
    case .item where record.member("content_type")?.equals("practice_guide") == true:
      var piece = HaumanaPiece(record)
      piece.reportLosses(record, to: context.losses)
      if record.member("extras")?.member("haumana_phone") != nil {
        context.losses.record(
          .item, id: record.member("id")?.string ?? "", field: "/extras/haumana_phone",
          reason: .skipped(.notInApp("Haumana's cloud", has: "no data of the phone")))
      }
      if isUpload, !piece.markUploaded(at: context.now) {
        return .unusable(.brokenItem, "its version is not an integer that can be increased")
      }
      piece.write(into: &plain, isForCloud: true)
    case .practiceSession: HaumanaSession.write(record, into: &plain)
    default: return .nothing
    }
    tape.removeAll()
    guard let parse = try? tape.parse(plain.bytes.span) else {
      throw RunFailure(.internalError, "an item is not JSON", advice: "Please report this.")
    }
    let object = JSONNode(text: plain.start, tokens: tape.tokens, index: parse.root)
    let user = object.member("userId")?.string.flatMap { $0.isEmpty ? nil : $0 } ?? context.reading.user
    var out = ByteBuffer(capacity: plain.count + 512)
    TypedValue.append(item: object, into: &out)
    func add(_ name: String, _ value: String?) {
      guard let value, object.member(named: name)?.isNull ?? true else { return }
      out.truncate(to: out.count - 1)
      if out.count > 1 { out.append(UInt8(ascii: ",")) }
      out.appendJSONString(name)
      out.append(":{\"S\":")
      out.appendJSONString(value)
      out.append("}}")
    }
    add("userId", user)
    if kind == .practiceSession {
      let start = object.member("startedAt")?.string ?? ""
      add("pk", user.map { "USER#\($0)" })
      add("sk", object.member("sessionId")?.string.map { "SESSION#\(start)#\($0)" })
    }
    return .item(out.copy(0..<out.count))
  }

  /// Returns the reason why DynamoDB would refuse an item; nil if DynamoDB would accept it.
  private func problem(of item: [UInt8]) -> (code: DiagnosticCode, message: String)? {
    guard let document = try? JSONDocument(parsing: item) else { return nil }
    if document.root["userId"] == nil { return (.itemWithoutUser, "it has no user, and --user is not given") }
    let (bytes, most) = (DynamoDBLimits.size(of: document.root), DynamoDBLimits.item)
    return bytes > most ? (.largeItem, "it has \(bytes) bytes, but DynamoDB allows only \(most)") : nil
  }

  // MARK: Requests

  private func append(_ item: [UInt8], to requests: inout Requests) throws {
    if requests.count > 0 { requests.json.append(UInt8(ascii: ",")) }
    requests.json.append("{\"PutRequest\":{\"Item\":")
    requests.json.append(item.span)
    requests.json.append("}}")
    requests.count += 1
    if requests.count == DynamoDBLimits.puts { try flush(&requests) }
  }

  private func flush(_ requests: inout Requests) throws {
    guard requests.count > 0 else { return }
    requests.written += 1
    let file = try AtomicFile("\(folder.path)/\(requests.name)-\(requests.written).json", overwrites: false)
    let sink = ByteSink(descriptor: file.descriptor, name: requests.name)
    try sink.write("{\"RequestItems\":{\"\(requests.table)\":[")
    try sink.write(requests.json.bytes.span)
    try sink.write("]}}\n")
    try sink.flush()
    size += try file.publish()
    requests.json.removeAll()
    requests.count = 0
  }
}

/// DynamoDB's limits.
///
/// - Source: DynamoDB developer guide, "Quotas"; API reference, BatchWriteItem
enum DynamoDBLimits {
  /// The maximum number of puts in a request.
  static let puts = 25
  /// The maximum size of an item in bytes.
  static let item = 400 << 10
  /// The maximum size of a request in bytes.
  static let request = 16 << 20
  /// The maximum sizes of the two parts of a key in bytes.
  static let key = (partition: 2048, sort: 1024)

  /// Returns an upper bound for the size of an item as DynamoDB counts it.
  static func size(of item: JSONValue) -> Int {
    // Type names and quotes are not counted. All other JSON is at least as long as the size that DynamoDB counts.
    item.members.reduce(0) { sum, member in
      sum + member.name.utf8.count + (member.value["S"]?.string?.utf8.count ?? member.value.text.utf8.count)
    }
  }
}
