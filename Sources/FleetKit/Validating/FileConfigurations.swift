import ProjectConfiguration

/// What the user configured for each file that findings name, also for the files inside a folder that is one source.
struct FileConfigurations: Sendable {
  private let byPath: [String: Configuration]

  /// Takes the configurations of some sources, by the root that was named on the command line.
  init(_ sources: SourceList, _ configurations: [String: Configuration]) {
    var byPath: [String: Configuration] = [:]
    for entry in sources.entries { byPath[Self.trimmed(entry.source.path)] = configurations[entry.root] }
    self.byPath = byPath
  }

  /// The configuration of a file: its own, or that of the innermost source that it lies in; nil where there is none.
  subscript(_ file: String) -> Configuration? {
    if byPath.isEmpty { return nil }
    var path = file[...]
    while true {
      if let found = byPath[Self.trimmed(path)] { return found }
      guard let slash = path.lastIndex(of: "/") else { break }
      if slash == path.startIndex { return byPath["/"] }
      path = path[..<slash]
    }
    // The working folder goes without saying.
    return file.hasPrefix("/") ? nil : byPath["."]
  }

  /// A folder has one name, with a slash behind it or without.
  private static func trimmed(_ path: some StringProtocol) -> String {
    var path = path[...]
    while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
    return String(path)
  }
}
