import ArchiveIO
import Interchange

extension ContentPackFormat {
  /// The formats of the files in a pack.
  public var members: PackFormats { PackFormats(notes: notes, documents: document, lines: lines) }

  /// Begins a pack with the profile `copy`.
  public func writer(to target: Target, context: RunContext) throws -> any ContentWriter {
    try PackWriter(target, formats: members, context: context)
  }

  /// Whether a target's name is an archive name.
  public func isNamed(by target: Target) -> Bool {
    guard !target.isFolder, let kind = ArchiveKind.named(target.path) else { return false }
    return kind != .folder
  }
}
