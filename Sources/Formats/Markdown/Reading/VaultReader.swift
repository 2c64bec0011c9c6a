import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import MarkdownText

/// Reads a note, a folder of notes or a vault: every note is an item, and what Markdown cannot say comes from
/// `.fleetkit/library.jsonl`.
///
/// Memory is bounded by a batch, the largest note, and the list of notes.
final class VaultReader: ContentReader {
  private let paths: VaultPaths
  private let context: RunContext
  private let bundle: any Format
  private let parser: NoteParser
  private var notes: [VaultFile]
  private let size: Int
  private var index = 0
  private var done = 0
  private var records: (any ContentReader)?
  private var isAtEnd = false
  private var canonicalizer = Canonicalizer(mode: .bundle)
  private var bytes = ByteBuffer(capacity: 1 << 16)
  private var findings: VaultFindings

  /// Bytes of records in one batch.
  static let batchBytes = 1 << 20

  /// Opens a source.
  /// - Parameter bundle: the format of what Markdown cannot say.
  init(_ source: Source, bundle: any Format, context: RunContext) throws {
    paths = VaultPaths(source)
    self.context = context
    self.bundle = bundle
    parser = NoteParser(infer: context.reading.infer)
    findings = VaultFindings(context.findings, source: source.path)
    if paths.isNote {
      notes = [try Self.single(source)]
      size = notes[0].size
    } else {
      let walk = try VaultWalk(source.path)
      for folder in walk.unreadable { findings.unreadableName(in: folder) }
      notes = walk.notes
      size = walk.size
      let kept = (source.path.hasSuffix("/") ? source.path : source.path + "/") + ".fleetkit/library.jsonl"
      if access(kept, F_OK) == 0 { records = try bundle.reader(of: Source(kept), context: context) }
    }
  }

  private static func single(_ source: Source) throws -> VaultFile {
    let name = (source.path as NSString).lastPathComponent
    if source.isStandardInput {
      return VaultFile(path: "-", size: 0, modified: Timestamp(milliseconds: 0))
    }
    var status = stat()
    guard stat(source.path, &status) == 0 else {
      throw RunFailure(.failed, "read '\(source.path)': \(SystemError.last)")
    }
    return VaultFile(path: name, status)
  }

  var progress: (done: Int, total: Int?) { (done, size) }

  func next() throws -> RecordBatch? {
    if index < notes.count {
      let locator = VaultLocator(paths, parser: parser)
      let batch = RecordBatch(locator: locator, source: ByteBuffer(capacity: Self.batchBytes + (1 << 16)))
      while index < notes.count, batch.source.count + batch.canonical.count < Self.batchBytes {
        try read(notes[index], into: batch, locator)
        done += notes[index].size
        index += 1
      }
      if index == notes.count { findings.end(notes.count) }
      return batch
    }
    if let records {
      if let batch = try records.next() { return batch }
      self.records = nil
    }
    return nil
  }

  // MARK: One note

  private func read(_ file: VaultFile, into batch: RecordBatch, _ locator: VaultLocator) throws {
    bytes.removeAll()
    if file.path == "-", paths.isNote {
      try NoteBytes.read(0, "standard input", size: 1 << 16, into: &bytes)
    } else {
      try NoteBytes.read(paths.real(file.path), size: file.size, into: &bytes)
    }
    let all = bytes.bytes
    guard let decoded = DecodedText.decode(all) else { return reject(file, batch) }
    if decoded.encoding != .utf8 { findings.encoding(decoded.encoding, decoded.certainty, paths.shown(file.path)) }
    decoded.withText(of: all) { read(file, $0, decoded, into: batch, locator) }
  }

  private func read(
    _ file: VaultFile, _ text: UnsafeBufferPointer<UInt8>, _ decoded: DecodedText, into batch: RecordBatch,
    _ locator: VaultLocator
  ) {
    let path = paths.inVault(file.path)
    let note = parser.parse(text, path: path)
    let shown = paths.shown(file.path)
    if file.isAboutTheFolder, !paths.isNote, note.metadata.type == nil, note.metadata.member("id") == nil {
      return findings.aboutTheFolder(shown)
    }
    findings.report(note, text, file: shown)
    if context.reading.explains { explain(note.judgement, shown) }
    let original = NoteOriginal(
      path: path, encoding: decoded.encoding, hadBOM: decoded.hadBOM,
      hasDerivedID: note.metadata.member("id") == nil)
    let around = NoteJSON.Surroundings(
      derivedID: UUIDText.derived([paths.place.sourceID, path.precomposed, ""]), fileTime: file.modified,
      original: original.members(of: note, text))
    let start = batch.source.count
    NoteJSON(note: note, text: text).write(around, into: &batch.source)
    append(note, file, from: start, into: batch, locator)
  }

  /// Makes the draft that ends the batch's source a record: as it lies where it is canonical, which a guide's nearly
  /// always is.
  private func append(
    _ note: ParsedNote, _ file: VaultFile, from start: Int, into batch: RecordBatch, _ locator: VaultLocator
  ) {
    let number = locator.add(file.path)
    let parse: JSONParse
    do throws(JSONError) {
      parse = try batch.tape.parse(batch.source.bytes, in: start..<batch.source.count)
    } catch {
      batch.source.truncate(to: start)
      return reject(file, batch)
    }
    let node = JSONNode(text: batch.source.start, tokens: batch.tape.tokens, index: parse.root)
    if CanonicalCheck.isCanonical(node, kind: .item, traits: parse.traits) {
      var slot = RecordSlot(
        kind: .item, inSource: true, start: start, length: batch.source.count - start, root: parse.root)
      slot.sourceFile = number
      batch.slots.append(slot)
      // With their line ends, lines that follow each other can be written in one piece.
      return batch.source.append(0x0A)
    }
    defer {
      batch.source.truncate(to: start)
      batch.tape.truncate(to: parse.root)
    }
    let begin = batch.canonical.count
    canonicalizer.writeRecord(node, kind: .item, derivedID: { UUIDText.zero }, into: &batch.canonical)
    batch.appendSlot(.item, from: begin)
    batch.slots[batch.slots.count - 1].sourceFile = number
    let issues = canonicalizer.issues
    guard !issues.isEmpty else { return }
    let record = Record(batch: batch, index: batch.slots.count - 1)
    let found = issues.map { issue in
      Diagnostic(
        issue.code, issue.message, at: locator.locate(.value, of: record, at: issue.pointer).place,
        record: "item \(record.id)", title: note.title, severity: issue.severity, fix: issue.fix)
    }
    for finding in found { context.findings.report(finding) }
    guard canonicalizer.rejected else { return }
    let errors = found.filter { $0.code.severity == .error }
    batch.slots.removeLast()
    batch.rejected.append(
      RejectedRecord(
        kind: .item, bytes: batch.source.copy(start..<batch.source.count), place: paths.shown(file.path),
        reasons: errors.map { RejectReason(code: $0.code.id, message: $0.message, place: $0.place.description) }))
    batch.canonical.truncate(to: begin)
  }

  private func explain(_ judgement: Judgement, _ file: String) {
    context.explanations.add(
      Explanation(
        file: file, takenFor: judgement.type.rawValue.replacing("_", with: " "), certainty: judgement.certainty,
        reasons: judgement.reasons))
  }

  /// A file that is no text goes to the rejects as it is.
  private func reject(_ file: VaultFile, _ batch: RecordBatch) {
    let shown = paths.shown(file.path)
    let message = "this is no text in UTF-8, UTF-16, windows-1251 or windows-1252"
    context.findings.report(Diagnostic(.notText, message, at: Place(file: shown)))
    var json = ByteBuffer(capacity: bytes.count * 4 / 3 + 256)
    json.append("{\"kind\":\"foreign\",\"system\":\"file\",\"type\":\"note\",\"path\":")
    json.appendJSONString(paths.inVault(file.path))
    json.append(",\"base64\":\"")
    json.append(utf8: Data(bytes.bytes).base64EncodedString())
    json.append("\"}")
    batch.rejected.append(
      RejectedRecord(
        kind: .item, bytes: json.copy(0..<json.count), place: shown,
        reasons: [RejectReason(code: DiagnosticCode.notText.id, message: message, place: shown)]))
  }
}

extension String {
  /// In the normal form in which Linux and Windows write names; macOS writes the other one.
  var precomposed: String { utf8.allSatisfy { $0 < 0x80 } ? self : precomposedStringWithCanonicalMapping }
}
