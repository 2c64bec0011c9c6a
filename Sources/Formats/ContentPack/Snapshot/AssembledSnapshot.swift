/// A backup, put together from its chain and written out; everything lies in one folder.
public struct AssembledSnapshot: Sendable {
  /// One backup of a chain.
  public struct Link: Sendable, Hashable {
    /// Where its file is.
    public let path: String
    /// What it says about itself.
    public let info: BackupInfo

    /// Names a link.
    public init(path: String, info: BackupInfo) {
      self.path = path
      self.info = info
    }
  }

  /// The library's SQLite file, `library.sqlite`. Its pages were checked.
  public let library: String
  /// What lay beside the library, `state.sqlite`; nil when nothing did or it was not asked for.
  public let state: String?
  /// Where the bytes of attachments are, by SHA-256; empty when they were not asked for.
  public let media: [String: String]
  /// The index of the backup that was asked for, `index.jsonl`: one line a record with kind, id and SHA-256.
  public let index: String
  /// What the backup that was asked for says about itself.
  public var info: BackupInfo { chain[chain.count - 1].info }
  /// The backups that were needed: the full one first, the one that was asked for last. Never empty.
  public let chain: [Link]
}
