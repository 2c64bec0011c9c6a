/// A backup that was assembled from its chain. All its files are in one folder.
public struct AssembledSnapshot: Sendable {
  /// One backup of a chain.
  public struct Link: Sendable, Hashable {
    /// The path of the backup's file.
    public let path: String
    /// The backup's description.
    public let info: BackupInfo

    /// Creates a link.
    public init(path: String, info: BackupInfo) {
      self.path = path
      self.info = info
    }
  }

  /// The path of the library's SQLite file, `library.sqlite`, whose pages were checked.
  public let library: String
  /// The path of the sidecar's database, `state.sqlite`; nil if the backup has none or it was not requested.
  public let state: String?
  /// The paths of the attachment files, by SHA-256; empty if attachments were not requested.
  public let media: [String: String]
  /// The path of the requested backup's index, `index.jsonl`, with one line for each record: its kind, id and SHA-256.
  public let index: String
  /// The requested backup's description.
  public var info: BackupInfo { chain[chain.count - 1].info }
  /// The backups that were needed, from the full backup to the requested one. Never empty.
  public let chain: [Link]
}
