import Content

/// Where a page ended: lists are ordered by time, then id, so that pages neither repeat nor pass over anything while
/// others publish.
public struct PagePosition: Sendable, Equatable {
  public let time: Timestamp
  public let id: RegistryID

  public init(time: Timestamp, id: RegistryID) {
    self.time = time
    self.id = id
  }
}
