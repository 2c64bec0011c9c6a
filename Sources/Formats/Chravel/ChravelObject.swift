import Content
import Foundation
import JSONText

/// An id that is stored in 16 bytes, so that the ids of many objects fit in memory.
struct ChravelID: Hashable, Comparable, Sendable {
  private let high: UInt64
  private let low: UInt64

  /// Creates an object's id, which is the same for all states of the object. A message's id is used without its kind,
  /// because most objects are messages.
  init(_ kind: ChravelEntity.Kind, _ id: String) {
    self.init(kind == .message ? id : "\(kind.rawValue) \(id)")
  }

  init(_ text: String) {
    // A lower-case UUID is used directly. For any other id, a UUID is derived.
    let isLower = CanonicalUUID.form(of: text) == .otherCase && !text.utf8.contains { (0x41...0x5A).contains($0) }
    var (high, low) = (UInt64(0), UInt64(0))
    for digit in (isLower ? text : CanonicalUUID.derived(["chravel", "id", text])).utf8 where digit != UInt8(ascii: "-")
    {
      high = high << 4 | low >> 60
      low = low << 4 | UInt64(digit & 0x40 == 0 ? digit & 0xF : digit & 0xF + 9)
    }
    (self.high, self.low) = (high, low)
  }

  static func < (left: ChravelID, right: ChravelID) -> Bool { (left.high, left.low) < (right.high, right.low) }
}

/// An object and its rows in the browser.
///
/// - Source: formats/chravel.md, "What becomes what", "What is written"
struct ChravelObject {
  let entity: ChravelEntity
  /// The object's row, or the queue row that creates the object; nil if the object comes from the phone.
  var row: ChravelRow?
  /// The queued operations that change the object.
  var operations: [ChravelRow] = []
  /// The message that the app shows while an operation is waiting.
  var twin: ChravelRow?

  /// The content of the object's foreign record: the attributes in the phone's model, and the rows.
  var json: [UInt8] {
    var json = ByteBuffer(capacity: 512)
    json.append("{")
    for (index, attribute) in entity.attributes.enumerated() {
      if index > 0 { json.append(",") }
      json.appendJSONString(attribute.name)
      json.append(":")
      if let value = attribute.json { json.append(value.span) } else { json.append("null") }
    }
    if let row {
      json.append(",\"row\":")
      row.write(into: &json, key: "id")
    }
    if !operations.isEmpty {
      json.append(",\"operations\":[")
      for (index, operation) in operations.enumerated() {
        if index > 0 { json.append(",") }
        operation.write(into: &json, key: "id")
      }
      json.append("]")
    }
    if let twin {
      json.append(",\"twin\":")
      twin.write(into: &json, key: "id")
    }
    json.append("}")
    return json.copy(0..<json.count)
  }

  /// Parses the content of a foreign record.
  /// - Throws: `Problem` if an attribute that the model requires is missing or has the wrong type.
  init(_ raw: JSONValue, _ kind: ChravelEntity.Kind) throws(ChravelEntity.Problem) {
    let held = ChravelRow(raw, isOutbound: false)
    entity = try ChravelEntity(attributes: held, kind)
    row = held["row"].flatMap { $0.isObject ? $0 : nil }
    operations = held["operations"]?.elements ?? []
    twin = held["twin"]
  }

  init(entity: ChravelEntity, row: ChravelRow?, operations: [ChravelRow] = [], twin: ChravelRow? = nil) {
    (self.entity, self.row, self.operations, self.twin) = (entity, row, operations, twin)
  }

  // MARK: Rows

  /// A row that is written to one of the browser's stores.
  struct StoredRow {
    let store: ChravelStore
    let json: [UInt8]
  }

  /// Returns the object's rows in a browser. These are the original rows if they still have the same values, and
  /// changed rows otherwise.
  /// - Parameter now: the time at which the rows are added to the cache.
  func rows(at now: Timestamp) -> [StoredRow] {
    var rows: [StoredRow] = []
    let store = row.flatMap { ChravelDump.store(of: $0.value) }
    let isOperation = store == .syncQueue || store == .queue
    let isSame = read(from: store)?.attributes.elementsEqual(entity.attributes) { $0 == $1 } ?? false
    if let row, isSame {
      rows.append(isOperation ? StoredRow(store: store ?? .cache, json: row.plain()) : own(row.plain(), at: now))
    } else {
      let base = store == .syncQueue ? row?["data"] : store == .queue ? row?["message"] : row
      // The server's ids are UUIDs. An object that the server does not have yet has the id of the operation.
      let isCreation = entity.isPending && (isOperation || row == nil && CanonicalUUID.form(of: entity.id) == .none)
      let object = object(base)
      if isCreation {
        let time = row?.number("timestamp") ?? entity.created?.milliseconds ?? now.milliseconds
        rows.append(operation(entity.id, "create", object, at: time))
      }
      if !isCreation || entity.kind == .message { rows.append(own(object, at: now)) }
      if entity.isPending, !isCreation || !operations.isEmpty {
        rows += operations.map { StoredRow(store: .syncQueue, json: $0.plain()) }
        rows.append(update(at: entity.kind == .message ? entity.updated ?? now : now))
      }
      return rows
    }
    rows += operations.map { StoredRow(store: .syncQueue, json: $0.plain()) }
    if let twin { rows.append(StoredRow(store: .messages, json: twin.plain())) }
    return rows
  }

  /// Returns the object that results from reading the rows again; nil if the rows cannot be read.
  private func read(from store: ChravelStore?) -> ChravelEntity? {
    guard let row else { return nil }
    do {
      var found: ChravelEntity
      switch store {
      case .syncQueue:
        found = try ChravelOperation(row).created(twin: try twin.map { try ChravelEntity(.message, $0) })
      case .queue: found = try ChravelEntity(queued: row)
      default: found = try ChravelEntity(entity.kind, row, trip: entity.trip, version: entity.version)
      }
      for row in operations {
        let operation = try ChravelOperation(row)
        try found.apply(operation.data, at: operation.time)
      }
      return found
    } catch {
      return nil
    }
  }

  /// Returns the object as a row of the store for its type.
  private func own(_ object: [UInt8], at now: Timestamp) -> StoredRow {
    if entity.kind == .message { return StoredRow(store: .messages, json: object) }
    var json = ByteBuffer(capacity: object.count + 256)
    json.append("{\"id\":")
    json.appendJSONString("\(entity.kind.type):\(entity.id)")
    json.append(",\"tripId\":")
    json.appendJSONString(entity.trip)
    json.append(utf8: ",\"entityType\":\"\(entity.kind.type)\",\"data\":")
    json.append(object.span)
    json.append(utf8: ",\"cachedAt\":\(now.milliseconds),\"version\":\(entity.version)}")
    return StoredRow(store: .cache, json: json.copy(0..<json.count))
  }

  private func operation(_ id: String, _ name: String, _ data: [UInt8], at time: Int64) -> StoredRow {
    var json = ByteBuffer(capacity: data.count + 256)
    json.append("{\"id\":")
    json.appendJSONString(id)
    json.append(utf8: ",\"entityType\":\"\(entity.kind.type)\",\"operationType\":\"\(name)\",\"tripId\":")
    json.appendJSONString(entity.trip)
    if name == "update" {
      json.append(",\"entityId\":")
      json.appendJSONString(entity.id)
    }
    json.append(",\"data\":")
    json.append(data.span)
    json.append(utf8: ",\"timestamp\":\(time),\"retryCount\":0,\"status\":\"pending\",\"version\":\(entity.version)}")
    return StoredRow(store: .syncQueue, json: json.copy(0..<json.count))
  }

  /// Returns the update operation that marks the object as pending in the browser.
  private func update(at time: Timestamp) -> StoredRow {
    var data = Members()
    for (name, value) in members where Self.changing.contains(name) { data.add(name, value) }
    if entity.kind == .task { data.add("completed", Array((entity.isCompleted ? "true" : "false").utf8)) }
    let suffix = CanonicalUUID.derived(["chravel", "operation", entity.kind.rawValue, entity.id]).replacing(
      "-", with: "")
    return operation(
      "sync_\(time.milliseconds)_\(suffix.prefix(12).lowercased())", "update", data.json, at: time.milliseconds)
  }

  /// Returns the object as JSON: its attributes and the other members of `base`.
  private func object(_ base: ChravelRow?) -> [UInt8] {
    var object = Members()
    var names: Set<String> = ["version", "completed"]
    for (name, value) in members {
      object.add(name, value)
      names.insert(name)
    }
    if entity.kind == .task {
      let isSame = base.flatMap { try? ChravelEntity(.task, $0, id: entity.id, trip: entity.trip) }
      if base == nil || isSame?.isCompleted != entity.isCompleted {
        names.formUnion(["is_poll", "task_status"])
        object.add("is_poll", Array("false".utf8))
        object.add("task_status", Array((entity.isCompleted ? "[{\"completed\":true}]" : "[]").utf8))
      }
    }
    object.add("version", Array(String(entity.version).utf8))
    for (name, value) in base?.value.members ?? [] where !names.contains(name) {
      object.add(name, Array(value.text.utf8))
    }
    return object.json
  }

  /// The model's attributes under their browser names.
  private var members: [(name: String, json: [UInt8])] {
    entity.attributes.compactMap { name, json in
      Self.names[name].map { ($0, json ?? Array("null".utf8)) }
    }
  }

  private static let names = [
    "id": "id", "tripId": "trip_id", "authorName": "author_name", "createdAt": "created_at", "updatedAt": "updated_at",
    "title": "title", "description": "description", "dueAt": "due_at", "startTime": "start_time",
    "endTime": "end_time", "location": "location", "content": "content",
  ]

  /// The members that an operation can change.
  private static let changing: Set<String> = [
    "content", "title", "description", "due_at", "start_time", "end_time", "location",
  ]

  /// Collects the members of a JSON object.
  private struct Members: ~Copyable {
    private var buffer = ByteBuffer(capacity: 256)

    init() { buffer.append("{") }

    mutating func add(_ name: String, _ value: [UInt8]) {
      if buffer.count > 1 { buffer.append(",") }
      buffer.appendJSONString(name)
      buffer.append(":")
      buffer.append(value.span)
    }

    var json: [UInt8] {
      var whole = buffer.copy(0..<buffer.count)
      whole.append(UInt8(ascii: "}"))
      return whole
    }
  }
}
