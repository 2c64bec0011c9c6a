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
  /// Whether it is a registry, whose records are known by their ids alone.
  let isRegistry: Bool

  var hasLostFiles: Bool { !lostFiles.isEmpty }
  /// Whether its versions follow one another, whatever its files are called.
  var isPack: Bool { name.utf8.starts(with: "pack:".utf8) }
}
