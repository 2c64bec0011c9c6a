/// What a row of the queue asks for, in the app's words.
public enum QueueOperation: String, Sendable, CaseIterable {
  /// Publish an item that is not public.
  case publish
  /// Replace what is public.
  case publishUpdate = "publish_update"
  /// Take it back.
  case unpublish
}
