import Content

/// The end of a page. Lists are ordered by time, then by id, so that pages neither repeat nor skip items while others
/// publish.
public struct PagePosition: Sendable, Equatable {
  /// The last item's time, by which the list is ordered.
  public let time: Timestamp
  /// The last item's id.
  public let id: RegistryID

  /// Makes a position.
  public init(time: Timestamp, id: RegistryID) {
    self.time = time
    self.id = id
  }
}
