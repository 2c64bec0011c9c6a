// The words that today's app writes. Properties stay texts, because a later app may write others and they are
// kept as they are.
// - Source: the app's enumerations, formats/sqlite-library.md

extension LibraryItem {
  /// Who may see an item.
  public enum Visibility {
    /// Only its maker.
    public static let `private` = "private"
    /// Whoever has the address.
    public static let unlisted = "unlisted"
    /// Everybody.
    public static let `public` = "public"
    /// A word of the app's own for what it could not tell. It counts as private.
    public static let unknown = "unknown"
  }

  /// How far an item and its document are on their way to the server.
  public enum SyncStatus {
    /// It was never sent.
    public static let pending = "pending"
    /// It waits in the queue.
    public static let queued = "queued"
    /// It is being sent.
    public static let syncing = "syncing"
    /// The server has it.
    public static let synced = "synced"
    /// Sending failed.
    public static let failed = "failed"
  }
}

extension Checklist {
  /// When a checklist is worked through.
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
    /// At any time; what the app takes an unknown word for.
    public static let general = "general"
    /// For the boat.
    public static let maintenance = "maintenance"
    /// For the crew.
    public static let safety = "safety"
    /// For the stores.
    public static let provisioning = "provisioning"
  }
}

extension Charter {
  /// Who may see a charter.
  public enum Visibility {
    /// Only its maker.
    public static let `private` = "private"
    /// Members of the community.
    public static let community = "community"
    /// Everybody.
    public static let `public` = "public"
  }
}

extension ChecklistExecution {
  /// How far the ticks are on their way to the server.
  public enum SyncStatus {
    /// They were never sent.
    public static let pending = "pending"
    /// The server has them.
    public static let synced = "synced"
    /// Sending failed.
    public static let error = "error"
  }
}

extension SyncOperation {
  /// What the server is asked to do.
  public enum Operation {
    /// Publish an item.
    public static let publish = "publish"
    /// Withdraw a published item.
    public static let unpublish = "unpublish"
    /// Replace a published item.
    public static let publishUpdate = "publish_update"
  }
}
