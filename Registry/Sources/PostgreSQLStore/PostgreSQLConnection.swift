import CPostgreSQL
import Content
import Foundation
import RegistryModel
import RegistryStore

/// A connection to a PostgreSQL server, used by one thread at a time.
///
/// Values travel in PostgreSQL's binary form; a user's text is only ever a parameter.
final class PostgreSQLConnection {
  private let connection: OpaquePointer
  /// The names of the prepared statements, by their SQL.
  private var statements: [String: String] = [:]
  /// The most statements that are kept; the server needs a few kilobytes for each.
  private static let mostStatements = 256

  /// Connects; the address may name several servers.
  /// - Parameters:
  ///   - address: `postgresql://user:password@host:port/database?sslmode=verify-full`, or libpq's `key=value` form.
  ///   - session: the settings of the session, each as in a SET command.
  /// - Throws: `PostgreSQLError`.
  init(_ address: String, session: [String], isWritable: Bool) throws {
    // Values before the address are defaults, which it can change.
    let settings: [(String, String)] = [
      ("connect_timeout", "5"), ("tcp_user_timeout", "10000"), ("keepalives_idle", "30"),
      ("keepalives_interval", "5"), ("keepalives_count", "3"),
      ("target_session_attrs", isWritable ? "read-write" : "any"), ("dbname", address),
      ("client_encoding", "UTF8"), ("fallback_application_name", "fleetkit-registry"),
    ]
    let names = settings.map { strdup($0.0) } + [nil]
    let values = settings.map { strdup($0.1) } + [nil]
    defer { for text in names + values { free(text) } }
    let opened = names.map { UnsafePointer($0) }.withUnsafeBufferPointer { names in
      values.map { UnsafePointer($0) }.withUnsafeBufferPointer { values in
        PQconnectdbParams(names.baseAddress, values.baseAddress, 1)
      }
    }
    guard let opened else { throw PostgreSQLError.outOfMemory }
    // From here on, an error ends the connection through `deinit`.
    connection = opened
    guard PQstatus(connection) == CONNECTION_OK else { throw lastError().ofConnecting }
    // Notices of the server are not errors, and libpq would print them.
    PQsetNoticeReceiver(connection, { _, _ in }, nil)
    try run(session.map { "SET \($0)" }.joined(separator: "; "))
  }

  /// Ends the connection.
  deinit { PQfinish(connection) }

  /// Whether the server can still be reached, as far as is known.
  var isAlive: Bool { PQstatus(connection) == CONNECTION_OK }

  /// Whether a transaction is open.
  var isInTransaction: Bool { PQtransactionStatus(connection) != PQTRANS_IDLE }

  /// The error of the connection.
  private func lastError() -> PostgreSQLError {
    PostgreSQLError(
      state: "08006",
      message: String(cString: PQerrorMessage(connection)).trimmingCharacters(in: .whitespacesAndNewlines))
  }

  /// Runs statements without parameters and without a result.
  func run(_ sql: String) throws { _ = try checked(PQexec(connection, sql)) }

  /// Runs a statement; it is prepared at its first use.
  /// - Parameter isPlannedForValues: whether the server plans the statement for these values, because the best plan
  ///   depends on them; the statement is not kept then.
  @discardableResult
  func query(
    _ sql: String, _ parameters: [PostgreSQLValue] = [], isPlannedForValues: Bool = false
  ) throws -> PostgreSQLRows {
    let name = isPlannedForValues ? nil : try statement(sql, parameters)
    var bytes: [UInt8] = []
    var ranges: [Range<Int>?] = []
    for parameter in parameters {
      let start = bytes.count
      ranges.append(parameter.write(into: &bytes) ? start..<bytes.count : nil)
    }
    // An empty value needs a pointer, because nil is NULL.
    if bytes.isEmpty { bytes.append(0) }
    let lengths = ranges.map { Int32($0?.count ?? 0) }
    let formats = [Int32](repeating: 1, count: parameters.count)
    let result = bytes.withUnsafeBytes { bytes in
      let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      let values = ranges.map { range in range.flatMap { range in start.map { $0 + range.lowerBound } } }
      guard let name else {
        let types = parameters.map { Oid($0.type) }
        return PQexecParams(connection, sql, Int32(parameters.count), types, values, lengths, formats, 1)
      }
      return PQexecPrepared(connection, name, Int32(parameters.count), values, lengths, formats, 1)
    }
    return try checked(result)
  }

  /// Whether a query has a row.
  func has(_ sql: String, _ parameters: [PostgreSQLValue]) throws -> Bool {
    try query(sql, parameters).count > 0
  }

  private func statement(_ sql: String, _ parameters: [PostgreSQLValue]) throws -> String {
    if let known = statements[sql] { return known }
    if statements.count >= Self.mostStatements {
      try run("DEALLOCATE ALL")
      statements = [:]
    }
    let name = "s\(statements.count)"
    let types = parameters.map { Oid($0.type) }
    _ = try checked(PQprepare(connection, name, sql, Int32(types.count), types))
    statements[sql] = name
    return name
  }

  private func checked(_ result: OpaquePointer?) throws -> PostgreSQLRows {
    guard let result else { throw isAlive ? PostgreSQLError.outOfMemory : lastError() }
    let rows = PostgreSQLRows(result)
    switch PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_EMPTY_QUERY: return rows
    default:
      guard let state = PQresultErrorField(result, Int32(UInt8(ascii: "C"))) else { throw lastError() }
      let message = PQresultErrorField(result, Int32(UInt8(ascii: "M"))).map { String(cString: $0) }
      throw PostgreSQLError(state: String(cString: state), message: message ?? "it failed")
    }
  }

  /// Sends the data of a COPY statement.
  /// - Parameter sql: the statement, `COPY … FROM STDIN`.
  func copy(_ sql: String, _ data: [UInt8]) throws {
    try run(sql)
    let sent = data.withUnsafeBytes { data in
      // libpq takes at most 2 GB at a time.
      stride(from: 0, to: data.count, by: 1 << 24).allSatisfy { start in
        let part = UnsafeRawBufferPointer(rebasing: data[start..<min(start + 1 << 24, data.count)])
        return PQputCopyData(connection, part.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(part.count)) == 1
      }
    }
    guard sent, PQputCopyEnd(connection, nil) == 1 else { throw lastError() }
    var failure: (any Error)?
    while let result = PQgetResult(connection) {
      do { _ = try checked(result) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }
}

/// An error of the server or of the connection to it.
struct PostgreSQLError: Error, Equatable {
  /// The SQLSTATE, 5 characters.
  let state: String
  /// The message without its details, which may contain values.
  let message: String

  static let outOfMemory = PostgreSQLError(state: "53200", message: "out of memory")

  /// The same error with the SQLSTATE that libpq does not pass on when a connection is refused.
  fileprivate var ofConnecting: PostgreSQLError {
    let states = [
      ("password", "28P01"), ("pg_hba.conf", "28000"), ("role \"", "28000"), ("database \"", "3D000"),
      ("too many", "53300"),
    ]
    let found = message.contains("FATAL") ? states.first { message.contains($0.0) } : nil
    return PostgreSQLError(
      state: found?.1 ?? (message.contains("password supplied") ? "28P01" : state), message: message)
  }

  /// Whether the connection is lost, or the server is stopping, starting, only readable, or has no connection left:
  /// another attempt on a new connection may succeed.
  var isOfConnection: Bool {
    state.hasPrefix("08") || state.hasPrefix("57P") || state == "25006" || state == "53300"
  }

  /// Whether the transaction met another one, and succeeds if it is repeated.
  var isOfConcurrency: Bool { state == "40001" || state == "40P01" }
}

/// The result of a statement.
final class PostgreSQLRows {
  private let result: OpaquePointer

  fileprivate init(_ result: OpaquePointer) { self.result = result }

  deinit { PQclear(result) }

  /// The number of rows.
  var count: Int { Int(PQntuples(result)) }

  /// The number of rows that a statement changed.
  var changed: Int { Int(String(cString: PQcmdTuples(result))) ?? 0 }

  /// Calls `body` with the bytes of a value; returns nil if the value is NULL or does not exist.
  private func value<Result>(_ row: Int, _ column: Int, _ body: (Span<UInt8>) -> Result?) -> Result? {
    let (row, column) = (Int32(row), Int32(column))
    guard row < PQntuples(result), column < PQnfields(result), PQgetisnull(result, row, column) == 0,
      let start = PQgetvalue(result, row, column)
    else { return nil }
    let bytes = UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, row, column)))
    return body(bytes.assumingMemoryBound(to: UInt8.self).span)
  }

  /// The bytes of a `bytea` value.
  func bytes(_ row: Int, _ column: Int) -> [UInt8]? { value(row, column) { $0.withUnsafeBufferPointer { Array($0) } } }

  /// A `text` value.
  func text(_ row: Int, _ column: Int) -> String? {
    value(row, column) { $0.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } }
  }

  /// An integer of 2, 4 or 8 bytes.
  func integer(_ row: Int, _ column: Int) -> Int64? { value(row, column, Self.integer) }

  private static func integer(_ bytes: Span<UInt8>) -> Int64? {
    guard bytes.count == 8 || bytes.count == 4 || bytes.count == 2 else { return nil }
    var number: Int64 = bytes[0] & 0x80 == 0 ? 0 : -1
    for index in 0..<bytes.count { number = number << 8 | Int64(bytes[index]) }
    return number
  }

  /// A `boolean` value.
  func truth(_ row: Int, _ column: Int) -> Bool? { value(row, column) { $0.count == 1 ? $0[0] != 0 : nil } }

  /// A `timestamptz` value: microseconds since 2000.
  func time(_ row: Int, _ column: Int) -> Timestamp? {
    integer(row, column).map { Timestamp(milliseconds: $0 / 1000 + PostgreSQLValue.epoch) }
  }

  /// A `uuid` value.
  func id(_ row: Int, _ column: Int) -> RegistryID? {
    value(row, column) { bytes in
      guard bytes.count == 16 else { return nil }
      var words: (high: UInt64, low: UInt64) = (0, 0)
      for index in 0..<8 {
        words.high = words.high << 8 | UInt64(bytes[index])
        words.low = words.low << 8 | UInt64(bytes[index + 8])
      }
      return RegistryID(high: words.high, low: words.low)
    }
  }

  /// A `text[]` value of one dimension.
  func texts(_ row: Int, _ column: Int) -> [String]? {
    array(row, column) { $0.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } }
  }

  /// A `bigint[]` value of one dimension.
  func integers(_ row: Int, _ column: Int) -> [Int64]? { array(row, column, Self.integer) }

  private func array<Element>(_ row: Int, _ column: Int, _ read: (Span<UInt8>) -> Element?) -> [Element]? {
    value(row, column) { bytes in
      func number(_ at: Int) -> Int? {
        at + 4 <= bytes.count ? Self.integer(bytes.extracting(at..<at + 4)).map(Int.init) : nil
      }
      guard let dimensions = number(0), dimensions <= 1 else { return nil }
      guard dimensions == 1 else { return [] }
      guard let count = number(12), count >= 0 else { return nil }
      var at = 20
      var elements: [Element] = []
      for _ in 0..<count {
        guard let length = number(at), length >= 0, at + 4 + length <= bytes.count,
          let element = read(bytes.extracting(at + 4..<at + 4 + length))
        else { return nil }
        elements.append(element)
        at += 4 + length
      }
      return elements
    }
  }
}

/// A value for a statement, in PostgreSQL's binary form.
enum PostgreSQLValue {
  case text(String?)
  case texts([String]?)
  case bytes([UInt8]?)
  /// JSON text for a `jsonb` column.
  case json([UInt8]?)
  case integer(Int64?)
  case truth(Bool)
  case time(Timestamp?)
  case id(RegistryID?)
  case ids([RegistryID])
  case integers([Int64])

  /// 2000-01-01 in milliseconds since 1970.
  static let epoch: Int64 = 946_684_800_000

  /// The object id of the type, as in pg_type.h.
  var type: UInt32 {
    switch self {
    case .text: 25
    case .texts: 1009
    case .bytes: 17
    case .json: 3802
    case .integer: 20
    case .truth: 16
    case .time: 1184
    case .id: 2950
    case .ids: 2951
    case .integers: 1016
    }
  }

  /// Appends the value; returns false for NULL.
  func write(into bytes: inout [UInt8]) -> Bool {
    switch self {
    case .text(nil), .texts(nil), .bytes(nil), .json(nil), .integer(nil), .time(nil), .id(nil): return false
    case .text(let text?): bytes.append(contentsOf: text.utf8)
    case .texts(let texts?): Self.array(of: 25, texts, into: &bytes) { $1.append(contentsOf: $0.utf8) }
    case .bytes(let value?): bytes.append(contentsOf: value)
    case .json(let text?):
      bytes.append(1)
      bytes.append(contentsOf: text)
    case .integer(let number?): Self.append(number, to: &bytes)
    case .truth(let isTrue): bytes.append(isTrue ? 1 : 0)
    case .time(let time?): Self.append(Self.microseconds(time), to: &bytes)
    case .id(let id?): return Self.append(id, to: &bytes)
    case .ids(let ids): Self.array(of: 2950, ids, into: &bytes) { _ = Self.append($0, to: &$1) }
    case .integers(let numbers): Self.array(of: 20, numbers, into: &bytes) { Self.append($0, to: &$1) }
    }
    return true
  }

  /// Returns a time as PostgreSQL stores it. Times that it cannot store, before 4713 BC and after 294276 AD, are
  /// replaced by the nearest one that it can.
  private static func microseconds(_ time: Timestamp) -> Int64 {
    min(max(time.milliseconds - epoch, -210_000_000_000_000), 9_220_000_000_000_000) * 1000
  }

  private static func append<Number: FixedWidthInteger>(_ number: Number, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// Appends an id; returns false, for NULL, if it is not a UUID, which no row has.
  private static func append(_ id: RegistryID, to bytes: inout [UInt8]) -> Bool {
    guard let parsed = UUID(uuidString: id.text) else { return false }
    withUnsafeBytes(of: parsed.uuid) { bytes.append(contentsOf: $0) }
    return true
  }

  private static func array<Element>(
    of type: Int32, _ elements: [Element], into bytes: inout [UInt8], _ write: (Element, inout [UInt8]) -> Void
  ) {
    append(Int32(elements.isEmpty ? 0 : 1), to: &bytes)
    append(Int32(0), to: &bytes)
    append(type, to: &bytes)
    if elements.isEmpty { return }
    append(Int32(elements.count), to: &bytes)
    append(Int32(1), to: &bytes)
    for element in elements {
      var value: [UInt8] = []
      write(element, &value)
      append(Int32(value.count), to: &bytes)
      bytes.append(contentsOf: value)
    }
  }
}
