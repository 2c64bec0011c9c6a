import FleetKitCore
import JSONText

/// A difference that nothing explains.
struct ProofDifference {
  let kind: RecordKind
  /// The record's id on the source's side; nil when the source does not have the record.
  let sourceID: String?
  /// The record's id on the target's side; nil when the target does not have the record.
  let targetID: String?
  let title: String
  /// Where in the record; empty for the whole record.
  let path: JSONPointer
  /// What the source says, as JSON; nil for nothing.
  let source: String?
  /// What was read back, as JSON; nil for nothing.
  let target: String?
  /// Who says `source`.
  var speaker = "the source says"
}
