/// The operation of a queue row, under the app's names.
public enum QueueOperation: String, Sendable, CaseIterable {
  /// Publishes an item that is not public.
  case publish
  /// Replaces the public version.
  case publishUpdate = "publish_update"
  /// Withdraws the item.
  case unpublish
}
