import Content
import Diagnostics
import Foundation
import Interchange
import JSONText

/// Decides what becomes of every row of a dump, by the migration rule of the product document.
///
/// Memory is bounded by the number of objects, not by what else is in their rows.
///
/// - Source: formats/chravel.md, "The rule"
struct ChravelMigration {
  /// What became of a row.
  enum Outcome: String, CaseIterable, Sendable {
    case synced, pending, loser, duplicate, expired, rejected, unknown, list
    case noHome = "no-home"
    case pendingTwin = "pending-twin"
    case keptThoughExpired = "expired-kept"
  }

  /// Where an object comes from: a row, or an object inside one.
  struct Origin: Sendable {
    /// `cache`, or `overview-item` and `cache-list` for an object inside a row.
    let store: String
    let key: String
    let element: Int
  }

  /// An object that arrives.
  struct Arrival: Sendable {
    var entity: ChravelEntity
    var origin: Origin
    /// The operations that were applied to it.
    var operations: [Origin] = []
  }

  /// A row that AnyFleet and the phone's model have no place for, or that cannot be used.
  struct Leftover: Sendable {
    let origin: Origin
    let outcome: Outcome
    let reason: String
    /// Where the reason is, in the row.
    let member: String?
  }

  private(set) var arrivals: [Arrival] = []
  private(set) var leftovers: [Leftover] = []
  /// How many rows of each store came to which end.
  private(set) var outcomes: [String: [Outcome: Int]] = [:]

  private let dump: ChravelDump
  private let now: Timestamp
  private let report: (DiagnosticCode, String, Origin, String?) -> Void
  /// The arrivals by what they are states of.
  private var known: [Identity: Int] = [:]
  /// Rows that are too old, unless an operation needs them.
  private var expired: [Identity: (arrival: Arrival, reason: String, member: String)] = [:]
  /// The ids that queued operations change.
  private var wanted: Set<String> = []
  /// The ids of messages from the server, by the names that their temporary copies share with them.
  private var serverIDs: [String: String] = [:]
  private var trips: [String: String] = [:]
  private var queuedClientIDs: Set<String> = []
  /// The days that the cache keeps, in milliseconds.
  private static let month: Int64 = 30 * 24 * 3600 * 1000
  /// How many operations are applied at once, as the document has it.
  private static let batch = 20

  private static let kinds: [String: ChravelEntity.Kind] = [
    "chat_message": .message, "task": .task, "trip_tasks": .task, "calendar_event": .event,
  ]
  private static let withoutEntity: Set<String> = [
    "trip_polls", "trip_links", "trip_media", "trip_files", "trip_basecamp",
  ]

  /// Decides.
  /// - Parameter report: gets each finding with the row that it is of, and a member of that.
  init(
    _ dump: ChravelDump, now: Timestamp, report: @escaping (DiagnosticCode, String, Origin, String?) -> Void
  ) throws {
    self.dump = dump
    self.now = now
    self.report = report
    var queued: [ChravelStore: [Int]] = [:]
    for (number, element) in dump.elements.enumerated() {
      if let store = element.store {
        queued[store, default: []].append(number)
      } else {
        leave(origin(number, "#\(element.index)", "other"), .unknown, "it is in a store that FleetKit does not know")
      }
    }
    let operations = operations(queued[.syncQueue] ?? [])
    let twins = Set(operations.map(\.origin.key))
    wanted = Set(operations.compactMap { $0.isCreate ? nil : $0.entity })
    try takeMessages(queued[.messages] ?? [], twins)
    for number in queued[.cache] ?? [] { try takeCached(number) }
    for number in queued[.tripOverview] ?? [] { try takeOverview(number) }
    for start in stride(from: 0, to: operations.count, by: Self.batch) {
      try Interruption.check()
      for operation in operations[start..<min(start + Self.batch, operations.count)] { apply(operation) }
    }
    for number in queued[.queue] ?? [] { try takeQueued(number) }
    for old in expired.values.sorted(by: { $0.arrival.origin.element < $1.arrival.origin.element }) {
      leave(old.arrival.origin, .expired, old.reason, old.member)
    }
    for arrival in arrivals {
      let isKept = keptThoughExpired.contains(identity(arrival.entity))
      let isOperation = [ChravelStore.syncQueue.rawValue, ChravelStore.queue.rawValue].contains(arrival.origin.store)
      count(arrival.origin.store, isKept ? .keptThoughExpired : isOperation ? .pending : .synced)
      if let statuses = arrival.entity.statuses {
        report(
          .completedByRule,
          "\(statuses.isPoll ? "the poll counts as done if all have done it" : "the task counts as done if the first has done it"): "
            + "first \(statuses.first), all \(statuses.all), any \(statuses.any)",
          arrival.origin, nil)
      }
    }
    arrivals.sort { ($0.entity.kind.rawValue, $0.entity.id) < ($1.entity.kind.rawValue, $1.entity.id) }
  }

  // MARK: Rows

  private func origin(_ element: Int, _ key: String?, _ store: String? = nil) -> Origin {
    let found = dump.elements[element]
    return Origin(
      store: store ?? found.store?.rawValue ?? "other", key: key ?? "#\(found.index)", element: element)
  }

  /// Reads a row; nil, and a leftover, if it is not an object.
  private mutating func row(_ number: Int) -> ChravelRow? {
    do throws(JSONError) {
      let row = try dump.row(dump.elements[number])
      if row.isObject { return row }
      leave(origin(number, row.key), .rejected, "the row is not an object")
    } catch {
      leave(origin(number, nil), .rejected, "the row is not JSON: \(error.message)")
    }
    return nil
  }

  private mutating func count(_ store: String, _ outcome: Outcome) {
    outcomes[store, default: [:]][outcome, default: 0] += 1
  }

  private mutating func leave(_ origin: Origin, _ outcome: Outcome, _ reason: String, _ member: String? = nil) {
    count(origin.store, outcome)
    // Of the others there may be many, and the finding is all that is kept of them.
    if [.rejected, .noHome, .unknown].contains(outcome) {
      leftovers.append(Leftover(origin: origin, outcome: outcome, reason: reason, member: member))
    }
    let code: DiagnosticCode? =
      switch outcome {
      case .expired: .expiredRow
      case .duplicate: .duplicateRow
      case .noHome: .rowWithoutHome
      case .unknown: .unknownType
      default: nil
      }
    if let code { report(code, reason, origin, member) }
  }

  /// What an object is, whatever its state.
  private struct Identity: Hashable {
    let kind: ChravelEntity.Kind
    let id: String
  }

  private func identity(_ entity: ChravelEntity) -> Identity { Identity(kind: entity.kind, id: entity.id) }

  /// Takes an object in, unless a newer state of it is there; if both are equal, the one that is there stays.
  private mutating func take(_ entity: ChravelEntity, _ origin: Origin) {
    var entity = entity
    // Many objects share few of them.
    entity.trip = trips[entity.trip, default: entity.trip]
    trips[entity.trip] = entity.trip
    let identity = identity(entity)
    guard let index = known[identity] else {
      known[identity] = arrivals.count
      arrivals.append(Arrival(entity: entity, origin: origin))
      return
    }
    let old = arrivals[index]
    let isNewer = entity.isNewer(than: old.entity)
    if isNewer { arrivals[index] = Arrival(entity: entity, origin: origin) }
    let (winner, loser) = isNewer ? (origin, old.origin) : (old.origin, origin)
    leave(loser, .loser, "another state of the \(entity.kind.rawValue) is newer")
    report(
      .olderState,
      "\(entity.kind.rawValue) \(entity.id): \(winner.store) '\(winner.key)' has version "
        + "\(isNewer ? entity.version : old.entity.version), this one has "
        + "\(isNewer ? old.entity.version : entity.version)", loser, nil)
  }

  /// Leaves an object out that is too old, unless an operation could need it.
  private mutating func expire(_ entity: ChravelEntity, _ origin: Origin, _ reason: String, _ member: String) {
    let identity = identity(entity)
    if wanted.contains(entity.id), expired[identity] == nil, known[identity] == nil {
      expired[identity] = (Arrival(entity: entity, origin: origin), reason, member)
    } else {
      leave(origin, .expired, reason, member)
    }
  }

  // MARK: Messages

  /// Takes messages: those that were made on the device last, when it is known which of them the server has.
  private mutating func takeMessages(_ numbers: [Int], _ twins: Set<String>) throws {
    var temporary: [Int] = []
    for number in numbers {
      try Interruption.check()
      guard let row = row(number) else { continue }
      if row.text("id")?.hasPrefix("sync_") ?? false {
        temporary.append(number)
      } else {
        takeMessage(row, number, twins)
      }
    }
    if temporary.isEmpty { return }
    let names = Set(temporary.compactMap { (try? dump.row(dump.elements[$0]))?.text("client_message_id") })
    for number in numbers {
      guard let row = try? dump.row(dump.elements[number]), row.isObject, let id = row.text("id"),
        !id.hasPrefix("sync_"), let name = row.text("client_message_id"), names.contains(name)
      else { continue }
      if known[Identity(kind: .message, id: id)] != nil { serverIDs[name] = id }
    }
    for number in temporary {
      if let row = row(number) { takeMessage(row, number, twins) }
    }
  }

  private mutating func takeMessage(_ row: ChravelRow, _ number: Int, _ twins: Set<String>) {
    let origin = origin(number, row.text("id") ?? row.key)
    do throws(ChravelEntity.Problem) {
      let entity = try ChravelEntity(.message, row)
      if twins.contains(entity.id) {
        count(origin.store, .pendingTwin)
        twinTimes[entity.id] = (entity.created, entity.updated)
        return
      }
      if let created = entity.created, created.milliseconds < now.milliseconds - Self.month {
        return expire(entity, origin, "created_at is more than 30 days before now", "created_at")
      }
      if entity.id.hasPrefix("sync_"), let name = row.text("client_message_id"), let server = serverIDs[name] {
        return leave(origin, .duplicate, "temporary copy of \(server)")
      }
      take(entity, origin)
    } catch {
      leave(origin, .rejected, error.message, error.member)
    }
  }

  /// The times of messages whose operations are still queued.
  private var twinTimes: [String: (created: Timestamp?, updated: Timestamp?)] = [:]

  // MARK: The cache

  private func isExpired(_ time: Int64) -> Bool { now.milliseconds - time >= Self.month }

  private mutating func takeCached(_ number: Int) throws {
    try Interruption.check()
    guard let row = row(number) else { return }
    guard let key = row.text("id") ?? row.key else {
      return leave(origin(number, nil), .rejected, "id is missing")
    }
    let origin = origin(number, key)
    guard let type = row.text("entityType") else { return leave(origin, .rejected, "entityType is missing") }
    let kind = Self.kinds[type]
    guard kind != nil || Self.withoutEntity.contains(type) else {
      return leave(origin, .unknown, "unknown entity type \(type)", "entityType")
    }
    guard let cached = row.number("cachedAt") else {
      return leave(origin, .rejected, "cachedAt is not a number", "cachedAt")
    }
    let isExpired = isExpired(cached)
    guard let kind else {
      if isExpired { return leave(origin, .expired, "cachedAt is 30 days before now or more", "cachedAt") }
      return leave(origin, .noHome, "\(type) has no Core Data entity")
    }
    guard let data = row["data"] else {
      if isExpired { return leave(origin, .expired, "cachedAt is 30 days before now or more", "cachedAt") }
      return leave(origin, .rejected, "data is not an object", "data")
    }
    let trip = row.text("tripId")
    if data.value.kind == .array {
      if isExpired { return leave(origin, .expired, "cachedAt is 30 days before now or more", "cachedAt") }
      count(origin.store, .list)
      return takeItems(data.elements, kind, number, "cache-list", trip: trip)
    }
    do throws(ChravelEntity.Problem) {
      guard data.isObject else { throw ChravelEntity.Problem(message: "data is not an object", member: "data") }
      let entity = try ChravelEntity(kind, data, trip: trip, version: row.number("version"))
      guard key.hasSuffix(":" + entity.id) else {
        throw ChravelEntity.Problem(message: "the key and data.id differ", member: "id")
      }
      if isExpired {
        expire(entity, origin, "cachedAt is 30 days before now or more", "cachedAt")
      } else {
        take(entity, origin)
      }
    } catch {
      if isExpired { return leave(origin, .expired, "cachedAt is 30 days before now or more", "cachedAt") }
      leave(origin, .rejected, error.message, error.member)
    }
  }

  private mutating func takeItems(
    _ items: [ChravelRow], _ kind: ChravelEntity.Kind, _ number: Int, _ store: String, trip: String?
  ) {
    for (index, item) in items.enumerated() {
      let origin = origin(number, item.text("id") ?? "#\(index)", store)
      do throws(ChravelEntity.Problem) {
        guard item.isObject else { throw ChravelEntity.Problem(message: "this is not an object") }
        take(try ChravelEntity(kind, item, trip: trip), origin)
      } catch {
        leave(origin, .rejected, error.message, error.member)
      }
    }
  }

  private mutating func takeOverview(_ number: Int) throws {
    guard let row = row(number) else { return }
    guard let trip = row.text("tripId") ?? row.key else {
      return leave(origin(number, nil), .rejected, "tripId is missing")
    }
    let origin = origin(number, trip)
    guard let updated = row.number("updatedAt") else {
      return leave(origin, .rejected, "updatedAt is not a number", "updatedAt")
    }
    if isExpired(updated) {
      return leave(origin, .expired, "updatedAt is 30 days before now or more", "updatedAt")
    }
    count(origin.store, .list)
    takeItems(row["itinerary"]?.elements ?? [], .event, number, "overview-item", trip: trip)
    takeItems(row["tasks"]?.elements ?? [], .task, number, "overview-item", trip: trip)
    for name in ["basecamp", "pinnedPlaces", "files"] where row[name] != nil {
      report(
        .rowWithoutHome, "\(name) has no Core Data entity",
        Origin(store: origin.store, key: "\(trip)/\(name)", element: number), name)
    }
  }

  // MARK: Operations

  private struct Operation {
    let origin: Origin
    let kind: ChravelEntity.Kind
    let isCreate: Bool
    let entity: String?
    let trip: String?
    let time: Timestamp
    let version: Int64?
    let isFailed: Bool
    let data: ChravelRow
  }

  /// The operations that can be applied, in their order.
  private mutating func operations(_ numbers: [Int]) -> [Operation] {
    var operations: [Operation] = []
    for number in numbers {
      guard let row = row(number) else { continue }
      guard let id = row.text("id") ?? row.key else {
        leave(origin(number, nil), .rejected, "id is missing")
        continue
      }
      let origin = origin(number, id)
      func reject(_ reason: String, _ member: String, _ outcome: Outcome = .rejected) {
        leave(origin, outcome, reason, member)
      }
      let type = row.text("entityType") ?? ""
      let name = row.text("operationType") ?? ""
      guard type == "poll_vote" || Self.kinds[type] != nil && type != "trip_tasks" else {
        reject("unknown entity type \(type)", "entityType", .unknown)
        continue
      }
      guard ["create", "update", "delete"].contains(name) else {
        reject("unknown operation \(name)", "operationType")
        continue
      }
      let status = row.text("status") ?? ""
      guard ["pending", "syncing", "failed"].contains(status) else {
        reject("unknown status \(status)", "status")
        continue
      }
      guard let time = row.number("timestamp") else {
        reject("timestamp is not a number", "timestamp")
        continue
      }
      guard let kind = Self.kinds[type], type != "poll_vote" else {
        reject("\(type) has no Core Data entity", "entityType", .noHome)
        continue
      }
      if name == "delete" {
        reject(
          "a deletion cannot be held by the Core Data model; the row, if any, stays as it is", "operationType", .noHome)
        continue
      }
      guard let data = row["data"], data.isObject else {
        reject("data is not an object", "data")
        continue
      }
      if let client = data.text("client_message_id") { queuedClientIDs.insert(client) }
      operations.append(
        Operation(
          origin: origin, kind: kind, isCreate: name == "create", entity: row.text("entityId"),
          trip: row.text("tripId"), time: Timestamp(milliseconds: time), version: row.number("version"),
          isFailed: status == "failed", data: data))
    }
    return operations
  }

  private mutating func apply(_ operation: Operation) {
    if operation.isCreate {
      create(operation)
    } else {
      update(operation)
    }
  }

  private mutating func create(_ operation: Operation) {
    do throws(ChravelEntity.Problem) {
      var entity = try ChravelEntity(
        operation.kind, operation.data, id: operation.origin.key, trip: operation.trip, version: operation.version,
        time: operation.time)
      entity.id = operation.origin.key
      entity.isPending = true
      if let times = twinTimes[entity.id] { (entity.created, entity.updated) = times }
      noteRepeated(operation, entity)
      take(entity, operation.origin)
      if operation.isFailed { fail(entity, operation.origin) }
    } catch {
      leave(operation.origin, .rejected, error.message, error.member)
    }
  }

  private mutating func update(_ operation: Operation) {
    let identity = Identity(kind: operation.kind, id: operation.entity ?? "")
    if known[identity] == nil, let old = expired.removeValue(forKey: identity) {
      known[identity] = arrivals.count
      arrivals.append(old.arrival)
      keptThoughExpired.insert(identity)
      report(.keptThoughExpired, "a queued operation needs it", old.arrival.origin, nil)
    }
    guard let index = known[identity] else {
      return leave(operation.origin, .rejected, "the entity it changes is not in the dump", "entityId")
    }
    let entity = arrivals[index].entity
    if let version = operation.version, version < entity.version {
      leave(operation.origin, .loser, "another state of the \(entity.kind.rawValue) is newer")
      let winner = arrivals[index].origin
      return report(
        .olderState,
        "\(entity.kind.rawValue) \(entity.id): \(winner.store) '\(winner.key)' has version \(entity.version), "
          + "this operation was made for \(version)", operation.origin, "version")
    }
    do throws(ChravelEntity.Problem) {
      try arrivals[index].entity.apply(operation.data, at: operation.time)
      arrivals[index].operations.append(operation.origin)
      count(operation.origin.store, .pending)
      if operation.isFailed { fail(entity, operation.origin) }
    } catch {
      leave(operation.origin, .rejected, error.message, error.member)
    }
  }

  private var keptThoughExpired: Set<Identity> = []
  /// The last creations, to find those that were queued twice.
  private var creations: [String: (id: String, time: Timestamp)] = [:]

  /// Reports a creation that was queued a second time within a second.
  private mutating func noteRepeated(_ operation: Operation, _ entity: ChravelEntity) {
    var json = ByteBuffer(capacity: 256)
    operation.data.write(into: &json)
    let key = "\(entity.kind.rawValue) \(entity.trip) " + String(decoding: json.bytes, as: UTF8.self)
    if let before = creations[key], abs(operation.time.milliseconds - before.time.milliseconds) <= 1000 {
      report(.possibleDuplicate, "the same create is queued as \(before.id), within a second", operation.origin, nil)
    }
    creations[key] = (operation.origin.key, operation.time)
  }

  private func fail(_ entity: ChravelEntity, _ origin: Origin) {
    report(
      .failedOperation, "the app gave up to send it; the \(entity.kind.rawValue) \(entity.id) is pending again", origin,
      nil)
  }

  // MARK: The old queue

  private mutating func takeQueued(_ number: Int) throws {
    try Interruption.check()
    guard let row = row(number) else { return }
    guard let id = row.text("id") ?? row.key else { return leave(origin(number, nil), .rejected, "id is missing") }
    let origin = origin(number, id)
    guard let time = row.number("timestamp") else {
      return leave(origin, .rejected, "timestamp is not a number", "timestamp")
    }
    let status = row.text("status") ?? "pending"
    guard ["pending", "sending", "failed"].contains(status) else {
      return leave(origin, .rejected, "unknown status \(status)", "status")
    }
    guard let message = row["message"], message.isObject else {
      return leave(origin, .rejected, "message is not an object", "message")
    }
    if let client = message.text("client_message_id"), queuedClientIDs.contains(client) {
      return leave(origin, .duplicate, "the same client_message_id is in syncQueue")
    }
    do throws(ChravelEntity.Problem) {
      var entity = try ChravelEntity(.message, message, id: id, time: Timestamp(milliseconds: time))
      entity.id = id
      entity.isPending = true
      take(entity, origin)
      if status == "failed" { fail(entity, origin) }
    } catch {
      leave(origin, .rejected, error.message, error.member)
    }
  }
}
