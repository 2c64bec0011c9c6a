import Content
import Diagnostics
import Foundation
import Interchange
import MarkdownText
import SourceFolders

extension DiagnosticCode {
  /// A mail signature was left out.
  public static let mailSignature = DiagnosticCode(
    "TXT0101", "mail-signature", .warning, "A mail signature was left out.",
    why: "a list does not include its sender",
    fix: "if the lines are part of the list, begin them with '- '")
}

extension FormatID {
  /// Plain text.
  public static let plainText = FormatID(rawValue: "text")
}

/// The format of plain text: lists pasted from web pages, wikis, mails and word processors. It is read-only.
///
/// - Source: formats/plain-text.md
public struct PlainTextFormat: Format {
  private let notes: any MemberFormat

  /// The maximum size of a file, in bytes. Longer files are not lists.
  private static let largest = 16 << 20

  /// Creates the format.
  /// - Parameter notes: the format of notes, which interprets the text.
  public init(notes: any MemberFormat) { self.notes = notes }

  /// The format's names and capabilities.
  public var descriptor: FormatDescriptor { Self.descriptor }

  private static let descriptor = FormatDescriptor(
    .plainText, title: "Plain text, a pasted list", page: "plain-text", extensions: ["txt", "text"],
    mediaType: "text/plain",
    keeps: [.checklists, .guides, .decks, .sections, .itemDetails], writes: false,
    fromFolders: .onRequest, options: [.ticks], codes: [DiagnosticCode.mailSignature])

  /// Recognizes text only by the file's name, because any text might be a list.
  public func recognises(_ source: Source, head: FileHead) -> Bool {
    descriptor.extensions.contains(source.pathExtension)
  }

  /// Returns false, because text has no signature.
  public func hasSignature(_ head: FileHead) -> Bool { false }

  /// Returns the collection of notes that the file belongs to.
  public func home(of source: Source) -> SourceHome? { SourceFolder.home(of: source) }

  /// Opens a text file.
  /// - Throws: `RunFailure` with status 2 if the file cannot be read or is not text.
  public func reader(of source: Source, context: RunContext) throws -> any ContentReader {
    let (bytes, time) = try Self.read(source, now: context.now)
    guard let decoded = DecodedText.decode(bytes.span) else {
      throw RunFailure(
        .failed, "read '\(source.name)': not text in UTF-8, UTF-16, windows-1251 or windows-1252",
        advice: "Save it as UTF-8.")
    }
    let text = bytes.withUnsafeBufferPointer { bytes in
      decoded.withText(of: bytes) { String(decoding: $0, as: UTF8.self) }
    }
    let home = home(of: source)
    let list = PastedList(text, infers: context.reading.infer != .never)
    if let signature = list.signature {
      let count = signature.count == 1 ? "1 line" : "\(signature.count) lines"
      context.findings.report(
        Diagnostic(
          .mailSignature, "\(count) of a signature left out",
          at: Place(file: source.path, line: signature.lowerBound + 1, column: 1)))
    }
    let note = PastedNote(
      list, name: source.path, fileName: Self.fileName(source),
      idScope: (home?.name ?? "-") + "\u{0}text\u{0}" + (home?.path ?? ""), time: time)
    context.keep(note)
    return try notes.reader(of: note, context: context)
  }

  /// Always throws, because FleetKit writes lists as Markdown, which is also text.
  /// - Throws: `RunFailure` with status 64.
  public func writer(to target: Target, context: RunContext) throws -> any ContentWriter {
    throw RunFailure(
      .usage, "write '\(target.path)': plain text can only be read",
      advice: "Use the extension .md: Markdown is plain text that can be read back.")
  }

  private static func fileName(_ source: Source) -> String {
    source.isStandardInput ? "Pasted list" : String(source.path.split(separator: "/").last ?? "Pasted list")
  }

  private static func read(_ source: Source, now: Timestamp) throws -> ([UInt8], Timestamp) {
    let name = source.isStandardInput ? "standard input" : "'\(source.name)'"
    let descriptor = source.isStandardInput ? dup(0) : open(source.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw RunFailure(.failed, "read \(name): \(SystemError.last)") }
    defer { close(descriptor) }
    var status = stat()
    let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    #if canImport(Darwin)
      let seconds = status.st_mtimespec.tv_sec
    #else
      let seconds = status.st_mtim.tv_sec
    #endif
    var bytes: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let got = room.withUnsafeMutableBytes { FileRead.some(descriptor, into: $0) }
      guard got >= 0 else { throw RunFailure(.failed, "read \(name): \(SystemError.last)") }
      if got == 0 { break }
      bytes += room[..<got]
      guard bytes.count <= largest else {
        throw RunFailure(.failed, "read \(name): it is larger than the limit of \(largest >> 20) MB")
      }
    }
    return (bytes, isFile ? Timestamp(milliseconds: Int64(seconds) * 1000) : now)
  }
}

/// A pasted text, presented as a source with one note that the note reader can open.
private final class PastedNote: MemberSource {
  let name: String
  let idScope: String
  let time: Timestamp
  let paths: [String]
  let isWrittenByHand = true
  let isMade = true
  private let list: PastedList
  /// The note's bytes, which are written once, before the first read.
  nonisolated(unsafe) private let memory: UnsafeMutableBufferPointer<UInt8>

  /// Creates the note from a pasted text.
  /// - Parameter name: the file's path as the user typed it. If the text has no title, `fileName` without its extension
  ///   is used as the title.
  init(_ list: PastedList, name: String, fileName: String, idScope: String, time: Timestamp) {
    self.list = list
    self.name = name
    self.idScope = idScope
    self.time = time
    paths = [fileName]
    memory = .allocate(capacity: max(1, list.markdown.count))
    _ = memory.initialize(from: list.markdown)
  }

  deinit { memory.deallocate() }

  func index(of path: String) -> Int? { path.utf8.elementsEqual(paths[0].utf8) ? 0 : nil }

  func bytes(of index: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: memory[..<list.markdown.count])
  }

  func shown(_ index: Int) -> String { name }

  func madeOf(_ place: Place) -> LocatedPlace? {
    guard let line = place.line, list.shifts.indices.contains(line - 1) else { return nil }
    let shift = list.shifts[line - 1]
    func typed(_ column: Int) -> Int { max(shift.start + 1, column - shift.made + shift.typed) }
    var found = place
    found.column = place.column.map(typed)
    found.endColumn = place.endColumn.map(typed)
    return LocatedPlace(found)
  }
}
