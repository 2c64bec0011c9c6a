import Diagnostics
import Foundation
import Interchange

/// A file that was found in a folder and that no format reads. The file's bytes show what it is.
///
/// Pictures, sounds and films belong to notes and are not reported. Only the first and the last bytes are read.
enum StrayFile {
  /// Returns the finding for a file; nil for media.
  /// - Parameter head: the file's first bytes.
  static func finding(_ source: Source, head: FileHead) -> Diagnostic? {
    let place = Place(file: source.path)
    let head = head.bytes
    if let what = document(source, head) {
      return Diagnostic(.unreadFile, "\(what), which FleetKit cannot read", at: place)
    }
    if isMedia(head) { return nil }
    if head.isEmpty { return Diagnostic(.foreignFile, "an empty file", at: place) }
    guard isText(head) else { return Diagnostic(.foreignFile, "neither text nor a known format", at: place) }
    if LicenceClassifier.begins(head.span) {
      return Diagnostic(.foreignFile, "a licence", at: place)
    }
    if prose.contains(source.pathExtension) {
      return Diagnostic(
        .unreadFile, "a text file that is not Markdown", at: place,
        fix: "name the file itself with --from-format text, or save it as Markdown (.md)")
    }
    return Diagnostic(.foreignFile, "a text file of another program", at: place)
  }

  /// Returns what a named file is, if it is a document of another program.
  static func otherDocument(_ source: Source, head: [UInt8]) -> String? {
    document(source, head).flatMap { [archive, workbook].contains($0) ? nil : $0 }
  }

  private static let archive = "a ZIP archive"
  private static let workbook = "an Excel workbook"

  /// The extensions of text files that people write.
  private static let prose: Set<String> = ["txt", "text", "org", "rst", "adoc", "textile", "wiki", "tex"]

  /// Returns the name of a document or deck of another program.
  private static func document(_ source: Source, _ head: [UInt8]) -> String? {
    func begins(_ text: String) -> Bool { head.starts(with: Array(text.utf8)) }
    func has(_ text: String, in bytes: [UInt8]) -> Bool { bytes.firstRange(of: Array(text.utf8)) != nil }
    if begins("{\\rtf") { return "a rich text document (RTF)" }
    if begins("%PDF-") { return "a PDF document" }
    if begins("<!DOCTYPE html") || begins("<html") { return "a web page (HTML)" }
    if begins("<?xml"), has("<en-export", in: head) { return "an Evernote export" }
    if head.starts(with: [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]) {
      let names = tail(source, 1 << 20, fromStart: true)
      for (stream, what) in [
        ("WordDocument", "an old Word document (.doc)"), ("Workbook", "an old Excel workbook (.xls)"),
        ("PowerPoint Document", "an old PowerPoint presentation (.ppt)"),
      ] where names.firstRange(of: stream.utf8.flatMap { [$0, 0] }) != nil { return what }
      return nil
    }
    guard head.starts(with: [0x50, 0x4B, 3, 4]) else { return nil }
    // An OpenDocument or EPUB file begins with its type. The names of other members are in the archive's directory. The
    // bytes of a member may also contain an archive, such as a document in a pack.
    let type = head.dropFirst(30)
    for (name, what) in [
      ("text", "an OpenDocument text"), ("spreadsheet", "an OpenDocument spreadsheet"),
      ("presentation", "an OpenDocument presentation"),
    ] where type.starts(with: Array("mimetypeapplication/vnd.oasis.opendocument.\(name)".utf8)) { return what }
    if type.starts(with: Array("mimetypeapplication/epub+zip".utf8)) { return "an electronic book (EPUB)" }
    let names = directory(tail(source, 1 << 20, fromStart: false))
    for (part, what) in [
      ("word/document.xml", "a Word document"), ("ppt/presentation.xml", "a PowerPoint presentation"),
      ("xl/workbook", workbook), ("collection.anki2", "an Anki deck"),
      ("Index/Document.iwa", "a Pages or Numbers document"),
    ] where has(part, in: names) { return what }
    return archive
  }

  /// Returns the directory of an archive, from the end of the archive; empty if the directory is larger than the bytes.
  private static func directory(_ tail: [UInt8]) -> [UInt8] {
    let sign: [UInt8] = [0x50, 0x4B, 5, 6]
    guard let end = tail.indices.dropLast(21).last(where: { tail[$0] == 0x50 && tail[$0..<$0 + 4].elementsEqual(sign) })
    else { return [] }
    let size = (0..<4).reduce(0) { $0 | Int(tail[end + 12 + $1]) << (8 * $1) }
    return size <= end ? Array(tail[end - size..<end]) : []
  }

  private static func tail(_ source: Source, _ count: Int, fromStart: Bool) -> [UInt8] {
    guard let file = FileHandle(forReadingAtPath: source.path) else { return [] }
    defer { try? file.close() }
    let size = (try? file.seekToEnd()) ?? 0
    let start = fromStart || size < UInt64(count) ? 0 : size - UInt64(count)
    guard (try? file.seek(toOffset: start)) != nil else { return [] }
    return (try? file.read(upToCount: count)).flatMap { $0 }.map(Array.init) ?? []
  }

  private static func isMedia(_ head: [UInt8]) -> Bool {
    let beginnings: [[UInt8]] = [
      [0x89, 0x50, 0x4E, 0x47], [0xFF, 0xD8, 0xFF], Array("GIF8".utf8), Array("RIFF".utf8), Array("BM".utf8),
      [0x49, 0x49, 0x2A, 0], [0x4D, 0x4D, 0, 0x2A], Array("ID3".utf8), [0xFF, 0xFB], Array("OggS".utf8),
      Array("fLaC".utf8), [0x1A, 0x45, 0xDF, 0xA3],
    ]
    // In films, and in pictures from phones, the type comes after a length.
    return beginnings.contains { head.starts(with: $0) } || head.dropFirst(4).starts(with: Array("ftyp".utf8))
      || head.firstRange(of: Array("<svg".utf8)) != nil
  }

  private static func isText(_ head: [UInt8]) -> Bool {
    !head.contains(0) || head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF])
  }
}

/// A file of a folder that was content in an earlier run and no longer has a known format.
///
/// This format's files cannot be opened, so a run rejects them like every broken file.
struct LostContent: Format {
  /// What the file is now; nil for media.
  private let what: String

  init(_ finding: Diagnostic?) { what = finding?.message ?? "a picture, a sound or a film" }

  let descriptor = FormatDescriptor(
    FormatID("lost"), title: "lost content", page: "", extensions: [], mediaType: "application/octet-stream", keeps: [],
    writes: false, fromFolders: .onRequest, text: .note)

  func recognises(_ source: Source, head: FileHead) -> Bool { false }
  func hasSignature(_ head: FileHead) -> Bool { false }

  func reader(of source: Source, context: RunContext) throws -> any ContentReader {
    throw RunFailure(
      .failed, "this file was imported before, but is now \(what)",
      advice: "Restore it from a backup, or move it out of the folder.")
  }

  func writer(to target: Target, context: RunContext) throws -> any ContentWriter {
    throw RunFailure(.usage, "the format '\(descriptor.name)' cannot be written")
  }
}
