import Content
import Diagnostics
import Foundation
import Interchange
import JSONText

/// Decides how each row of a dump is migrated, according to the migration rules in the product document.
///
/// For a message that no operation changes, only the version and the time are kept in memory. The other values are read
/// again from the row.
///
/// - Source: formats/chravel.md, "The rules of the migration"
struct ChravelMigration {
  /// The outcome of a row's migration.
  enum Outcome: String, CaseIterable, Sendable {
    case synced, pending, loser, duplicate, expired, rejected, unknown, list
    case noHome = "no-home"
    case pendingTwin = "pending-twin"
    case keptThoughExpired = "expired-kept"
  }

  /// The origin of an object: a row, or an object inside a row.
  struct Origin: Sendable {
    /// The name of the store, such as `cache`; `overview-item` or `cache-list` for an object inside a row.
    let store: String
    let key: String
    let element: Int
  }

  /// A migrated object, stored in as few bytes as possible, because a dump may have many objects.
  struct Arrival: Sendable {
    let kind: ChravelEntity.Kind
    /// The row of the object, or the row that contains the object.
    let element: Int32
    private let itemNumber: Int32
    private var detailsNumber: Int32 = -1
    let version: Int64
    private let time: Int64

    init(_ entity: ChravelEntity, _ element: Int, item: Int?) {
      (kind, self.element, version) = (entity.kind, Int32(element), entity.version)
      itemNumber = item.map { Int32($0) } ?? -1
      time = entity.updated?.milliseconds ?? .min
    }

    /// The object's number in the row's list; nil if the object is the row itself.
    var item: Int? { itemNumber < 0 ? nil : Int(itemNumber) }
    var updated: Timestamp? { time == .min ? nil : Timestamp(milliseconds: time) }
    /// The number of the object's details; nil if they are read again from its row.
    var details: Int? {
      get { detailsNumber < 0 ? nil : Int(detailsNumber) }
      set { detailsNumber = newValue.map { Int32($0) } ?? -1 }
    }
  }

  /// The details of an object that are kept in memory.
  struct Details: Sendable {
    var entity: ChravelEntity
    /// The operations that were applied to the object.
    var operations: [Int] = []
    /// The message that the app shows while an operation is waiting.
    var twin: Int?
  }

  /// A row that has no counterpart in AnyFleet or in the phone's model, or that cannot be used.
  struct Leftover: Sendable {
    let origin: Origin
    let outcome: Outcome
    let reason: String
    /// The row's member that causes the problem; nil if the whole row does.
    let member: String?
  }

  private(set) var arrivals: [Arrival] = []
  /// The details of arrivals, to which the arrivals refer by number.
  private(set) var details: [Details] = []
  private(set) var leftovers: [Leftover] = []
  /// The number of rows in each store, by outcome.
  private(set) var outcomes: [String: [Outcome: Int]] = [:]

  private let dump: ChravelDump
  private let now: Timestamp
  private let report: (DiagnosticCode, String, Origin, String?) -> Void
  /// The arrival of each object.
  private var known: [ChravelID: Int32] = [:]
  /// Rows that are too old. They are migrated only if an operation needs them.
  private var expired: [ChravelID: (entity: ChravelEntity, number: Int, reason: String, member: String)] = [:]
  /// The ids of the objects that queued operations change.
  private var wanted: Set<String> = []
  /// The ids of messages from the server, by the client ids that their temporary copies share.
  private var serverIDs: [String: String] = [:]
  private var queuedClientIDs: Set<String> = []
  /// The number of operations that are applied together, as specified in the product document.
  private static let batch = 20

  private static let withoutEntity: Set<String> = [
    "trip_polls", "trip_links", "trip_media", "trip_files", "trip_basecamp",
  ]

  /// Migrates a dump.
  /// - Parameter report: called with each finding, the row's origin, and a member of the row.
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
        leave(origin(number, "#\(element.index)", "other"), .unknown, "FleetKit does not recognize its store")
      }
    }
    let operations = operations(queued[.syncQueue] ?? [])
    let twins = Set(operations.map(\.operation.id))
    wanted = Set(operations.compactMap { $0.operation.isCreation ? nil : $0.operation.entity })
    try addMessages(queued[.messages] ?? [], twins)
    for number in queued[.cache] ?? [] { try addCachedRow(number) }
    for number in queued[.tripOverview] ?? [] { try addOverview(number) }
    for start in stride(from: 0, to: operations.count, by: Self.batch) {
      try Interruption.check()
      for operation in operations[start..<min(start + Self.batch, operations.count)] { apply(operation) }
    }
    for number in queued[.queue] ?? [] { try addQueuedRow(number) }
    for old in expired.values.sorted(by: { $0.number < $1.number }) {
      leave(origin(row: old.number), .expired, old.reason, old.member)
    }
    sortArrivals()
    for arrival in arrivals {
      let number = Int(arrival.element)
      let store = arrival.item.map { _ in itemStore(number) } ?? dump.elements[number].store?.rawValue ?? ""
      guard let index = arrival.details else {
        count(store, .synced)
        continue
      }
      let entity = details[index].entity
      let isKept = keptThoughExpired.contains(ChravelID(entity.kind, entity.id))
      let isOperation = [ChravelStore.syncQueue.rawValue, ChravelStore.queue.rawValue].contains(store)
      count(store, isKept ? .keptThoughExpired : isOperation ? .pending : .synced)
      if let statuses = entity.statuses {
        report(
          .completedByRule,
          "\(statuses.isPoll ? "the poll counts as done if all have done it" : "the task counts as done if the first has done it"): "
            + "first \(statuses.first), all \(statuses.all), any \(statuses.any)",
          origin(arrival), nil)
      }
    }
  }

  /// Sorts arrivals into an order that does not depend on the order of the rows.
  private mutating func sortArrivals() {
    var order = known.map { (id: $0.key, number: $0.value) }
    known = [:]
    order.sort { left, right in
      let kinds = (arrivals[Int(left.number)].kind.rawValue, arrivals[Int(right.number)].kind.rawValue)
      return kinds.0 == kinds.1 ? left.id < right.id : kinds.0 < kinds.1
    }
    arrivals = order.map { arrivals[Int($0.number)] }
  }

  // MARK: Rows

  private func origin(_ element: Int, _ key: String?, _ store: String? = nil) -> Origin {
    let found = dump.elements[element]
    return Origin(
      store: store ?? found.store?.rawValue ?? "other", key: key ?? "#\(found.index)", element: element)
  }

  private func itemStore(_ element: Int) -> String {
    dump.elements[element].store == .tripOverview ? "overview-item" : "cache-list"
  }

  /// Returns a row's origin. The row's key is read again.
  private func origin(row number: Int) -> Origin {
    let row = try? dump.row(dump.elements[number])
    return origin(number, row?.text("id") ?? row?.key)
  }

  /// Returns an arrival's origin.
  private func origin(_ arrival: Arrival) -> Origin {
    let number = Int(arrival.element)
    guard let item = arrival.item else { return origin(row: number) }
    let id = own(arrival)?.text("id")
    return origin(number, id ?? "#\(item)", itemStore(number))
  }

  /// Returns an arrival's row, or the arrival's object inside the row.
  private func own(_ arrival: Arrival) -> ChravelRow? {
    let element = dump.elements[Int(arrival.element)]
    if let item = arrival.item {
      let name = element.store == .cache ? "data" : arrival.kind == .task ? "tasks" : "itinerary"
      let items = dump.items(of: element, name)
      return items.indices.contains(item) ? items[item] : nil
    }
    let row = try? dump.row(element)
    return element.store == .cache ? row?["data"] : row
  }

  /// Parses a row. If the row is not an object, adds a leftover and returns nil.
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
    // There may be many rows with other outcomes, so only their findings are kept.
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

  /// Adds an object, unless a newer state of the object exists. Of two equally new states, the existing one is kept.
  private mutating func add(_ entity: ChravelEntity, _ number: Int, item: Int? = nil, twin: Int? = nil) {
    var arrival = Arrival(entity, number, item: item)
    let identity = ChravelID(entity.kind, entity.id)
    guard let index = known[identity].map({ Int($0) }) else {
      known[identity] = Int32(arrivals.count)
      arrivals.append(arrival)
      storeDetails(of: entity, arrivals.count - 1, twin: twin)
      return
    }
    let old = arrivals[index]
    let isNewer = entity.isNewer(version: old.version, updated: old.updated)
    let (ours, theirs) = (origin(arrival), origin(old))
    let (winner, loser) = isNewer ? (ours, theirs) : (theirs, ours)
    leave(loser, .loser, "another state of the \(entity.kind.rawValue) is newer")
    report(
      .olderState,
      "\(entity.kind.rawValue) \(entity.id): \(winner.store) '\(winner.key)' has version "
        + "\(isNewer ? entity.version : old.version), this one has \(isNewer ? old.version : entity.version)",
      loser, nil)
    guard isNewer else { return }
    arrival.details = old.details
    arrivals[index] = arrival
    storeDetails(of: entity, index, twin: twin)
  }

  /// Stores an object's details, unless its row contains them.
  private mutating func storeDetails(of entity: ChravelEntity, _ index: Int, twin: Int? = nil) {
    let isOwnRow = entity.kind == .message && !entity.isPending && arrivals[index].item == nil
    if isOwnRow, arrivals[index].details == nil { return }
    let new = Details(entity: entity, twin: twin)
    if let number = arrivals[index].details {
      details[number] = new
    } else {
      arrivals[index].details = details.count
      details.append(new)
    }
  }

  /// Leaves out an object that is too old. If an operation may need the object, it is set aside.
  private mutating func expire(
    _ entity: ChravelEntity, _ number: Int, _ key: String, _ reason: String, _ member: String
  ) {
    let identity = ChravelID(entity.kind, entity.id)
    if wanted.contains(entity.id), expired[identity] == nil, known[identity] == nil {
      expired[identity] = (entity, number, reason, member)
    } else {
      leave(origin(number, key), .expired, reason, member)
    }
  }

  /// Returns a migrated object. If its details were not stored, it is read from its row.
  func object(_ arrival: Arrival) -> ChravelObject? {
    let element = dump.elements[Int(arrival.element)]
    guard let own = own(arrival) else { return nil }
    guard let index = arrival.details else {
      guard let row = try? dump.row(element) else { return nil }
      let entity =
        element.store == .cache
        ? try? ChravelEntity(cached: .message, row) : try? ChravelEntity(arrival.kind, row)
      return entity.map { ChravelObject(entity: $0, row: own) }
    }
    let details = details[index]
    return ChravelObject(
      entity: details.entity, row: own, operations: details.operations.compactMap { try? dump.row(dump.elements[$0]) },
      twin: details.twin.flatMap { try? dump.row(dump.elements[$0]) })
  }

  // MARK: Messages

  /// Adds messages. Messages that were written on the device are added last, when the server's messages are known.
  private mutating func addMessages(_ numbers: [Int], _ twins: Set<String>) throws {
    var temporary: [Int] = []
    for number in numbers {
      try Interruption.check()
      guard let row = row(number) else { continue }
      if row.text("id")?.hasPrefix("sync_") ?? false {
        temporary.append(number)
      } else {
        addMessage(row, number, twins)
      }
    }
    if temporary.isEmpty { return }
    let names = Set(temporary.compactMap { (try? dump.row(dump.elements[$0]))?.text("client_message_id") })
    for number in numbers {
      guard let row = try? dump.row(dump.elements[number]), row.isObject, let id = row.text("id"),
        !id.hasPrefix("sync_"), let name = row.text("client_message_id"), names.contains(name)
      else { continue }
      if known[ChravelID(.message, id)] != nil { serverIDs[name] = id }
    }
    for number in temporary {
      if let row = row(number) { addMessage(row, number, twins) }
    }
  }

  private mutating func addMessage(_ row: ChravelRow, _ number: Int, _ twins: Set<String>) {
    let origin = origin(number, row.text("id") ?? row.key)
    do throws(ChravelEntity.Problem) {
      let entity = try ChravelEntity(.message, row)
      if twins.contains(entity.id) {
        count(origin.store, .pendingTwin)
        messagesOfOperations[entity.id] = (number, entity)
        return
      }
      if entity.isOld(at: now) {
        return expire(entity, number, origin.key, "created_at is more than 30 days ago", "created_at")
      }
      if entity.id.hasPrefix("sync_"), let name = row.text("client_message_id"), let server = serverIDs[name] {
        return leave(origin, .duplicate, "it is a temporary copy of \(server)")
      }
      add(entity, number)
    } catch {
      leave(origin, .rejected, error.message, error.member)
    }
  }

  /// The messages whose operations are still queued.
  private var messagesOfOperations: [String: (number: Int, entity: ChravelEntity)] = [:]

  // MARK: The cache

  private func isExpired(_ time: Int64) -> Bool { ChravelAge.isExpired(time, at: now) }

  private mutating func addCachedRow(_ number: Int) throws {
    try Interruption.check()
    guard let row = row(number) else { return }
    guard let key = row.text("id") ?? row.key else {
      return leave(origin(number, nil), .rejected, "id is missing")
    }
    let origin = origin(number, key)
    guard let type = row.text("entityType") else { return leave(origin, .rejected, "entityType is missing") }
    let kind = ChravelEntity.Kind(type: type)
    guard kind != nil || Self.withoutEntity.contains(type) else {
      return leave(origin, .unknown, "unknown entity type \(type)", "entityType")
    }
    guard let cached = row.number("cachedAt") else {
      return leave(origin, .rejected, "cachedAt is not a number", "cachedAt")
    }
    let isExpired = isExpired(cached)
    guard let kind else {
      if isExpired { return leave(origin, .expired, "cachedAt is 30 or more days ago", "cachedAt") }
      return leave(origin, .noHome, "\(type) has no Core Data entity")
    }
    guard let data = row["data"] else {
      if isExpired { return leave(origin, .expired, "cachedAt is 30 or more days ago", "cachedAt") }
      return leave(origin, .rejected, "data is not an object", "data")
    }
    let trip = row.text("tripId")
    if data.value.kind == .array {
      if isExpired { return leave(origin, .expired, "cachedAt is 30 or more days ago", "cachedAt") }
      count(origin.store, .list)
      return addItems(data.elements, kind, number, "cache-list", trip: trip)
    }
    do throws(ChravelEntity.Problem) {
      guard data.isObject else { throw ChravelEntity.Problem(message: "data is not an object", member: "data") }
      let entity = try ChravelEntity(cached: kind, row)
      guard key.hasSuffix(":" + entity.id) else {
        throw ChravelEntity.Problem(message: "the key and data.id differ", member: "id")
      }
      if isExpired {
        expire(entity, number, key, "cachedAt is 30 or more days ago", "cachedAt")
      } else {
        add(entity, number)
      }
    } catch {
      if isExpired { return leave(origin, .expired, "cachedAt is 30 or more days ago", "cachedAt") }
      leave(origin, .rejected, error.message, error.member)
    }
  }

  private mutating func addItems(
    _ items: [ChravelRow], _ kind: ChravelEntity.Kind, _ number: Int, _ store: String, trip: String?
  ) {
    for (index, item) in items.enumerated() {
      let origin = origin(number, item.text("id") ?? "#\(index)", store)
      do throws(ChravelEntity.Problem) {
        guard item.isObject else { throw ChravelEntity.Problem(message: "this is not an object") }
        add(try ChravelEntity(kind, item, trip: trip), number, item: index)
      } catch {
        leave(origin, .rejected, error.message, error.member)
      }
    }
  }

  private mutating func addOverview(_ number: Int) throws {
    guard let row = row(number) else { return }
    guard let trip = row.text("tripId") ?? row.key else {
      return leave(origin(number, nil), .rejected, "tripId is missing")
    }
    let origin = origin(number, trip)
    guard let updated = row.number("updatedAt") else {
      return leave(origin, .rejected, "updatedAt is not a number", "updatedAt")
    }
    if isExpired(updated) {
      return leave(origin, .expired, "updatedAt is 30 or more days ago", "updatedAt")
    }
    count(origin.store, .list)
    addItems(row["itinerary"]?.elements ?? [], .event, number, "overview-item", trip: trip)
    addItems(row["tasks"]?.elements ?? [], .task, number, "overview-item", trip: trip)
    let known: Set = ["itinerary", "tasks", "tripId", "updatedAt", "$types"]
    let others = row.value.members.map(\.name).filter { !known.contains($0) && row[$0] != nil }
    for name in others {
      report(
        .rowWithoutHome, "\(name) has no Core Data entity",
        Origin(store: origin.store, key: "\(trip)/\(name)", element: number), name)
    }
    // The row itself has already been counted as a list.
    if !others.isEmpty {
      leftovers.append(
        Leftover(origin: origin, outcome: .noHome, reason: "some members have no Core Data entity", member: nil))
    }
  }

  // MARK: Operations

  /// An operation and its row.
  private struct Waiting {
    let operation: ChravelOperation
    let number: Int
  }

  /// Returns the operations that can be applied, in queue order.
  private mutating func operations(_ numbers: [Int]) -> [Waiting] {
    var waiting: [Waiting] = []
    for number in numbers {
      guard let row = row(number) else { continue }
      do throws(ChravelOperation.Refusal) {
        let operation = try ChravelOperation(row)
        if let client = operation.data.text("client_message_id") { queuedClientIDs.insert(client) }
        waiting.append(Waiting(operation: operation, number: number))
      } catch {
        leave(origin(number, row.text("id") ?? row.key), error.outcome, error.message, error.member)
      }
    }
    return waiting
  }

  private mutating func apply(_ waiting: Waiting) {
    let operation = waiting.operation
    let origin = origin(waiting.number, operation.id)
    do throws(ChravelEntity.Problem) {
      guard operation.isCreation else { return try update(operation, origin) }
      let twin = messagesOfOperations[operation.id]
      let entity = try operation.created(twin: twin?.entity)
      reportRepeated(operation, entity, origin)
      add(entity, waiting.number, twin: twin?.number)
      if operation.isFailed { reportFailed(entity, origin) }
    } catch {
      leave(origin, .rejected, error.message, error.member)
    }
  }

  private mutating func update(_ operation: ChravelOperation, _ origin: Origin) throws(ChravelEntity.Problem) {
    let identity = ChravelID(operation.kind, operation.entity ?? "")
    if known[identity] == nil, let old = expired.removeValue(forKey: identity) {
      add(old.entity, old.number)
      keptThoughExpired.insert(identity)
      report(.keptThoughExpired, "a queued operation needs it", self.origin(row: old.number), nil)
    }
    guard let index = known[identity].map({ Int($0) }), let object = object(arrivals[index]) else {
      throw ChravelEntity.Problem(
        message: "the dump does not contain the entity that the operation changes", member: "entityId")
    }
    var entity = object.entity
    if let version = operation.version, version < entity.version {
      leave(origin, .loser, "another state of the \(entity.kind.rawValue) is newer")
      let winner = self.origin(arrivals[index])
      return report(
        .olderState,
        "\(entity.kind.rawValue) \(entity.id): \(winner.store) '\(winner.key)' has version \(entity.version), "
          + "this operation was made for \(version)", origin, "version")
    }
    try entity.apply(operation.data, at: operation.time)
    if let number = arrivals[index].details {
      details[number].entity = entity
      details[number].operations.append(origin.element)
    } else {
      arrivals[index].details = details.count
      details.append(Details(entity: entity, operations: [origin.element]))
    }
    count(origin.store, .pending)
    if operation.isFailed { reportFailed(entity, origin) }
  }

  private var keptThoughExpired: Set<ChravelID> = []
  /// The last creations, which are used to find creations that were queued twice.
  private var creations: [String: (id: String, time: Timestamp)] = [:]

  /// Reports a creation that was queued twice within a second.
  private mutating func reportRepeated(_ operation: ChravelOperation, _ entity: ChravelEntity, _ origin: Origin) {
    var json = ByteBuffer(capacity: 256)
    operation.data.write(into: &json)
    let key = "\(entity.kind.rawValue) \(entity.trip) " + String(decoding: json.bytes, as: UTF8.self)
    if let before = creations[key], abs(operation.time.milliseconds - before.time.milliseconds) <= 1000 {
      report(.possibleDuplicate, "the same creation is also queued as \(before.id), within a second", origin, nil)
    }
    creations[key] = (operation.id, operation.time)
  }

  private func reportFailed(_ entity: ChravelEntity, _ origin: Origin) {
    report(
      .failedOperation, "the app stopped sending it; the \(entity.kind.rawValue) \(entity.id) is pending again", origin,
      nil)
  }

  // MARK: The old queue

  private mutating func addQueuedRow(_ number: Int) throws {
    try Interruption.check()
    guard let row = row(number) else { return }
    guard let id = row.text("id") ?? row.key else { return leave(origin(number, nil), .rejected, "id is missing") }
    let origin = origin(number, id)
    if let client = row["message"]?.text("client_message_id"), queuedClientIDs.contains(client) {
      return leave(origin, .duplicate, "the same client_message_id is in syncQueue")
    }
    do throws(ChravelEntity.Problem) {
      let entity = try ChravelEntity(queued: row)
      add(entity, number)
      if row.text("status") == "failed" { reportFailed(entity, origin) }
    } catch {
      leave(origin, .rejected, error.message, error.member)
    }
  }
}

/// An operation in the browser's queue, which creates or changes an object.
///
/// - Source: formats/chravel.md, "The rules of the migration"
struct ChravelOperation {
  /// The reason why a queue row is not applied.
  struct Refusal: Error {
    let message: String
    /// The member with the problem.
    let member: String?
    var outcome = ChravelMigration.Outcome.rejected
  }

  let id: String
  let kind: ChravelEntity.Kind
  let isCreation: Bool
  /// The id of the object that the operation changes.
  let entity: String?
  let trip: String?
  let time: Timestamp
  let version: Int64?
  let isFailed: Bool
  let data: ChravelRow

  /// Reads a row from `syncQueue`.
  /// - Throws: `Refusal` for a row that is broken, has an unknown type, or is not supported by the phone's model.
  init(_ row: ChravelRow) throws(Refusal) {
    guard let id = row.text("id") ?? row.key else { throw Refusal(message: "id is missing", member: nil) }
    let type = row.text("entityType") ?? ""
    let name = row.text("operationType") ?? ""
    let kind = ChravelEntity.Kind(type: type)
    guard type == "poll_vote" || kind != nil && type != "trip_tasks" else {
      throw Refusal(message: "unknown entity type \(type)", member: "entityType", outcome: .unknown)
    }
    guard ["create", "update", "delete"].contains(name) else {
      throw Refusal(message: "unknown operation \(name)", member: "operationType")
    }
    let status = row.text("status") ?? ""
    guard ["pending", "syncing", "failed"].contains(status) else {
      throw Refusal(message: "unknown status \(status)", member: "status")
    }
    guard let time = row.number("timestamp") else {
      throw Refusal(message: "timestamp is not a number", member: "timestamp")
    }
    guard let kind else {
      throw Refusal(message: "\(type) has no Core Data entity", member: "entityType", outcome: .noHome)
    }
    if name == "delete" {
      throw Refusal(
        message: "the Core Data model cannot represent a deletion; the object's row, if any, is kept",
        member: "operationType", outcome: .noHome)
    }
    guard let data = row["data"], data.isObject else {
      throw Refusal(message: "data is not an object", member: "data")
    }
    (self.id, self.kind, self.time, self.data) = (id, kind, Timestamp(milliseconds: time), data)
    isCreation = name == "create"
    entity = row.text("entityId")
    trip = row.text("tripId")
    version = row.number("version")
    isFailed = status == "failed"
  }

  /// Returns the object that the operation creates.
  /// - Parameter twin: the message that the app shows while the operation is waiting. Its times are used.
  /// - Throws: `Problem` if the operation's data is not an object of its kind.
  func created(twin: ChravelEntity?) throws(ChravelEntity.Problem) -> ChravelEntity {
    var entity = try ChravelEntity(kind, data, id: id, trip: trip, version: version, time: time)
    entity.id = id
    entity.isPending = true
    if let twin { (entity.created, entity.updated) = (twin.created, twin.updated) }
    return entity
  }
}
