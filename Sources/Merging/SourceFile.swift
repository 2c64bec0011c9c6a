/// Where a file of an import belongs: the source that the ledger knows, and its place there.
package struct SourceFile: Sendable {
  /// What the ledger calls the source: mostly the folder that it is, as an absolute path; `-` for standard input.
  package let source: String
  /// The folder that it is.
  package let folder: String
  /// The file's path within it; `.` for all of it.
  package let path: String

  package init(source: String, folder: String? = nil, path: String) {
    self.source = source
    self.folder = folder ?? source
    self.path = path
  }

  /// Whether what was read at one path of a source includes what stands at another one.
  static func covers(_ read: String, _ path: String) -> Bool {
    read == "." || read == path || path.hasPrefix(read + "/")
  }
}
