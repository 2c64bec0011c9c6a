/// The operation of a row of the queue, under the app's names.
public enum QueueOperation: String, Sendable, CaseIterable {
  /// Publish an item that is not public.
  case publish
  /// Replace the public version.
  case publishUpdate = "publish_update"
  /// Withdraw it.
  case unpublish
}
