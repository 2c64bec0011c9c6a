import Content
import Interchange
import JSONText
import SQLiteIO

/// Converts records to rows of a Haumana store. Guides become pieces. Practice sessions, users and queue entries
/// already contain rows.
///
/// - Source: formats/haumana.md, "Filling a store"
struct HaumanaRows {
  static let app = StoreWriter.App(
    name: "Haumana", has: "texts to practise and practice sessions", bundle: "app.haumana",
    entities: HaumanaStoreFormat.entities)

  let context: RunContext

  /// Returns a record's row.
  func row(of record: JSONNode, _ kind: RecordKind) -> StoreWriter.Made {
    switch kind {
    case .item where record.member("content_type")?.equals("practice_guide") == true: return .row(piece(record))
    case .item: return HaumanaWriter.isDeckOfPiece(record) ? .derived : .nothing
    case .practiceSession:
      var json = ByteBuffer(capacity: 512)
      HaumanaSession.write(record, into: &json)
      return .row(
        StoreWriter.Row(
          "PracticeSession", json.copy(0..<json.count), at: "/raw",
          columns: ["sessionId": "ZID", "startedAt": "ZSTARTTIME", "endedAt": "ZENDTIME"]))
    case .foreign:
      guard record.member("system")?.equals("haumana") == true, let type = record.member("type")?.string,
        let raw = record.member("raw"), raw.kind == .object
      else { return .nothing }
      let entity = ["user": "User", "sync_queue_item": "SyncQueueItem"][type] ?? type
      return .row(StoreWriter.Row(entity, Array(raw.raw), at: "/raw", columns: ["userId": "ZID"]))
    default: return .nothing
    }
  }

  private func piece(_ record: JSONNode) -> StoreWriter.Row {
    let piece = HaumanaPiece(record)
    piece.reportLosses(record, to: context.losses)
    var json = ByteBuffer(capacity: 4096)
    piece.write(into: &json)
    let isOwn = record.member("extras")?.member("haumana") != nil
    let (now, user) = (CoreDataStore.seconds(context.now), context.reading.user)
    return StoreWriter.Row(
      "Piece", json.copy(0..<json.count), at: "/extras/haumana",
      columns: ["pieceId": "ZID", "modifiedAt": "ZUPDATEDAT"]
    ) { column in
      switch column {
      case "ZISFAVORITE": .integer(0)
      case "ZINCLUDEINPRACTICE", "ZVERSION": .integer(1)
      case "ZLOCALLYMODIFIED": .integer(isOwn ? 0 : 1)
      case "ZCREATEDAT", "ZUPDATEDAT": .real(now)
      case "ZUSERID" where !isOwn: user.map { .text(Array($0.utf8)) }
      default: nil
      }
    }
  }
}
