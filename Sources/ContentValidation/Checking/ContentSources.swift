import Foundation
import Interchange
import JSONText
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
  public enum Reason: Sendable {
    /// A configuration excludes it.
    case excluded
    /// JSON that has nothing of content in it, `package.json` for example; found in a folder, not named.
    case foreign
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
    for path in paths {
      do {
        entries += try SourceList([path], format: format).entries
      } catch let failure as RunFailure where failure.status != .usage {
        failures.append((path, failure))
      }
    }
    sources = SourceList(entries: entries)
    var leftOut: [LeftOut] = []
    sources.removeAll { entry in
      guard let reason = Self.reason(entry, configurations[entry.root]) else { return false }
      leftOut.append(LeftOut(path: entry.source.path, reason: reason))
      return true
    }
    self.leftOut = leftOut
    // `content content/a.json` means every file once: twice, each of its ids would be taken by itself.
    var known: Set<String> = []
    sources.removeAll { !known.insert(Self.identity($0.source.path)).inserted }
    removeNotesOfVaults()
  }

  /// `vault vault/anchor.md` means every note once, too: it is read with the vault that it lies in.
  private mutating func removeNotesOfVaults() {
    let folders = sources.entries.filter(\.isFolder).map {
      (format: $0.format.descriptor.id, path: Self.identity($0.source.path) + "/")
    }
    guard !folders.isEmpty else { return }
    sources.removeAll { entry in
      guard entry.format.descriptor.takesFolders else { return false }
      let path = Self.identity(entry.source.path)
      return folders.contains { $0.format == entry.format.descriptor.id && path.utf8.starts(with: $0.path.utf8) }
    }
  }

  /// One name for each file, whatever links and folders lead to it.
  private static func identity(_ path: String) -> String {
    guard path != "-", let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  private static func reason(_ entry: SourceList.Entry, _ configuration: Configuration?) -> Reason? {
    if configuration?.excludes(entry.source.path) ?? false { return .excluded }
    guard entry.format.descriptor.text == .document else { return nil }
    let isNamed = entry.root == entry.source.path
    guard let traits = JSONTraits(entry.source.path) else { return nil }
    if traits.isBaseline { return .baseline }
    return !isNamed && traits.isForeign ? .foreign : nil
  }
}

/// What a JSON file's outermost members say about it.
private struct JSONTraits {
  let isBaseline: Bool
  /// Whether no member is one that content, or a misspelled try of it, would have.
  let isForeign: Bool

  /// Larger files are content: nobody keeps settings of that size.
  private static let largest = 1 << 20

  private static let members: Set<String> = [
    "kind", "format", "content_type", "content_data", "title", "sections", "items", "cards", "markdown", "charters",
    "executions", "sync_operations", "attachments", "practice_sessions", "foreign", "others", "min_reader",
  ]

  init?(_ path: String) {
    // Most files say what they are at their beginning; only the others are read as a whole.
    guard let head = try? SourceProbe.head(of: Source(path)),
      head.firstRange(of: Array("\"content_type\"".utf8)) == nil
    else { return nil }
    guard let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int, size <= Self.largest,
      let data = FileManager.default.contents(atPath: path), let document = try? JSONDocument(parsing: [UInt8](data)),
      document.root.kind == .object
    else { return nil }
    let names = Set(document.root.members.map(\.name))
    isBaseline = document.root["format"]?.string == "fleetkit.baseline"
    let isSchema = document.root["$schema"]?.string?.contains("json-schema.org") ?? false
    isForeign = isSchema || (!names.isEmpty && names.isDisjoint(with: Self.members))
  }
}
