import Interchange

/// The source whose records an import is looking at.
struct CurrentSource {
  let name: String
  let folder: String
  /// The ledger's number.
  let id: Int64
  /// Whether it was imported before.
  let isKnown: Bool
  /// Files that it had once and has no more, by the ledger's numbers.
  let lostFiles: Set<Int64>
  /// Folders that the library knows and that are not there any more, the newest first: it may be one of them, moved.
  let goneFolders: [(id: Int64, path: String)]
  let kind: SourceKind

  var hasLostFiles: Bool { !lostFiles.isEmpty }
  var isRegistry: Bool { kind == .registry }
  var isPack: Bool { kind == .pack }
}
