import Diagnostics
import Foundation
import Interchange
import ProjectConfiguration
import RecordSources

/// The files that `validate` checks in the paths that a user named, and the files that it skips, with reasons.
public struct ContentSources {
  /// A file that is not checked.
  public struct UncheckedFile: Sendable {
    /// The path, as the user would name it.
    public let path: String
    /// The reason why the file is not checked.
    public let reason: Reason
  }

  /// The reason why a file is not checked.
  public enum Reason: Sendable, Equatable {
    /// A configuration excludes the file.
    case excluded
    /// The file belongs to another program, such as `package.json`. This applies only to files found in a folder, not
    /// to files that the user named.
    case foreign
    /// FleetKit cannot read the file. This applies only to files found in a folder, not to files that the user named.
    case unread(String)
    /// The file is a baseline.
    case baseline
  }

  /// The sources that are checked.
  public private(set) var sources: SourceList
  /// The files that are not checked.
  public private(set) var leftOut: [UncheckedFile] = []
  /// The paths that cannot be resolved, with the reasons.
  public private(set) var failures: [(path: String, failure: RunFailure)] = []

  /// Resolves paths. A path that cannot be resolved does not prevent the others from being resolved.
  /// - Throws: `RunFailure` with status 64 if the format is unknown.
  public init(_ paths: [String], format: FormatID?, configurations: [String: Configuration]) throws {
    var entries: [SourceList.Entry] = []
    var strays: [Diagnostic] = []
    for path in paths {
      do {
        let list = try SourceList([path], format: format)
        entries += list.entries
        strays += list.leftOut.compactMap(\.finding)
      } catch let failure as RunFailure where failure.status != .usage {
        failures.append((path, failure))
      }
    }
    sources = SourceList(entries: entries)
    var leftOut = strays.map { finding in
      UncheckedFile(
        path: finding.place.file, reason: finding.code == .foreignFile ? .foreign : .unread(finding.message))
    }
    leftOut.removeAll { file in configurations.values.contains { $0.excludes(file.path) } }
    sources.removeAll { entry in
      guard let reason = Self.reason(entry, configurations[entry.root]) else { return false }
      leftOut.append(UncheckedFile(path: entry.source.path, reason: reason))
      return true
    }
    self.leftOut = leftOut
    // With the arguments `content content/a.json`, every file is read only once: in a file that was read twice, every
    // id would count as a duplicate.
    var known: Set<String> = []
    var folders = FolderNames()
    sources.removeAll { !known.insert(folders.identity($0.source.path)).inserted }
    removeNotesOfVaults()
  }

  /// Removes notes that are also in a named vault. With the arguments `vault vault/anchor.md`, every note is read only
  /// once, because a note is read with the vault that contains it.
  private mutating func removeNotesOfVaults() {
    let folders = sources.entries.filter(\.isFolder).map {
      (format: $0.format.descriptor.id, path: FolderNames.identity($0.source.path) + "/")
    }
    guard !folders.isEmpty else { return }
    sources.removeAll { entry in
      guard entry.format.descriptor.takesFolders else { return false }
      let path = FolderNames.identity(entry.source.path)
      return folders.contains { $0.format == entry.format.descriptor.id && path.utf8.starts(with: $0.path.utf8) }
    }
  }

  private static func reason(_ entry: SourceList.Entry, _ configuration: Configuration?) -> Reason? {
    if configuration?.excludes(entry.source.path) ?? false { return .excluded }
    guard entry.format.descriptor.text == .document, entry.root == entry.source.path else { return nil }
    return isBaseline(entry.source) ? .baseline : nil
  }

  /// Whether a named file is a baseline.
  private static func isBaseline(_ source: Source) -> Bool {
    guard let head = try? SourceProbe.head(of: source) else { return false }
    let sign = Array("\"fleetkit.baseline\"".utf8)
    return head.firstRange(of: sign) != nil && head.firstRange(of: Array("\"content_type\"".utf8)) == nil
  }
}

/// Finds one name for each file, regardless of links and folders in its path.
private struct FolderNames {
  /// The real names of folders. Files in the same folder share one look-up.
  private var known: [Substring: String] = [:]

  mutating func identity(_ path: String) -> String {
    var status = stat()
    guard let slash = path.lastIndex(of: "/"), lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return Self.identity(path)
    }
    let folder = path[..<slash]
    let real = folder.isEmpty ? "" : known[folder] ?? Self.identity(String(folder))
    known[folder] = real
    return real + path[slash...]
  }

  static func identity(_ path: String) -> String {
    guard path != "-", let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }
}
