import ArchiveIO
import Interchange

extension ContentPackFormat {
  /// The formats of the files in a pack.
  public var members: PackFormats { PackFormats(notes: notes, documents: document, lines: lines) }

  /// Begins a pack of profile `copy`.
  public func writer(to target: Target, context: RunContext) throws -> any ContentWriter {
    try PackWriter(target, formats: members, context: context)
  }

  /// Whether a target's name is that of an archive.
  public func isNamed(by target: Target) -> Bool {
    guard !target.isFolder, let kind = ArchiveKind.named(target.path) else { return false }
    return kind != .folder
  }
}
