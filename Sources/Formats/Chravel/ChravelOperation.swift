import Content
import Foundation
import JSONText

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
  /// - Throws: `Problem` when the operation's data is not an object of its kind.
  func created(twin: ChravelEntity?) throws(ChravelEntity.Problem) -> ChravelEntity {
    var entity = try ChravelEntity(kind, data, id: id, trip: trip, version: version, time: time)
    entity.id = id
    entity.isPending = true
    if let twin { (entity.created, entity.updated) = (twin.created, twin.updated) }
    return entity
  }
}
