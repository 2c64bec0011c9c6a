import Content
import Diagnostics
import Foundation
import Interchange
import SourceFolders

extension FormatID {
  /// The format id of notes and vaults.
  public static let markdown = FormatID(rawValue: "markdown")
}

/// The Markdown format: a note, a folder of notes, or a vault.
///
/// - Source: formats/markdown.md
public struct MarkdownFormat: Format {
  /// The format of the records that Markdown cannot express, with one record per line.
  private let bundle: any Format

  /// Creates the format.
  /// - Parameter bundle: the format of `.fleetkit/library.jsonl`.
  public init(bundle: any Format) { self.bundle = bundle }

  /// The names and capabilities of the format.
  public var descriptor: FormatDescriptor { Self.descriptor }

  private static let descriptor = FormatDescriptor(
    .markdown, title: "Markdown note, or a vault of them", page: "markdown", extensions: ["md", "markdown"],
    mediaType: "text/markdown", keeps: Set(Feature.allCases), takesFolders: true, text: .note,
    options: [.ticks], differences: [.typing, .fileTimes], codes: DiagnosticCode.markdown)

  /// Returns whether a source is a note, judging by its name, or a vault that FleetKit wrote.
  public func recognises(_ source: Source, head: FileHead) -> Bool {
    if descriptor.extensions.contains(source.pathExtension) { return true }
    return companion(in: source) != nil
  }

  /// Returns false, because text has no signature.
  public func hasSignature(_ head: FileHead) -> Bool { false }

  /// Returns the vault around a note or a folder.
  public func home(of source: Source) -> SourceHome? {
    SourceFolder.home(of: source)
  }

  /// Returns the bundle with the content that notes cannot express.
  public func companion(in folder: Source) -> (path: String, inner: String)? {
    VaultPath.records(in: folder).map { ($0, VaultPath.records) }
  }

  /// Opens a note or a folder.
  public func reader(of source: Source, context: RunContext) throws -> any ContentReader {
    try VaultReader(source, bundle: bundle, context: context)
  }

  /// Begins a vault, or a single note if the target's name is a file name.
  public func writer(to target: Target, context: RunContext) throws -> any ContentWriter {
    if !target.isStandardOutput, !target.isFolder, descriptor.extensions.contains(target.pathExtension) {
      return try NoteFileWriter(target, check: VaultCheck(vault: nil), context: context)
    }
    let vault = target.isStandardOutput ? nil : target.path
    return try VaultWriter(target, bundle: bundle, check: VaultCheck(vault: vault), context: context)
  }
}

extension MarkdownFormat: MemberFormat {
  /// Opens notes that are members of a container. Each note is an item; content that Markdown cannot express is not
  /// looked up.
  public func reader(of members: any MemberSource, context: RunContext) throws -> any ContentReader {
    MemberNotesReader(members, context: context)
  }
}

extension MarkdownFormat: IDWritingFormat {
  /// Writes an id into the front matter of a note.
  public func writeID(_ id: String, into file: String) throws -> IDWriteOutcome {
    try NoteIDWriter.write(id, into: file)
  }
}

extension MarkdownFormat {
  /// Returns a writer that renders single items as self-contained notes.
  public func itemWriter() -> any ItemTextWriter { NoteItemWriter() }
}

/// Writes an item as a note that can be read at any path. The note contains its id, and no value is derived from a
/// path.
///
/// Every note is read back before it is used. An item that Markdown cannot express is not written. An item that keeps
/// the original spelling of its note is not written either, because a note at another path cannot express that
/// spelling.
private struct NoteItemWriter: ItemTextWriter {
  private let text = NoteRenderer(check: VaultCheck(vault: nil))

  func text(of item: Record, at path: String) -> [UInt8]? {
    guard let record = NoteRecord(item), !record.keepsItsNote else { return nil }
    return text.text(of: record, at: path)
  }
}

/// Writes one item as one note.
final class NoteFileWriter: ContentWriter {
  private let context: RunContext
  private let target: String
  private let text: NoteRenderer
  private let file: AtomicFile
  private var size: Int?

  /// Begins a note.
  /// - Throws: `RunFailure` with status 4 if a file with that name exists.
  init(_ target: Target, check: any NoteCheck, context: RunContext) throws {
    self.context = context
    self.target = target.path
    text = NoteRenderer(check: check)
    file = try AtomicFile(target)
  }

  func write(_ batch: RecordBatch, tally: inout Tally, rejects: RejectsWriter) throws {
    for record in batch.records {
      guard record.kind == .item else {
        context.losses.record(record.kind, id: record.id, field: "", reason: .notAnItem)
        tally[record.kind].skipped[.notAnItem, default: 0] += 1
        continue
      }
      guard size == nil else {
        throw RunFailure(
          .refused, "write '\(target)': a note holds one item, but the source has more; nothing was written",
          advice: "Name a folder, '\(folderName)/', or choose one item with --id or --title.")
      }
      let name = target.split(separator: "/").last.map(String.init) ?? target
      let bytes = record.withLine { NoteRecord($0.span) }.flatMap { text.text(of: $0, at: name) }
      guard let bytes else {
        throw RunFailure(
          .refused, "write '\(target)': Markdown cannot express the item \(record.id) without loss",
          advice: "Write a bundle, for example item.json.")
      }
      let sink = ByteSink(descriptor: file.descriptor, name: target)
      try sink.write(bytes.span)
      try sink.flush()
      size = bytes.count
      tally[.item].created += 1
    }
  }

  private var folderName: String {
    guard let dot = target.lastIndex(of: ".") else { return target }
    return String(target[..<dot])
  }

  func prepare(tally: inout Tally, rejects: RejectsWriter) throws {
    guard size != nil else {
      throw RunFailure(
        .refused, "write '\(target)': there is no item to write; nothing was written",
        advice: "'fleetkit list' lists the items in the source.")
    }
  }

  func finish() throws -> Int { try file.publish() }

  func abort() { file.discard() }

  var noteCount: Int? { size == nil ? 0 : 1 }
}
