import Interchange

/// Where a file of an import belongs: the source that the ledger knows, and its place there.
package struct SourceFile: Sendable {
  /// What the ledger calls the source: mostly the folder that it is, as an absolute path; `-` for standard input.
  package let source: String
  /// The folder that it is.
  package let folder: String
  /// The file's path within it; `.` for all of it.
  package let path: String

  /// What the source is.
  package let kind: SourceKind

  package init(source: String, folder: String? = nil, path: String, kind: SourceKind = .files) {
    self.source = source
    self.folder = folder ?? source
    self.path = path
    self.kind = kind
  }

  /// A record of a registry, which the ledger knows by the registry's address.
  /// - Parameter path: what tells the record from all others of that registry.
  package init(registry address: String, path: String) {
    self.init(source: "registry:" + address, path: path, kind: .registry)
  }

  /// Whether it is a record of a registry, not a file.
  var isRegistry: Bool { kind == .registry }

  /// Whether one of the paths of a source that were read includes what stands at another one.
  static func covers(_ read: Set<String>, _ path: String) -> Bool {
    if read.contains(".") || read.contains(path) { return true }
    // The folders around it are few; what was read may be many files.
    return path.indices.contains { path[$0] == "/" && read.contains(String(path[..<$0])) }
  }
}
