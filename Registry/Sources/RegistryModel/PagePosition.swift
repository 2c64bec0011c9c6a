import Content

/// Where a page ended: lists are ordered by time, then id, so that pages neither repeat nor pass over anything while
/// others publish.
public struct PagePosition: Sendable, Equatable {
  /// The last item's time in the list's order.
  public let time: Timestamp
  /// The last item's id.
  public let id: RegistryID

  /// Makes a position.
  public init(time: Timestamp, id: RegistryID) {
    self.time = time
    self.id = id
  }
}
