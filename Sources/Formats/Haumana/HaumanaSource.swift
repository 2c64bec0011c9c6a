import ArchiveIO
import Content
import Diagnostics
import Foundation
import Interchange
import JSONText

/// A file of a source.
struct HaumanaFile: Sendable {
  let path: String
  /// The file's name in places; nil if it is the source itself.
  var member: String?
  /// The number of items and the MD5 in Base64 that the file must have according to a manifest; nil without a manifest.
  var expected: (items: Int, md5: String)?
}

/// Creates drafts from the objects in JSON files. A file contains either one document or one object per line.
///
/// Memory is bounded by the longest line, or by the file if it is a single document.
final class HaumanaSource: DraftSource {
  private let name: String
  private let files: [HaumanaFile]
  private let drafts: HaumanaDrafts
  private let user: String?
  private let findings: DiagnosticLog?
  private let total: Int

  private var upcoming = 0
  private var text: HaumanaTextReader?
  private var queue: [SourceDraft] = []
  /// The number of items that were read from the open file.
  private var items = 0
  private var firstUser: String?
  private var others = 0
  private var done = 0
  /// The origin of a problem with a file as a whole.
  private var brokenOrigin: DraftOrigin?

  var origin: DraftOrigin { brokenOrigin ?? text?.origin ?? .file }

  /// - Parameter findings: the log for findings; nil if the source positions of texts are recorded instead.
  init(_ name: String, _ files: [HaumanaFile], _ options: ReadingOptions, findings: DiagnosticLog?) {
    self.name = name
    self.files = files
    drafts = HaumanaDrafts(makesDecks: options.decks)
    user = options.user
    self.findings = findings
    total = files.reduce(0) { $0 + (FileRead.size(of: $1.path) ?? 0) }
  }

  var progress: (done: Int, total: Int?) { (done + (text?.done ?? 0), total) }

  func next() throws -> SourceDraft? {
    while queue.isEmpty {
      try Interruption.check()
      if text == nil {
        guard upcoming < files.count else {
          HaumanaUsers.reportOthers(&others, in: name, findings)
          return nil
        }
        try open(files[upcoming])
      }
      try readOne()
    }
    return queue.removeFirst()
  }

  private func open(_ file: HaumanaFile) throws {
    upcoming += 1
    items = 0
    text = try HaumanaTextReader(file, name: name, tracksPlaces: findings == nil)
    if let expected = file.expected, let found = try? FileMD5.base64(of: file.path), found != expected.md5 {
      broken(file, "its MD5 is \(found), but the manifest has \(expected.md5)", .manifestDiffers)
    }
  }

  /// Reads the next object in the open file, or closes the file at its end.
  private func readOne() throws {
    guard let text, files.indices.contains(upcoming - 1) else { return }
    let file = files[upcoming - 1]
    let found: HaumanaTextReader.Found?
    do {
      found = try text.next()
    } catch let failure as RunFailure where file.member != nil && failure.status != .interrupted {
      // Continue, because the other files can still be read.
      self.text = nil
      return broken(file, failure.message, .brokenItem)
    }
    guard let found else {
      done += text.done
      self.text = nil
      if let expected = file.expected, expected.items != items {
        broken(file, "it has \(items) items, but the manifest has \(expected.items)", .manifestDiffers)
      }
      return
    }
    brokenOrigin = nil
    switch found {
    case .item(let item, let kind):
      items += 1
      try makeDrafts(of: item, kind, text)
    case .partial(let range):
      report(.scanContinues, "the scan continues on another page", range, text)
    case .broken(let problem):
      items += 1
      queue.append(
        .rejected(
          RejectedDraft(
            .foreign, title: "", json: problem.json, problems: [.init(.brokenItem, problem.message, at: problem.range)],
            range: problem.range)))
    }
  }

  private func makeDrafts(of item: HaumanaItem, _ kind: HaumanaItem.Kind?, _ text: HaumanaTextReader) throws {
    if let owner = Self.user(of: item) {
      if let user {
        guard owner.utf8.elementsEqual(user.utf8) else {
          others += 1
          return
        }
      } else if let firstUser, firstUser != owner {
        throw try severalUsers([firstUser, owner])
      } else {
        firstUser = owner
      }
    }
    let kind = kind ?? item.kind
    if findings != nil, kind == .piece { reportPiece(item, text) }
    queue = drafts.drafts(of: item, as: kind)
  }

  /// Returns the user that an object belongs to; nil for an object without a user.
  private static func user(of item: HaumanaItem) -> String? {
    if let user = item.text(.userId)?.string, !user.isEmpty { return user }
    let key = item.text(.pk)?.string ?? item.text(.capitalPK)?.string
    return key.flatMap { $0.hasPrefix("USER#") ? String($0.dropFirst(5)) : nil }
  }

  /// Returns the failure for a source with several users. Reads the rest of the source to list all users.
  private func severalUsers(_ first: Set<String>) throws -> RunFailure {
    var users = first
    while true {
      try Interruption.check()
      if let found = try text?.next() {
        if case .item(let item, _) = found, let user = Self.user(of: item), users.count < 1000 { users.insert(user) }
      } else if upcoming < files.count {
        text = try HaumanaTextReader(files[upcoming], name: name, tracksPlaces: false)
        upcoming += 1
      } else {
        break
      }
    }
    return HaumanaUsers.several(users, in: name)
  }

  // MARK: Findings

  private func reportPiece(_ item: HaumanaItem, _ text: HaumanaTextReader) {
    if item.isTrue(.locallyModified) {
      report(.notUploaded, "the piece was changed on the phone and has not been uploaded yet", item.range, text, item)
    }
    for attribute in [HaumanaItem.Attribute.createdAt, .modifiedAt, .updatedAt] where !item.isTime(attribute) {
      guard let field = item[attribute] else { continue }
      report(.unreadableTime, "'\(attribute.rawValue)' is not a time", field.range, text, item)
    }
    if drafts.makesDecks, item.text(.englishTranslation)?.bytes.isEmpty ?? true {
      report(.noDeck, "the piece has no translation, so no deck was made", item.range, text, item)
    }
  }

  private func report(
    _ code: DiagnosticCode, _ message: String, _ range: Range<Int>, _ text: HaumanaTextReader,
    _ item: HaumanaItem? = nil
  ) {
    findings?.report(
      Diagnostic(
        code, message, at: text.place(of: range), record: item.map { "item \($0.text(.pieceId)?.string ?? "")" },
        title: item?.text(.title)?.string))
  }

  /// Rejects a file that does not match its manifest, or that cannot be read to its end.
  private func broken(_ file: HaumanaFile, _ message: String, _ code: DiagnosticCode) {
    var json = ByteBuffer(capacity: 256)
    json.append("{\"kind\":\"foreign\",\"system\":\"haumana\",\"type\":\"export_file\",\"path\":")
    json.appendJSONString(file.member ?? file.path)
    json.append("}")
    brokenOrigin = file.member.map { .member($0, Data()) } ?? .file
    queue.append(
      .rejected(
        RejectedDraft(
          .foreign, title: file.member ?? "", json: Array(json.bytes), problems: [.init(code, message, at: 0..<0)],
          range: 0..<0)))
  }
}

/// Reads the objects in one file.
final class HaumanaTextReader {
  /// The result of reading the next value in the file.
  enum Found {
    case item(HaumanaItem, HaumanaItem.Kind?)
    /// The file is a page of a scan, but not the last page.
    case partial(Range<Int>)
    case broken(Problem)
  }

  /// A value that is not a Haumana object.
  struct Problem {
    var message: String
    var json: [UInt8]
    var range: Range<Int>
  }

  private let file: HaumanaFile
  private let name: String
  private let tracksPlaces: Bool
  private let bytes: PieceReader
  /// The open document or line.
  private var text = ByteBuffer(capacity: 1 << 16)
  private var tape = JSONTape(capacity: 1024)
  private var waiting: [Found] = []
  private var values: [(token: Int, kind: HaumanaItem.Kind?)] = []
  private var at = 0
  private var line = 0
  /// Whether the file has one object per line; nil before the first line.
  private var isLines: Bool?
  /// The blank lines before the first value. They are kept because offsets count from the beginning of the file.
  private var skipped: [UInt8] = []

  /// - Parameter tracksPlaces: whether the texts of items record their places.
  init(_ file: HaumanaFile, name: String, tracksPlaces: Bool) throws {
    self.file = file
    self.name = name
    self.tracksPlaces = tracksPlaces
    bytes = try PieceReader(file.path, name: name)
  }

  var done: Int { bytes.done }

  /// The origin to which ranges in the open text refer.
  var origin: DraftOrigin {
    if isLines == true {
      return .line(number: line, member: file.member, bytes: text.copy(0..<text.count))
    }
    guard let member = file.member else { return .file }
    return .member(member, Data(text.bytes))
  }

  /// Returns the place of a range in the open text.
  func place(of range: Range<Int>) -> Place {
    var counter = PlaceCounter()
    let start = counter.position(of: range.lowerBound, in: text.bytes.span)
    return Place(file: name, member: file.member, line: max(1, line) + start.line - 1, column: start.column)
  }

  /// Returns the next object; nil at the end of the file.
  /// - Throws: `RunFailure` with status 5 if the file is damaged, 2 if it cannot be read.
  func next() throws -> Found? {
    while true {
      if !waiting.isEmpty { return waiting.removeFirst() }
      if at < values.count {
        defer { at += 1 }
        return found(values[at])
      }
      (values, at) = ([], 0)
      guard try openText() else { return nil }
      walk(JSONNode(text: text.start, tokens: tape.tokens, index: 0))
    }
  }

  private func found(_ value: (token: Int, kind: HaumanaItem.Kind?)) -> Found {
    let node = JSONNode(text: text.start, tokens: tape.tokens, index: value.token)
    guard node.kind == .object else { return broken(node, "not an object") }
    if let item = HaumanaItem(typed: node, tracksPlaces: tracksPlaces) { return .item(item, nil) }
    return .item(HaumanaItem(node, tracksPlaces: tracksPlaces), value.kind)
  }

  private func broken(_ node: JSONNode, _ message: String) -> Found {
    .broken(Problem(message: message, json: Array(node.raw), range: node.span))
  }

  // MARK: Texts

  /// Reads the next document or line, and parses it.
  /// - Returns: false at the end.
  private func openText() throws -> Bool {
    while true {
      tape.removeAll()
      text.removeAll()
      if isLines == false { return false }
      guard try bytes.line(into: &text) else { return false }
      line += 1
      if isLines == nil, text.bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
        // Replace the byte order mark with spaces, so that offsets match the file.
        let rest = text.copy(3..<text.count)
        text.removeAll()
        text.append("   ")
        text.append(rest.span)
      }
      if text.bytes.allSatisfy({ $0 == 0x20 || $0 &- 0x09 < 5 }) {
        if isLines == nil { skipped += text.bytes + [0x0A] }
        continue
      }
      var problem: JSONError?
      do throws(JSONError) {
        _ = try tape.parse(text.bytes.span)
      } catch {
        problem = error
      }
      if let problem, isLines == true {
        waiting.append(
          .broken(
            Problem(
              message: problem.message, json: Self.quoted(text.bytes.span), range: problem.offset..<problem.offset)))
        return true
      }
      if problem == nil {
        if isLines == nil { isLines = try line > 1 || !bytes.isAtEnd || file.expected != nil }
        return true
      }
      // The first line is not a complete value, so the file is one document.
      isLines = false
      do {
        let first = text.copy(0..<text.count)
        text.removeAll()
        text.append((skipped + first).span)
        try bytes.rest(into: &text)
        _ = try tape.parse(text.bytes.span)
        line = 0
        return true
      } catch let error as JSONError {
        line = 0
        let place = self.place(of: error.offset..<error.offset)
        throw RunFailure(
          .mismatch, Diagnostic(.notHaumana, error.message, at: place),
          message: "read '\(name)': damaged at \(TerminalEscaping.escape(place.description)): \(error.message)")
      }
    }
  }

  private static func quoted(_ bytes: Span<UInt8>) -> [UInt8] {
    var json = ByteBuffer(capacity: bytes.count + 2)
    json.appendJSONString(String(decoding: bytes))
    return json.copy(0..<json.count)
  }

  /// Lists the objects in a document.
  private func walk(_ root: JSONNode) {
    if !waiting.isEmpty { return }
    switch root.kind {
    case .array: root.forEachElement { values.append(($0.index, nil)) }
    case .object:
      if let item = HaumanaItem(typed: root, tracksPlaces: tracksPlaces) {
        waiting.append(.item(item, nil))
      } else if let item = root.member("Item"), HaumanaItem.isTyped(item) {
        values.append((item.index, nil))
      } else if let requests = root.member("RequestItems"), requests.kind == .object {
        walk(requests: requests)
      } else {
        walk(members: root)
      }
    default: waiting.append(broken(root, "neither an object nor a list of objects"))
    }
  }

  /// Lists the items in the puts of a BatchWriteItem request.
  private func walk(requests: JSONNode) {
    requests.forEachMember { _, writes in
      writes.forEachElement { write in
        if let item = write.member("PutRequest")?.member("Item") {
          values.append((item.index, nil))
        } else {
          waiting.append(broken(write, "not a put of an item"))
        }
      }
    }
  }

  private func walk(members root: JSONNode) {
    let lists: [(name: StaticString, kind: HaumanaItem.Kind?)] = [
      ("pieces", .piece), ("practiceSessions", .session), ("serverPieces", .piece), ("serverSessions", .session),
      ("Items", nil), ("items", nil),
    ]
    var rest = HaumanaItem(range: root.span, tracksPlaces: tracksPlaces)
    var hasList = false
    root.forEachMember { name, value in
      if let list = lists.first(where: { name.equals($0.name) }), value.kind == .array {
        hasList = true
        value.forEachElement { values.append(($0.index, list.kind)) }
      } else if name.equals("user"), value.kind == .object {
        values.append((value.index, .user))
      } else if name.equals("LastEvaluatedKey") {
        waiting.append(.partial(value.span))
      } else if !name.equals("Count"), !name.equals("ScannedCount"), !name.equals("ConsumedCapacity") {
        rest.append(name, value)
      }
    }
    if !hasList {
      values = [(root.index, nil)]
    } else if rest.fields.contains(where: { rest.name(of: $0) != "exportVersion" }) {
      waiting.append(.item(rest, .other))
    }
  }
}

/// Reads a file line by line, and decompresses it if it is a gzip file.
private final class PieceReader {
  private let name: String
  private let descriptor: Int32
  private let packed: UnpackedStream?
  private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 4096)
  private var kept = ByteBuffer(capacity: 1 << 18)
  private var at = 0
  private var hasEnded = false
  private(set) var done = 0

  /// The maximum length of a line or a document.
  private static let longest = 1 << 30

  init(_ path: String, name: String) throws {
    self.name = name
    let source = Source(path)
    if try SourceProbe.head(of: source, count: 2) == [0x1F, 0x8B] {
      packed = try UnpackedStream(gzip: path)
      descriptor = -1
    } else {
      packed = nil
      descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw RunFailure(.failed, "read '\(name)': \(SystemError.last)") }
    }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    room.deallocate()
  }

  /// Whether only whitespace remains.
  var isAtEnd: Bool {
    get throws {
      while true {
        if kept.bytes[at...].contains(where: { $0 > 0x20 }) { return false }
        if try !more() { return true }
      }
    }
  }

  /// Appends the next line without its line break.
  /// - Returns: false at the end.
  func line(into out: inout ByteBuffer) throws -> Bool {
    var looked = at
    while true {
      if let end = kept.bytes.span.firstIndex(of: 0x0A, from: looked) {
        out.append(kept.bytes.span.extracting(at..<end))
        at = end + 1
        return true
      }
      looked = kept.count - (at > 0 ? at : 0)
      if at > 0 {
        kept.removeFirst(at)
        at = 0
      }
      guard try more() else {
        guard kept.count > 0 else { return false }
        out.append(kept.bytes.span)
        kept.removeAll()
        return true
      }
    }
  }

  /// Appends a line break, which was already consumed, and the rest of the file.
  func rest(into out: inout ByteBuffer) throws {
    out.append(0x0A)
    repeat {
      out.append(kept.bytes.span.extracting(droppingFirst: at))
      kept.removeAll()
      at = 0
      guard out.count < Self.longest else {
        throw RunFailure(.failed, "read '\(name)': a document has more than \(Self.longest) bytes")
      }
    } while try more()
  }

  private func more() throws -> Bool {
    if hasEnded { return false }
    guard kept.count - at < Self.longest else {
      throw RunFailure(.failed, "read '\(name)': a line has more than \(Self.longest) bytes")
    }
    if let packed {
      guard let piece = try packed.next() else {
        hasEnded = true
        return false
      }
      done = piece.packed
      kept.append(piece.bytes.bindMemory(to: UInt8.self).span)
      return true
    }
    let got = FileRead.some(descriptor, into: room)
    guard got >= 0 else { throw RunFailure(.failed, "read '\(name)': \(SystemError.last)") }
    done += got
    hasEnded = got == 0
    kept.append(room.bindMemory(to: UInt8.self).span.extracting(first: got))
    return got > 0
  }
}
