import Content
import Publishing
import SyncQueue

/// An item on its way from the registry into the library.
struct PulledItem {
  /// Its id in the library.
  let id: String
  let isDeck: Bool
  /// Whether the library does not have it.
  let isNew: Bool
  /// Whether the item is not public under this slug as far as the library knows.
  let isAdopted: Bool
  let publicID: String
  let registryID: String
  /// What the registry's entity tag says; the next update is held against it.
  let digest: String
  /// What is public, without state and time.
  let meaning: [UInt8]
  let publication: Publication
  /// Which entry of the report it is.
  let entry: Int
}
