import Content
import Publishing
import SyncQueue

/// An item on its way from the registry into the library.
struct PulledItem {
  /// The item's id in the library.
  let id: String
  let isDeck: Bool
  /// Whether the item is new to the library.
  let isNew: Bool
  /// Whether the item is not public under this slug according to the library.
  let isAdopted: Bool
  let publicID: String
  let registryID: String
  /// The digest in the registry's entity tag; the next update is checked against it.
  let digest: String
  /// The meaning of the public version, without its state and times.
  let meaning: [UInt8]
  let publication: Publication
  /// The index of the item's entry in the report.
  let entry: Int
}
