import Content
import Foundation
import JSONText

/// An object in Chravel's model on the phone.
///
/// - Source: formats/chravel.md, "What becomes what"
struct ChravelEntity: Sendable {
  /// The entities of the model.
  enum Kind: String, CaseIterable, Sendable {
    case message = "ChatMessage"
    case task = "Task"
    case event = "CalendarEvent"

    /// Creates the kind from one of the browser's type names.
    init?(type: String) {
      switch type {
      case "chat_message": self = .message
      case "task", "trip_tasks": self = .task
      case "calendar_event": self = .event
      default: return nil
      }
    }

    /// The browser's type name.
    var type: String {
      switch self {
      case .message: "chat_message"
      case .task: "task"
      case .event: "calendar_event"
      }
    }
  }

  /// The reason why a row cannot be an object.
  struct Problem: Error {
    let message: String
    /// The member with the problem.
    var member: String?
  }

  let kind: Kind
  var id: String
  var trip: String
  /// The content of a message, or the title of any other object.
  var title: String
  /// The author of a message.
  var author: String?
  var details: String?
  var location: String?
  var created: Timestamp?
  var updated: Timestamp?
  /// The time at which a task is due or an event begins.
  var start: Timestamp?
  var end: Timestamp?
  var isCompleted = false
  var completed: Timestamp?
  var isPending = false
  var version: Int64
  /// A task's completion according to each rule; nil if the rules agree.
  var statuses: (isPoll: Bool, first: Bool, all: Bool, any: Bool)?

  /// Reads an object from the browser.
  /// - Parameters:
  ///   - id: the id that is used if the object has no id.
  ///   - trip: the trip that is used if the object names no trip.
  ///   - version: the version that is used if the object has no version.
  ///   - time: the time of the operation, which is used if the object has no time.
  /// - Throws: `Problem` if a required member is missing or has the wrong type.
  init(
    _ kind: Kind, _ row: ChravelRow, id: String? = nil, trip: String? = nil, version: Int64? = nil,
    time: Timestamp? = nil
  ) throws(Problem) {
    self.kind = kind
    self.id = try Self.required("id", row, or: id)
    self.trip = try Self.required("trip_id", row, or: trip)
    title = try Self.required(kind == .message ? "content" : "title", row)
    self.version = row.number("version") ?? version ?? 1
    created = try Self.time("created_at", row) ?? time
    updated = try Self.time("updated_at", row) ?? created
    switch kind {
    case .message:
      author = try Self.required("author_name", row)
      if created == nil { throw Problem(message: "created_at is missing") }
    case .task:
      details = row.text("description")
      start = try Self.time("due_at", row)
      readStatuses(of: row)
    case .event:
      details = row.text("description")
      location = row.text("location")
      start = try Self.time("start_time", row)
      if start == nil { throw Problem(message: "start_time is missing") }
      end = try Self.time("end_time", row)
    }
  }

  /// Reads a cache row. Its object may lack values that the row itself contains.
  init(cached kind: Kind, _ row: ChravelRow) throws(Problem) {
    guard let data = row["data"], data.isObject else {
      throw Problem(message: "data is not an object", member: "data")
    }
    try self.init(kind, data, trip: row.text("tripId"), version: row.number("version"))
  }

  /// Reads a row from the old queue, which is an unsent message.
  init(queued row: ChravelRow) throws(Problem) {
    guard let id = row.text("id") ?? row.key else { throw Problem(message: "id is missing") }
    guard let time = row.number("timestamp") else {
      throw Problem(message: "timestamp is not a number", member: "timestamp")
    }
    let status = row.text("status") ?? "pending"
    guard ["pending", "sending", "failed"].contains(status) else {
      throw Problem(message: "unknown status \(status)", member: "status")
    }
    guard let message = row["message"], message.isObject else {
      throw Problem(message: "message is not an object", member: "message")
    }
    try self.init(.message, message, id: id, time: Timestamp(milliseconds: time))
    self.id = id
    isPending = true
  }

  /// Reads the attributes in a foreign record.
  /// - Throws: `Problem` if an attribute that the model requires is missing or has the wrong type.
  init(attributes row: ChravelRow, _ kind: Kind) throws(Problem) {
    self.kind = kind
    id = try Self.required("id", row)
    trip = try Self.required("tripId", row)
    title = try Self.required(kind == .message ? "content" : "title", row)
    version = row.number("version") ?? 1
    isPending = row.text("syncStatus") == "pending"
    switch kind {
    case .message:
      author = try Self.required("authorName", row)
      (created, updated) = (try Self.time("createdAt", row), try Self.time("updatedAt", row))
      if created == nil { throw Problem(message: "createdAt is missing") }
    case .task:
      details = row.text("description")
      start = try Self.time("dueAt", row)
      isCompleted = row.flag("completed") ?? false
    case .event:
      location = row.text("location")
      (start, end) = (try Self.time("startTime", row), try Self.time("endTime", row))
      if start == nil { throw Problem(message: "startTime is missing") }
    }
  }

  /// Creates an object from its required values.
  init(_ kind: Kind, id: String, trip: String, title: String, version: Int64) {
    (self.kind, self.id, self.trip, self.title, self.version) = (kind, id, trip, title, version)
  }

  private static func required(_ name: String, _ row: ChravelRow, or other: String? = nil) throws(Problem) -> String {
    guard let member = row[name] else {
      if let other, !other.isEmpty { return other }
      throw Problem(message: "\(name) is missing")
    }
    guard let text = member.value.string else { throw Problem(message: "\(name) is not a string", member: name) }
    return text
  }

  private static func time(_ name: String, _ row: ChravelRow) throws(Problem) -> Timestamp? {
    guard let member = row[name] else { return nil }
    guard let time = member.time else { throw Problem(message: "\(name) is not a time", member: name) }
    return time
  }

  /// Sets the completion. A poll is complete when all members have completed it; any other task is complete when the
  /// first member has completed it.
  private mutating func readStatuses(of row: ChravelRow) {
    if let flag = row.flag("completed") {
      isCompleted = flag
      return
    }
    let list = row["task_status"]?.elements ?? []
    let done = list.map { $0.flag("completed") ?? false }
    let isPoll = row.flag("is_poll") ?? false
    let first = done.first ?? false
    let all = !done.isEmpty && done.allSatisfy { $0 }
    isCompleted = isPoll ? all : first
    if isCompleted { completed = list.compactMap { $0["completed_at"]?.time }.max() }
    let any = done.contains(true)
    if all != any { statuses = (isPoll, first, all, any) }
  }

  /// Applies the changes of a queued operation.
  /// - Throws: `Problem` if a member has the wrong type; the object is then unchanged.
  mutating func apply(_ change: ChravelRow, at time: Timestamp) throws(Problem) {
    var new = self
    func text(_ name: String, _ old: String?) throws(Problem) -> String? {
      guard change.value[name] != nil else { return old }
      guard let member = change[name] else { return nil }
      guard let text = member.value.string else { throw Problem(message: "\(name) is not a string", member: name) }
      return text
    }
    func moment(_ name: String, _ old: Timestamp?) throws(Problem) -> Timestamp? {
      change.value[name] == nil ? old : try Self.time(name, change)
    }
    guard let title = try text(kind == .message ? "content" : "title", title) else {
      throw Problem(message: "\(kind == .message ? "content" : "title") is missing")
    }
    new.title = title
    switch kind {
    case .message: break
    case .task:
      new.details = try text("description", details)
      new.start = try moment("due_at", start)
      if change["completed"] != nil {
        guard let flag = change.flag("completed") else {
          throw Problem(message: "completed is not true or false", member: "completed")
        }
        // A task that was already completed keeps its time.
        if flag != isCompleted { new.completed = flag ? time : nil }
        new.isCompleted = flag
      }
    case .event:
      new.details = try text("description", details)
      new.location = try text("location", location)
      guard let start = try moment("start_time", start) else { throw Problem(message: "start_time is missing") }
      new.start = start
      new.end = try moment("end_time", end)
    }
    new.updated = time
    new.isPending = true
    self = new
  }

  /// Whether this state is newer than another state of the same object. The state with the higher version is newer. If
  /// the versions are equal, the state with the later time is newer.
  func isNewer(version other: Int64, updated old: Timestamp?) -> Bool {
    if version != other { return version > other }
    guard let time = updated, let old else { return false }
    return time.milliseconds > old.milliseconds
  }

  /// Whether this is a message that the browser no longer keeps.
  func isOld(at now: Timestamp) -> Bool {
    kind == .message && created.map { $0.milliseconds < now.milliseconds - ChravelAge.most } ?? false
  }

  /// The model's attributes with their values as JSON; nil means null.
  var attributes: [(name: String, json: [UInt8]?)] {
    func text(_ value: String?) -> [UInt8]? {
      value.map { value in
        var json = ByteBuffer(capacity: value.utf8.count + 2)
        json.appendJSONString(value)
        return json.copy(0..<json.count)
      }
    }
    var all: [(String, [UInt8]?)] = [("id", text(id)), ("tripId", text(trip))]
    switch kind {
    case .message:
      all += [
        ("content", text(title)), ("authorName", text(author)), ("createdAt", text(created?.iso8601)),
        ("updatedAt", text(updated?.iso8601)),
      ]
    case .task:
      all += [
        ("title", text(title)), ("description", text(details)), ("dueAt", text(start?.iso8601)),
        ("completed", Array((isCompleted ? "true" : "false").utf8)),
      ]
    case .event:
      all += [
        ("title", text(title)), ("startTime", text(start?.iso8601)), ("endTime", text(end?.iso8601)),
        ("location", text(location)),
      ]
    }
    return all + [("syncStatus", text(isPending ? "pending" : "synced")), ("version", Array(String(version).utf8))]
  }
}

/// The age limit for rows in the browser.
enum ChravelAge {
  /// The maximum age: 30 days, in milliseconds.
  static let most: Int64 = 30 * 24 * 3600 * 1000

  /// Whether a row is too old. `time` is the time at which the row was written, in milliseconds since 1970.
  static func isExpired(_ time: Int64, at now: Timestamp) -> Bool {
    let (age, overflow) = now.milliseconds.subtractingReportingOverflow(time)
    return overflow ? time < 0 : age >= most
  }
}
