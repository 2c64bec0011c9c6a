import Diagnostics
import Foundation
import Interchange
import ProjectConfiguration
import RecordSources

/// What `validate` checks of the paths that a user named, and what it leaves out, with reasons.
public struct ContentSources {
  /// A file that is not checked.
  public struct LeftOut: Sendable {
    /// As the user would name it.
    public let path: String
    /// Why.
    public let reason: Reason
  }

  /// Why a file is not checked.
  public enum Reason: Sendable, Equatable {
    /// A configuration excludes it.
    case excluded
    /// It is another program's, `package.json` for example; found in a folder, not named.
    case foreign
    /// FleetKit cannot read it; found in a folder, not named.
    case unread(String)
    /// A baseline.
    case baseline
  }

  /// What is checked.
  public private(set) var sources: SourceList
  /// What is not.
  public private(set) var leftOut: [LeftOut] = []
  /// Paths that lead nowhere.
  public private(set) var failures: [(path: String, failure: RunFailure)] = []

  /// Resolves paths; one that leads nowhere does not hide the others.
  /// - Throws: `RunFailure` with status 64 when the format is unknown.
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
      LeftOut(path: finding.place.file, reason: finding.code == .foreignFile ? .foreign : .unread(finding.message))
    }
    leftOut.removeAll { file in configurations.values.contains { $0.excludes(file.path) } }
    sources.removeAll { entry in
      guard let reason = Self.reason(entry, configurations[entry.root]) else { return false }
      leftOut.append(LeftOut(path: entry.source.path, reason: reason))
      return true
    }
    self.leftOut = leftOut
    // `content content/a.json` means every file once: twice, each of its ids would be taken by itself.
    var known: Set<String> = []
    var folders = FolderNames()
    sources.removeAll { !known.insert(folders.identity($0.source.path)).inserted }
    removeNotesOfVaults()
  }

  /// `vault vault/anchor.md` means every note once, too: it is read with the vault that it lies in.
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

  /// Whether a file that was named is a baseline.
  private static func isBaseline(_ source: Source) -> Bool {
    guard let head = try? SourceProbe.head(of: source) else { return false }
    let sign = Array("\"fleetkit.baseline\"".utf8)
    return head.firstRange(of: sign) != nil && head.firstRange(of: Array("\"content_type\"".utf8)) == nil
  }
}

/// One name for each file, whatever links and folders lead to it.
private struct FolderNames {
  /// The real names of folders: files that lie together ask for one.
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
