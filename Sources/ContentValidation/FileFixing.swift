import Diagnostics
import Foundation
import Interchange
import JSONText
import RecordSources
import Validation

/// Makes the edits to one file.
struct FileFixing {
  private let file: String
  private let fixes: [Fix]
  /// For each fix, the reason why it was not made; nil if it was made.
  private(set) var reasons: [String?]

  init(file: String, fixes: [Fix]) {
    self.file = file
    self.fixes = fixes
    reasons = [String?](repeating: nil, count: fixes.count)
  }

  /// Sets the same reason for every fix.
  mutating func leaveAll(_ reason: String) { reasons = reasons.map { _ in reason } }

  /// Reads the file, makes the fixes that are possible, and replaces the file.
  /// - Returns: Whether the file changes.
  /// - Throws: `RunFailure` if the file cannot be changed for a reason other than the fixes.
  mutating func run(since stamp: FileStamp?, isDryRun: Bool) throws -> Bool {
    if file == "-" {
      leaveAll("not changed: standard input cannot be written; name the file")
      return false
    }
    for (index, fix) in fixes.enumerated() {
      if fix.record.row != nil {
        reasons[index] = "not changed: change a library in the app, or export it, fix the export and import it again"
      } else if fix.record.member != nil {
        reasons[index] = "not changed: the file is in an archive; correct it in the archive's source"
      } else if fix.record.line == nil || fix.record.column == nil {
        reasons[index] = "not changed: the record's place is not known"
      }
    }
    guard reasons.contains(nil) else { return false }
    // A link stays a link, because the file that it points to is replaced.
    guard let real = realpath(file, nil) else { throw failure(SystemError.last) }
    defer { free(real) }
    let path = String(cString: real)
    let text = try EditableFile(path: path, name: file, limit: FixRun.longest)
    if let stamp, stamp != text.stamp { throw changedMeanwhile }
    if text.bytes.starts(with: "SQLite format 3\0".utf8) {
      leaveAll("not changed: change a library in the app, or export it, fix the export and import it again")
      return false
    }
    let edits =
      switch Self.form(of: file) {
      case .json: plan(text)
      case .note: plan(text, forbidden: "\n\r")
      case .table: plan(text, forbidden: "\n\r\",;\t|")
      }
    guard !edits.isEmpty else { return false }
    guard access(path, W_OK) == 0 else { throw failure(SystemError.last) }
    if !isDryRun { try replace(path, text, edits) }
    return true
  }

  /// The form in which a file stores values.
  private enum Form { case json, note, table }

  private static func form(of file: String) -> Form {
    let ending = Source(file).pathExtension
    let formats = FormatRegistry.standard.formats.map(\.descriptor).filter { $0.extensions.contains(ending) }
    if formats.contains(where: { $0.text == .note }) { return .note }
    return formats.contains { $0.options.contains(.delimiter) } ? .table : .json
  }

  /// Plans the edits to strings that are identical in the record and in the note or table.
  /// - Parameter forbidden: characters that would end the value.
  private mutating func plan(_ text: borrowing EditableFile, forbidden: String) -> [TextEdit] {
    var edits: [TextEdit] = []
    for (index, fix) in fixes.enumerated() where reasons[index] == nil {
      guard case .text(let new) = fix.edit,
        let old = fix.before.flatMap({ try? JSONDocument(parsing: $0) })?.root.string
      else {
        reasons[index] = "not changed: correct the value in the file"
        continue
      }
      guard !new.isEmpty, !new.contains(where: { forbidden.contains($0) }), new.contains(": ") == old.contains(": "),
        let place = fix.value, let range = text.range(of: place), text.bytes[range].elementsEqual(old.utf8)
      else {
        reasons[index] = "not changed: the file spells the text differently; correct it there"
        continue
      }
      edits.append(TextEdit(range: range, text: Array(new.utf8)))
    }
    edits.sort { $0.range.lowerBound < $1.range.lowerBound }
    // Two members may have been read from the same text.
    var last = 0
    edits.removeAll { edit in
      defer { last = max(last, edit.range.upperBound) }
      return edit.range.lowerBound < last
    }
    return edits
  }

  /// Plans the edits to all records, in text order.
  private mutating func plan(_ text: borrowing EditableFile) -> [TextEdit] {
    var records: [RecordFinder.Position: [Int]] = [:]
    for (index, fix) in fixes.enumerated() where reasons[index] == nil {
      guard let line = fix.record.line, let column = fix.record.column else { continue }
      records[RecordFinder.Position(line: line, column: column), default: []].append(index)
    }
    let found = RecordFinder.find(records.keys.sorted(), in: text.bytes)
    var edits: [TextEdit] = []
    for (position, indices) in records.sorted(by: { $0.key < $1.key }) {
      guard let range = found[position], let document = try? text.document(range),
        // Two places cannot belong to the same record, and a record cannot be inside another.
        range.lowerBound >= edits.last?.range.upperBound ?? 0
      else {
        for index in indices { reasons[index] = "not changed: a JSON record was not found at \(fixes[index].record)" }
        continue
      }
      var record = RecordEdits(document)
      for index in indices { reasons[index] = record.plan(fixes[index]) }
      guard let own = record.edits(), record.isSound(own) else {
        for index in indices where reasons[index] == nil { reasons[index] = "not changed: the fix breaks the record" }
        continue
      }
      edits += own.map { TextEdit(range: $0.range.shifted(by: range.lowerBound), text: $0.text) }
    }
    return edits
  }

  private func replace(_ path: String, _ text: borrowing EditableFile, _ edits: [TextEdit]) throws {
    let target = try AtomicFile(path, overwrites: true)
    // Ownership is set before any content is written, so that private content stays private. Only the superuser may
    // keep another user's ownership.
    _ = fchown(target.descriptor, text.owner, text.group)
    guard fchmod(target.descriptor, text.mode) == 0 else { throw failure(SystemError.last) }
    let sink = ByteSink(descriptor: target.descriptor, name: file)
    var at = 0
    for edit in edits {
      try sink.write(text.bytes.span.extracting(at..<edit.range.lowerBound))
      try sink.write(edit.text.span)
      at = edit.range.upperBound
    }
    try sink.write(text.bytes.span.extracting(droppingFirst: at))
    try sink.flush()
    guard FileStamp(path) == text.stamp else { throw changedMeanwhile }
    try target.publish()
  }

  private var changedMeanwhile: RunFailure {
    RunFailure(
      .refused, "fix '\(file)': the file has since changed", advice: "Check it again, then fix the findings.")
  }

  private func failure(_ why: String) -> RunFailure { RunFailure(.failed, "fix '\(file)': \(why)") }
}

extension Range<Int> {
  fileprivate func shifted(by offset: Int) -> Range<Int> { lowerBound + offset..<upperBound + offset }
}

/// The text of a file to be changed, held in memory, and the file's state when it was read.
private struct EditableFile: ~Copyable {
  private let buffer: ByteBuffer
  /// The state of the file when it was opened.
  let stamp: FileStamp
  /// The file's mode, without the file type.
  let mode: mode_t
  let owner: uid_t
  let group: gid_t

  /// Reads a whole file.
  /// - Parameter name: for messages.
  /// - Throws: `RunFailure` if the file cannot be read, is not a regular file, or is too large to be held in memory.
  init(path: String, name: String, limit: Int) throws {
    // Opening a pipe would wait for a writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw RunFailure(.failed, "fix '\(name)': \(SystemError.last)") }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw RunFailure(.failed, "fix '\(name)': \(SystemError.last)") }
    guard status.st_mode & S_IFMT == S_IFREG else { throw RunFailure(.failed, "fix '\(name)': not a regular file") }
    let size = Int(status.st_size)
    guard size <= limit else {
      throw RunFailure(
        .failed, "fix '\(name)': the file is \(size >> 20) MB long; the limit for fixes is \(limit >> 20) MB",
        advice: "Split it into smaller bundles, or correct the file by hand.")
    }
    var bytes = ByteBuffer(capacity: size + 1)
    while bytes.count <= size {
      let got = bytes.append(room: size + 1 - bytes.count) { read(descriptor, $0.baseAddress, $0.count) }
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw RunFailure(.failed, "fix '\(name)': \(SystemError.last)") }
      if got == 0 { break }
    }
    guard bytes.count == size else {
      throw RunFailure(
        .refused, "fix '\(name)': the file has since changed", advice: "Check it again, then fix the findings.")
    }
    buffer = bytes
    stamp = FileStamp(status)
    mode = status.st_mode & 0o7777
    owner = status.st_uid
    group = status.st_gid
  }

  /// Returns the bytes between two columns of a line; nil if the line is shorter. Columns count scalars from 1.
  func range(of place: Place) -> Range<Int>? {
    guard let line = place.line, let column = place.column, let end = place.endColumn, end > column else { return nil }
    let bytes = bytes
    var at = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    for _ in 1..<max(1, line) {
      guard let next = bytes[at...].firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) else { return nil }
      at = next + (bytes[next] == 0x0D && next + 1 < bytes.count && bytes[next + 1] == 0x0A ? 2 : 1)
    }
    func moved(_ start: Int, by columns: Int) -> Int? {
      var at = start
      for _ in 0..<columns {
        guard at < bytes.count, bytes[at] != 0x0A, bytes[at] != 0x0D else { return nil }
        at += 1
        while at < bytes.count, bytes[at] & 0xC0 == 0x80 { at += 1 }
      }
      return at
    }
    guard let start = moved(at, by: column - 1), let stop = moved(start, by: end - column) else { return nil }
    return start..<stop
  }

  /// The text's bytes, not copied.
  var bytes: UnsafeBufferPointer<UInt8> { buffer.bytes }

  /// Parses a range of the text.
  func document(_ range: Range<Int>) throws(JSONError) -> JSONDocument {
    try JSONDocument(parsing: buffer.bytes.span.extracting(range))
  }
}

/// A range of text, and its replacement.
struct TextEdit: Equatable {
  let range: Range<Int>
  let text: [UInt8]
}

/// Finds the records in text by line and column, and finds where they end.
private enum RecordFinder {
  /// A line and a column, both counted from 1. Columns count Unicode scalars, and a byte order mark does not count.
  struct Position: Hashable, Comparable {
    let line: Int
    let column: Int

    static func < (left: Position, right: Position) -> Bool { (left.line, left.column) < (right.line, right.column) }
  }

  /// Returns the ranges of the objects and arrays that begin at `positions`, or after white space at these positions.
  ///
  /// Reads the text once, regardless of the number of positions.
  /// - Parameter positions: the positions, in ascending order.
  static func find(_ positions: [Position], in text: UnsafeBufferPointer<UInt8>) -> [Position: Range<Int>] {
    var found: [Position: Range<Int>] = [:]
    var line = 1
    var lineStart = text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    // The last position that was found. The next search starts there, because many records may be on one long line.
    var at = lineStart
    var column = 1
    for position in positions {
      while line < position.line {
        guard let next = lineEnd(after: lineStart, in: text) else { return found }
        line += 1
        lineStart = next
        at = next
        column = 1
      }
      while column < position.column, at < text.count, text[at] != 0x0A {
        at += 1
        while at < text.count, text[at] & 0xC0 == 0x80 { at += 1 }
        column += 1
      }
      guard line == position.line, column == position.column else { continue }
      if let range = value(at: at, in: text) { found[position] = range }
    }
    return found
  }

  /// Returns the first byte of the line after the one that contains `start`.
  private static func lineEnd(after start: Int, in text: UnsafeBufferPointer<UInt8>) -> Int? {
    guard let base = text.baseAddress, start < text.count,
      let found = memchr(base + start, 0x0A, text.count - start)
    else { return nil }
    return UnsafeRawPointer(found) - UnsafeRawPointer(base) + 1
  }

  /// Returns the range from the opening to the closing bracket, or nil. Does not check whether the range is JSON.
  private static func value(at start: Int, in text: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
    var at = start
    while at < text.count, text[at] == 0x20 || text[at] == 0x09 { at += 1 }
    let first = at
    guard at < text.count, text[at] == UInt8(ascii: "{") || text[at] == UInt8(ascii: "[") else { return nil }
    var depth = 0
    var inString = false
    while at < text.count {
      let byte = text[at]
      if inString {
        if byte == UInt8(ascii: "\\") {
          at += 1
        } else if byte == UInt8(ascii: "\"") {
          inString = false
        }
      } else if byte == UInt8(ascii: "\"") {
        inString = true
      } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
        depth += 1
      } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
        depth -= 1
        if depth == 0 { return first..<at + 1 }
      }
      at += 1
    }
    return nil
  }
}

/// The edits to one record. Selects the edits that can be made together, and computes the changes to the record's text.
struct RecordEdits {
  private let document: JSONDocument
  private var children = ChildIndex()
  /// The values that are changed or removed, by token.
  private var targets: Set<Int> = []
  /// The values that contain a changed value, by token.
  private var touched: Set<Int> = []
  private var replacements: [TextEdit] = []
  /// The containers from which values are removed, with those values, by token.
  private var removals: [Int: Set<Int>] = [:]

  init(_ document: JSONDocument) { self.document = document }

  /// Plans an edit in addition to the earlier ones.
  /// - Returns: The reason why the edit is not made, in a few words; nil if it is made.
  mutating func plan(_ fix: Fix) -> String? {
    let path: [JSONValue]
    do {
      path = try self.path(to: fix.pointer)
    } catch {
      return error.reason
    }
    guard let value = path.last else { return "left: the value is missing" }
    if let before = fix.before, (try? JSONDocument(parsing: before))?.root.means(value) != true {
      return "left: the value is not the one that was checked"
    }
    let token = value.tokenIndex
    if touched.contains(token) || path.contains(where: { targets.contains($0.tokenIndex) }) {
      return "left for the next round: another fix changes the same value"
    }
    switch fix.edit {
    case .text(let text):
      guard let old = value.string else { return "left: the value is not a string" }
      // The strings are compared as bytes, so that two encodings of an accented letter count as different.
      if old.utf8.elementsEqual(text.utf8) { return "left: the value is already correct" }
      var spelled = ByteBuffer(capacity: text.utf8.count + 2)
      spelled.appendJSONString(text)
      replacements.append(TextEdit(range: value.span, text: Array(spelled.bytes)))
    case .json(let json):
      guard let new = try? JSONDocument(parsing: json) else { return "left: the new value is not JSON" }
      if new.root.text == value.text { return "left: the value is already correct" }
      // Line ends can only occur between values. In a file with one record per line, they would end the record.
      let text = new.root.text.utf8.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }
      replacements.append(TextEdit(range: value.span, text: text))
    case .remove:
      guard path.count > 1 else { return "left: whole records must be removed by hand" }
      removals[path[path.count - 2].tokenIndex, default: []].insert(token)
    }
    targets.insert(token)
    for outer in path.dropLast() { touched.insert(outer.tokenIndex) }
    return nil
  }

  /// Returns the edits in text order; nil if they overlap, which should never happen.
  func edits() -> [TextEdit]? {
    var all = replacements
    for (container, removed) in removals { all += removing(removed, from: container) }
    all.sort { ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound) }
    for (edit, next) in zip(all, all.dropFirst()) where edit.range.upperBound > next.range.lowerBound { return nil }
    return all
  }

  /// Whether the record is still JSON after the edits.
  func isSound(_ edits: [TextEdit]) -> Bool {
    document.withNode(document.root.tokenIndex) { root in
      let raw = root.raw
      let start = root.span.lowerBound
      var text: [UInt8] = []
      var at = 0
      for edit in edits {
        text += raw[at..<edit.range.lowerBound - start]
        text += edit.text
        at = edit.range.upperBound - start
      }
      text += raw[at...]
      return (try? JSONDocument(parsing: text)) != nil
    }
  }

  // MARK: Removing

  /// Returns the edits that remove elements or members. An edit includes a comma and the white space up to the next
  /// value, or up to the previous value if the last one is removed. So a value on its own line is removed with its
  /// line.
  private func removing(_ removed: Set<Int>, from container: Int) -> [TextEdit] {
    document.withNode(container) { node in
      var pieces: [(span: Range<Int>, isRemoved: Bool)] = []
      node.forEachElement { pieces.append(($0.span, removed.contains($0.index))) }
      node.forEachMember { name, value in
        pieces.append((name.span.lowerBound..<value.span.upperBound, removed.contains(value.index)))
      }
      let inside = node.span.lowerBound + 1..<node.span.upperBound - 1
      guard pieces.contains(where: { !$0.isRemoved }) else { return [TextEdit(range: inside, text: [])] }
      var edits: [TextEdit] = []
      var index = 0
      while index < pieces.count {
        guard pieces[index].isRemoved else {
          index += 1
          continue
        }
        let first = index
        while index < pieces.count, pieces[index].isRemoved { index += 1 }
        let range =
          index < pieces.count
          ? pieces[first].span.lowerBound..<pieces[index].span.lowerBound
          : pieces[first - 1].span.upperBound..<pieces[index - 1].span.upperBound
        edits.append(TextEdit(range: range, text: []))
      }
      return edits
    }
  }

  // MARK: Finding

  private struct Missing: Error {
    let reason: String
  }

  /// Returns the values from the outermost one down to the one at `pointer`.
  private mutating func path(to pointer: JSONPointer) throws(Missing) -> [JSONValue] {
    var path = [document.root]
    for step in pointer.steps {
      guard let value = path.last else { break }
      var name: String?
      switch step {
      case .member(let member): name = member
      case .element(let index): name = value.kind == .object ? String(index) : nil
      }
      var next: JSONValue?
      if let name {
        let same = value.members.filter { $0.name.utf8.elementsEqual(name.utf8) }
        if same.count > 1 { throw Missing(reason: "left: the member '\(name)' occurs twice") }
        next = same.first?.value
      } else if case .element(let index) = step {
        next = children.element(index, of: value)
      }
      guard let next else { throw Missing(reason: "left: the source has no value at '\(pointer)'") }
      path.append(next)
    }
    return path
  }
}
