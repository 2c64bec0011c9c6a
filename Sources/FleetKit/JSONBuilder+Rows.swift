import FleetKitCore
import Interchange

extension JSONBuilder {
  /// What became of the rows of tables, as reports and plans say it.
  package mutating func rows(_ rows: RowTally) {
    object("rows") { json in
      json.number("read", rows.read)
      json.number("created", rows.created)
      json.number("updated", rows.updated)
      json.number("unchanged", rows.unchanged)
      json.number("rejected", rows.rejected)
      json.number("skipped", rows.skipped)
      json.number("removed", rows.removed)
      json.number("moved", rows.moved)
    }
  }
}
