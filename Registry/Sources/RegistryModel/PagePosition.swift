import Content

/// The end of a page: lists are ordered by time, then id, so that pages neither repeat nor skip items while others
/// publish.
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
