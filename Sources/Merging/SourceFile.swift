/// Where a file of an import belongs: the source that the ledger knows, and its place there.
package struct SourceFile: Sendable {
  /// The folder that the source is, as an absolute path; `-` for standard input.
  package let source: String
  /// The file's path within it.
  package let path: String

  package init(source: String, path: String) {
    self.source = source
    self.path = path
  }
}
