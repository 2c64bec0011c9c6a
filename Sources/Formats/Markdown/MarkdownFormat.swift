import Foundation
import Interchange

/// Notes and vaults: Markdown with YAML front matter, one file an item.
///
/// - Source: formats/markdown.md
public struct MarkdownFormat: Format {
  /// The format of what Markdown cannot say, in `.fleetkit/library.jsonl`.
  private let bundle: any Format

  /// Makes the format.
  /// - Parameter bundle: bundles of lines.
  public init(bundle: any Format) { self.bundle = bundle }

  /// Names and abilities.
  public var descriptor: FormatDescriptor {
    FormatDescriptor(
      name: "markdown", title: "Markdown, a note or a vault of notes", extensions: ["md", "markdown"],
      mediaType: "text/markdown", keeps: Set(Feature.allCases), reads: false, writesFolders: true)
  }

  /// By name: any text is Markdown.
  public func recognises(_ source: Source, head: [UInt8]) -> Bool {
    descriptor.extensions.contains(source.pathExtension)
  }

  /// Never: any text is Markdown.
  public func hasSignature(_ head: [UInt8]) -> Bool { false }

  /// Opens a note or a vault.
  public func reader(of source: Source, context: RunContext) throws -> any ContentReader {
    throw RunFailure(.usage, "the format 'markdown' cannot be read")
  }

  /// Begins a vault, or one note where the target is named like a file.
  public func writer(to target: Target, context: RunContext) throws -> any ContentWriter {
    if !target.isStandardOutput, !target.isFolder, descriptor.extensions.contains(target.pathExtension) {
      return try NoteFileWriter(target, check: nil, context: context)
    }
    return try VaultWriter(target, bundle: bundle, check: nil, context: context)
  }
}
