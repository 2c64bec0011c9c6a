import Diagnostics
import Foundation
import Interchange
import JSONText
import MarkdownSyntax
import Validation

/// Follows the links of a vault: finds dead links, and the files that notes use.
///
/// The reader adds every note and every other file, and then calls `finish`, which reports the findings. After that,
/// `used` returns the files that notes use. Links are kept until `finish`, because their targets may be added later.
/// Links to a note that is already known are dropped immediately. The index keeps about 8 bytes per heading and 200
/// bytes per note. It is used by one thread.
final class VaultLinks {
  private struct Note {
    let path: String
    let id: String
    let title: String
    /// The range of the note's headings in `anchors`; nil if the note was not scanned for headings.
    let anchors: Range<Int>?
    /// The range of the note's links in `pending`.
    var links: Range<Int>
  }

  /// A link whose target was not found when its note was read.
  private struct Pending {
    let form: NoteLinks.Form
    let line: UInt32
    let column: UInt32
    let endColumn: UInt32
    let text: Int
    let pageLength: UInt16
    /// The length of the section's name; nil if the link names no section.
    let sectionLength: UInt16?
  }

  /// The result of following a link.
  private enum Outcome {
    case found
    case file(Int32)
    case missingNote
    case missingFile
    case missingSection(inSame: Bool)
    case broken
    /// The target may be outside the notes, so it cannot be checked.
    case unknown
  }

  private let folder: String
  private let source: String
  /// The log for findings; nil if only a part of the vault is read, because then a missing target cannot be detected.
  private let findings: DiagnosticLog?
  private var notes: [Note] = []
  private var names = LinkNames()
  private var files = LinkFiles()
  /// The folders that contain files, for links to folders.
  private var folders = LinkFolders()
  private var anchors: [UInt32] = []
  private var pending: [Pending] = []
  private var texts: [UInt8] = []
  private var excerpts: [Int: String] = [:]
  private var scan = MarkdownScan()
  /// The items that use each file.
  private var uses: [Int32: [Int32]] = [:]
  /// The number of links that were not followed, because there were too many.
  private var unchecked = 0
  private var unreported = 0

  private static let mostInNote = 100
  private static let mostInRun = 20_000
  /// The maximum number of links that are kept for the end of the run.
  private static let mostPending = 2_000_000

  /// Creates an empty index.
  /// - Parameters:
  ///   - folder: the vault, as the user named it.
  ///   - source: a stable name of the vault, from which attachment ids are derived.
  ///   - findings: the log that receives the findings; nil for a part of a vault, whose files are looked up on the
  ///     disk.
  init(folder: String, source: String, findings: DiagnosticLog?) {
    var folder = folder[...]
    while folder.count > 1, folder.hasSuffix("/") { folder = folder.dropLast() }
    self.folder = String(folder)
    self.source = source
    self.findings = findings
  }

  // MARK: Notes and files

  /// Adds a note.
  /// - Parameters:
  ///   - path: the path in the vault, with `/` between names.
  ///   - id: the id of the note's record; empty for a note that is not a record. The links of such a note are not
  ///     followed.
  ///   - text: the note's decoded text, without a byte order mark.
  ///   - isUTF8: whether the file on disk has the same bytes. If not, findings contain a copy of the lines at which
  ///     they point.
  func addNote(
    path: String, id: String, title: String, aliases: [String], text: Span<UInt8>, body: Range<Int>,
    isUTF8: Bool = true
  ) {
    var tree = MarkdownTree()
    tree.read(text, in: body.clamped(to: 0..<text.count))
    let links = NoteLinks(text, body: body, tree: tree, scan: &scan, keepsLines: !isUTF8)
    addNote(path: path, id: id, title: title, aliases: aliases, links)
  }

  /// Adds a note that was already scanned on another thread.
  func addNote(path: String, id: String, title: String, aliases: [String], _ links: NoteLinks) {
    let start = anchors.count
    anchors += links.anchors
    let first = pending.count
    notes.append(
      Note(path: path, id: id, title: title, anchors: start..<anchors.count, links: first..<first))
    names.add(path: path, title: title, aliases: aliases)
    folders.add(path)
    if id.isEmpty { return }
    unchecked += links.leftOut
    for (index, link) in links.links.enumerated() {
      let page = String(decoding: links.bytes[link.page], as: UTF8.self)
      let section = link.section.map { String(decoding: links.bytes[$0], as: UTF8.self) }
      if case .found = outcome(link.form, page, section, notes.count - 1) { continue }
      guard pending.count < Self.mostPending else {
        unchecked += 1
        continue
      }
      if index < links.lines.count { excerpts[pending.count] = links.lines[index] }
      pending.append(
        Pending(
          form: link.form, line: link.line, column: link.column, endColumn: link.endColumn, text: texts.count,
          pageLength: UInt16(clamping: page.utf8.count),
          sectionLength: section.map { UInt16(clamping: $0.utf8.count) }))
      texts += page.utf8
      if let section { texts += section.utf8 }
    }
    notes[notes.count - 1].links = first..<pending.count
  }

  /// Adds a note that is not read. Links to this note and to any section in it count as valid.
  func unread(_ path: String) {
    notes.append(
      Note(path: path, id: "", title: "", anchors: nil, links: pending.count..<pending.count))
    names.add(path: path, title: VaultFile.stem(of: path), aliases: [])
    folders.add(path)
  }

  /// Adds a file that is not a note, such as a picture or a document to which notes may link.
  func file(_ path: String) {
    files.add(path)
    folders.add(path)
  }

  // MARK: Targets of links

  /// Reports dead links, note by note in the order in which the notes were added.
  func finish() {
    var told = 0
    for (index, note) in notes.enumerated() {
      var left = Self.mostInNote
      for number in note.links {
        let link = pending[number]
        let (page, section) = text(of: link)
        let outcome = outcome(link.form, page, section, index)
        if case .file(let file) = outcome {
          if uses[file]?.last != Int32(clamping: index) { uses[file, default: []].append(Int32(clamping: index)) }
          continue
        }
        guard let (code, message) = finding(outcome, link.form, page, section) else { continue }
        guard left > 0, told < Self.mostInRun else {
          unreported += 1
          continue
        }
        left -= 1
        told += 1
        findings?.report(
          Diagnostic(
            code, message,
            at: Place(
              file: file(note.path), line: Int(link.line), column: Int(link.column),
              endColumn: link.endColumn > 0 ? Int(link.endColumn) : nil),
            record: note.id.isEmpty ? nil : "item \(note.id)", title: note.title, fix: Self.advice(outcome),
            excerpt: excerpts[number]))
      }
    }
    reportRest()
    pending = []
    texts = []
    excerpts = [:]
  }

  private func reportRest() {
    for (count, one, many) in [
      (unreported, "1 more link is dead", "\(unreported) more links are dead"),
      (unchecked, "1 more link was not followed", "\(unchecked) more links were not followed"),
    ] where count > 0 {
      let message = (count == 1 ? one : many) + "; there are too many to list"
      findings?.report(Diagnostic(.deadLink, message, at: Place(file: folder)))
    }
  }

  private func text(of link: Pending) -> (page: String, section: String?) {
    let end = link.text + Int(link.pageLength)
    return (
      String(decoding: texts[link.text..<end], as: UTF8.self),
      link.sectionLength.map { String(decoding: texts[end..<end + Int($0)], as: UTF8.self) }
    )
  }

  private func outcome(_ form: NoteLinks.Form, _ page: String, _ section: String?, _ note: Int) -> Outcome {
    if form == .broken { return .broken }
    if page.isEmpty {
      return section.map { has($0, Int32(clamping: note)) } ?? true ? .found : .missingSection(inSame: true)
    }
    let ending = FileName.last(page).ending
    let isNote = ending == nil || ending == "md" || ending == "markdown"
    if form != .image, let found = self.note(page, form, from: notes[note].path) {
      guard let section, !found.isAmbiguous, !has(section, found.note) else { return .found }
      return .missingSection(inSame: false)
    }
    if !isNote || form == .image, let file = mediaFile(page, from: notes[note].path) { return .file(file) }
    if form == .image { return .missingFile }
    if page.hasSuffix("/"), folders.contains(page, from: notes[note].path) { return .found }
    if isNote { return .missingNote }
    // Any other extension may belong to a file that a web site generator creates from the vault.
    return FileName.media.contains(ending ?? "") ? .missingFile : form == .link ? .unknown : .missingNote
  }

  private func note(_ page: String, _ form: NoteLinks.Form, from path: String) -> LinkNames.Found? {
    if form == .link || LinkPath.isExplicit(page), let own = LinkPath.resolved(page, from: path),
      let found = names.note(at: own)
    {
      return found
    }
    if LinkPath.isExplicit(page) { return nil }
    let name = LinkPath.name(page)
    return names.note(at: name) ?? names.note(called: name)
  }

  private func mediaFile(_ page: String, from path: String) -> Int32? {
    if let found = mediaFile(exactly: page, from: path) { return found }
    // `knot.svg?raw=true`
    guard let mark = page.utf8.firstIndex(of: UInt8(ascii: "?")), mark > page.startIndex else { return nil }
    return mediaFile(exactly: String(page[..<mark]), from: path)
  }

  private func mediaFile(exactly page: String, from path: String) -> Int32? {
    let resolved = LinkPath.resolved(page, from: path)
    let own = resolved.flatMap { files.file(at: $0) ?? fileOnDisk($0) }
    if own != nil || LinkPath.isExplicit(page) { return own }
    let name = LinkPath.name(page)
    return files.file(at: name) ?? files.file(called: name)
  }

  /// Looks up a file on the disk, because files are not listed if only a part of the vault is read.
  private func fileOnDisk(_ path: String) -> Int32? {
    guard findings == nil, let descriptor = LinkPath.open(path, in: folder) else { return nil }
    close(descriptor)
    files.add(path)
    return files.file(at: path)
  }

  /// Whether a note has a heading or a block with the given name.
  private func has(_ section: String, _ note: Int32) -> Bool {
    // In Obsidian's links, the names of enclosing headings may precede a heading's own name, so the last name counts.
    guard let last = section.split(separator: "#").last else { return true }
    if last.hasPrefix("^") { return contains(LinkKey.block(last.dropFirst()), note) }
    let anchor = String(last)
    if contains(LinkKey.heading(anchor), note) { return true }
    // The anchor of the second heading with the same text is `name-1`.
    guard let dash = anchor.utf8.lastIndex(of: UInt8(ascii: "-")),
      let number = Int(anchor[anchor.utf8.index(after: dash)...]), number > 0, number < Int.max
    else { return false }
    return contains(LinkKey.heading(String(anchor[..<dash])), note, times: number + 1)
  }

  private func contains(_ key: UInt32, _ note: Int32, times: Int = 1) -> Bool {
    guard let range = notes[Int(note)].anchors else { return true }
    var (low, high) = (range.lowerBound, range.upperBound)
    while low < high {
      let middle = (low + high) / 2
      if anchors[middle] < key { low = middle + 1 } else { high = middle }
    }
    return times <= range.upperBound - low && anchors[low] == key && anchors[low + times - 1] == key
  }

  // MARK: Messages

  private func finding(
    _ outcome: Outcome, _ form: NoteLinks.Form, _ page: String, _ section: String?
  ) -> (DiagnosticCode, String)? {
    let page = Quotation.of(page)
    switch outcome {
    case .found, .file, .unknown: return nil
    case .broken: return (.deadLink, "the link \(page) is dead: \(section ?? "it has no target")")
    case .missingNote: return (.deadLink, "there is no note named \(page) in this vault")
    case .missingFile:
      if form == .link || form == .wiki { return (.deadLink, "there is no file named \(page) in this vault") }
      return (.missingImage, "the file \(page) is not in this vault")
    case .missingSection(let inSame):
      let last = section?.split(separator: "#").last.map(String.init) ?? ""
      let what = "\(last.hasPrefix("^") ? "block" : "heading") \(Quotation.of(last))"
      return (.deadLink, inSame ? "this note has no \(what)" : "\(page) has no \(what)")
    }
  }

  private static func advice(_ outcome: Outcome) -> String? {
    switch outcome {
    case .broken: "correct or add the target, or keep only the link's text"
    case .missingNote: "correct the name, or write the note"
    case .missingFile: "add the file to the vault, or remove the link"
    case .missingSection: "correct the name of the heading or block"
    default: nil
    }
  }

  private func file(_ path: String) -> String { folder == "/" ? "/" + path : folder + "/" + path }

  // MARK: Files that notes use

  /// The files that notes use, sorted by path, with the ids of the items that use each file. Read this property after
  /// `finish`.
  var used: [(path: String, itemIDs: [String])] {
    uses.map { file, users in
      (files.paths[Int(file)], Set(users.map { notes[Int($0)].id }).filter { !$0.isEmpty }.sorted())
    }.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
  }

  /// Reports that a file used by notes cannot be included.
  func reportUnreadable(_ path: String) {
    findings?.report(
      Diagnostic(
        .missingImage, "the file is unreadable, or is a symbolic link to a path outside the vault; it is left out",
        at: Place(file: file(path)), fix: "add the file itself to the vault"))
  }
}
