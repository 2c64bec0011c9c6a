/// The formats that a program has, in the order in which they are asked whether a source is theirs.
public struct FormatRegistry: Sendable {
  /// Every format.
  public let formats: [any Format]

  /// Makes a registry.
  public init(_ formats: [any Format]) { self.formats = formats }

  /// The format called `name`.
  /// - Throws: `RunFailure` with status 64 that lists the names there are.
  public func format(named name: String) throws -> any Format {
    if let found = formats.first(where: { $0.descriptor.name == name.lowercased() }) { return found }
    throw RunFailure(
      .usage, "there is no format '\(name)'",
      advice: "Formats are: \(formats.map(\.descriptor.name).joined(separator: ", ")).")
  }

  /// The format of a source, by its content first and its name second.
  /// - Throws: `RunFailure` with status 2 when the source is missing or no format recognises it.
  public func format(of source: Source, named name: String? = nil) throws -> any Format {
    if let name { return try format(named: name) }
    if source.isStandardInput {
      throw RunFailure(.usage, "the format of standard input is unknown", advice: "Add --from-format NAME.")
    }
    let head = try SourceProbe.head(of: source)
    if let found = formats.first(where: { $0.recognises(source, head: head) }) { return found }
    let byName = formats.first { $0.descriptor.extensions.contains(source.pathExtension) }
    if let byName { return byName }
    if head.starts(with: [0x1F, 0x8B]) || head.starts(with: Array("PK".utf8)) {
      throw RunFailure(.failed, "read '\(source.path)': it is compressed", advice: "Unpack it first.")
    }
    throw RunFailure(
      .failed, "read '\(source.path)': no format recognises it",
      advice: "Name the format with --from-format (\(formats.map(\.descriptor.name).joined(separator: ", "))).")
  }

  /// The format of a target, by its name; of a folder, the one that writes folders.
  /// - Throws: `RunFailure` with status 64 when the name says nothing.
  public func format(of target: Target, named name: String? = nil) throws -> any Format {
    if let name {
      let found = try format(named: name)
      let mayBeFolder =
        found.descriptor.takesFolders || found.descriptor.holdsFiles || found.descriptor.writesFolders
      if target.path.hasSuffix("/"), !mayBeFolder {
        throw RunFailure(
          .usage, "write '\(target.path)': the format '\(found.descriptor.name)' is written to a file, not to a folder",
          advice: "Name a file, for example \(target.path)library.\(found.descriptor.extensions.first ?? name).")
      }
      return found
    }
    if target.isFolder, let found = formats.first(where: { $0.descriptor.writes && $0.descriptor.takesFolders }) {
      return found
    }
    if target.isStandardOutput {
      throw RunFailure(.usage, "the format for standard output is unknown", advice: "Add --to-format NAME.")
    }
    let found = formats.first { $0.descriptor.writes && $0.isNamed(by: target) }
    if let found { return found }
    var endings: [String] = []
    for ending in formats.filter(\.descriptor.writes).flatMap(\.descriptor.extensions)
    where !endings.contains("." + ending) { endings.append("." + ending) }
    throw RunFailure(
      .usage, "the name '\(target.path)' does not say which format to write",
      advice: "End it in \(endings.joined(separator: ", ")), or in / for a folder of notes, or add --to-format NAME.")
  }
}
