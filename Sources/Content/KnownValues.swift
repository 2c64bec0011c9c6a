// The words that the current app writes. Properties remain strings, because a later app may write other words, which
// are kept unchanged.
// - Source: the app's enumerations, formats/sqlite-library.md

extension LibraryItem {
  /// Who may see an item.
  public enum Visibility {
    /// Only its author.
    public static let `private` = "private"
    /// People who have the address.
    public static let unlisted = "unlisted"
    /// Everyone.
    public static let `public` = "public"
    /// The word that the app writes for an unknown visibility. It means private.
    public static let unknown = "unknown"
  }

  /// The progress of sending an item and its document to the server.
  public enum SyncStatus {
    /// The item was never sent.
    public static let pending = "pending"
    /// The item waits in the queue.
    public static let queued = "queued"
    /// The item is being sent.
    public static let syncing = "syncing"
    /// The server has the item.
    public static let synced = "synced"
    /// Sending failed.
    public static let failed = "failed"
  }
}

extension Checklist {
  /// When a checklist is done.
  public enum ChecklistType {
    /// Before the charter.
    public static let preCharter = "pre_charter"
    /// When the boat is taken over.
    public static let checkIn = "check_in"
    /// Every day.
    public static let daily = "daily"
    /// When the boat is given back.
    public static let postCharter = "post_charter"
    /// When something is wrong.
    public static let emergency = "emergency"
    /// At any time. The app also uses this word for unknown words.
    public static let general = "general"
    /// For maintaining the boat.
    public static let maintenance = "maintenance"
    /// For the crew's safety.
    public static let safety = "safety"
    /// For provisioning.
    public static let provisioning = "provisioning"
  }
}

extension Charter {
  /// Who may see a charter.
  public enum Visibility {
    /// Only its author.
    public static let `private` = "private"
    /// Members of the community.
    public static let community = "community"
    /// Everyone.
    public static let `public` = "public"
  }
}

extension ChecklistExecution {
  /// The progress of sending the ticks to the server.
  public enum SyncStatus {
    /// The ticks were never sent.
    public static let pending = "pending"
    /// The server has the ticks.
    public static let synced = "synced"
    /// Sending failed.
    public static let error = "error"
  }
}

extension SyncOperation {
  /// The request to the server.
  public enum Operation {
    /// Publish an item.
    public static let publish = "publish"
    /// Withdraw a published item.
    public static let unpublish = "unpublish"
    /// Replace a published item.
    public static let publishUpdate = "publish_update"
  }
}
