/// A backup that was put together from its chain; all its files are in one folder.
public struct AssembledSnapshot: Sendable {
  /// One backup of a chain.
  public struct Link: Sendable, Hashable {
    /// The path of its file.
    public let path: String
    /// The backup's description.
    public let info: BackupInfo

    /// Creates a link.
    public init(path: String, info: BackupInfo) {
      self.path = path
      self.info = info
    }
  }

  /// The library's SQLite file, `library.sqlite`, with checked pages.
  public let library: String
  /// The sidecar's database, `state.sqlite`; nil if there was none or it was not requested.
  public let state: String?
  /// The paths of the bytes of attachments, by SHA-256; empty if they were not requested.
  public let media: [String: String]
  /// The index of the requested backup, `index.jsonl`: one line per record with kind, id and SHA-256.
  public let index: String
  /// The description of the requested backup.
  public var info: BackupInfo { chain[chain.count - 1].info }
  /// The backups that were needed: the full one first, the requested one last. Never empty.
  public let chain: [Link]
}
