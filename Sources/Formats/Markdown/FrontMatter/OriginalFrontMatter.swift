import JSONText
import MarkdownSyntax
import MarkdownText
import YAMLText

/// The front matter of a note that a person wrote: the fences as they were typed, and the text between the fences.
struct OriginalFrontMatter: Equatable {
  private var opening: [UInt8]
  private var content: [UInt8]
  private var closing: [UInt8]
  private let isTOML: Bool

  /// Splits front matter into its parts.
  /// - Parameter block: the whole front matter, including the fences. Text without fences is used as the text between
  ///   the fences.
  init(_ block: [UInt8]) {
    let found = FrontMatterBlock(block.span)
    guard let found, found.block == 0..<block.count else {
      self.init(content: block, lineEnd: LineEnd.first(in: block) ?? LineEnd.standard)
      return
    }
    self.init(
      opening: Array(block[..<found.content.lowerBound]), content: Array(block[found.content]),
      closing: Array(block[found.content.upperBound...]), isTOML: found.kind == .toml)
  }

  private init(opening: [UInt8], content: [UInt8], closing: [UInt8], isTOML: Bool) {
    self.opening = opening
    self.content = content
    self.closing = closing
    self.isTOML = isTOML
  }

  /// Creates front matter for a note without front matter.
  init(content: [UInt8] = [], lineEnd: [UInt8]) {
    let fence = Array("---".utf8) + lineEnd
    self.init(opening: fence, content: content, closing: fence, isTOML: false)
  }

  /// The whole front matter as it was typed.
  var typed: [UInt8] { opening + content + closing }

  /// The whole front matter, in a form that a body can follow.
  var bytes: [UInt8] {
    let lineEnd = Array(opening.drop { $0 != 0x0D && $0 != 0x0A })
    let end = closing.last == 0x0A || closing.last == 0x0D ? [] : lineEnd
    return opening + content + closing + end
  }

  /// Sets a key, or removes the key if the value is nil, and keeps everything else unchanged.
  /// - Returns: false if the change is not possible.
  mutating func change(_ key: MetadataKey, to value: [UInt8]?) -> Bool {
    if isTOML { return changeTOML(key, to: value) }
    guard var editor = FrontMatterEditor(content) else {
      // Front matter that is not YAML cannot be edited, but an id can be added above its first line. An id can also be
      // added above YAML if the other values stay the same.
      guard let value, key.name == MetadataKeys.id.name else { return false }
      let lineEnd = Array(opening.drop { $0 != 0x0D && $0 != 0x0A })
      let edited = Array("id: ".utf8) + value.dropFirst().dropLast() + lineEnd + content
      if let before = try? YAMLDocument(parsing: String(decoding: content, as: UTF8.self)) {
        guard let after = try? YAMLDocument(parsing: String(decoding: edited, as: UTF8.self)),
          after.json.root.members.count == before.json.root.members.count + 1
        else { return false }
      }
      content = edited
      return true
    }
    defer { content = editor.bytes }
    guard let value else { return key.read.allSatisfy { editor.value(of: $0) == nil || editor.remove($0) } }
    var text = ByteBuffer(capacity: value.count + 16)
    MetadataWriter.write(value, as: key, into: &text)
    let name = key.read.first { editor.value(of: $0) != nil } ?? key.name
    return editor.set(name, String(decoding: text.bytes, as: UTF8.self))
  }

  private mutating func changeTOML(_ key: MetadataKey, to value: [UInt8]?) -> Bool {
    var toml = TOMLFrontMatter(content)
    defer { content = toml.bytes }
    guard var value else { return key.read.allSatisfy { !toml.has($0) || toml.remove($0) } }
    if key.kind == .contentType {
      var word = ByteBuffer(capacity: 32)
      MetadataWriter.write(value, as: key, into: &word)
      value = NoteMetadata.json(String(decoding: word.bytes, as: UTF8.self))
    }
    return toml.set(key.read.first(where: toml.has) ?? key.name, value)
  }
}

/// Changes single keys in the text of front matter and keeps every other byte.
///
/// Only top-level keys can be changed. A key's lines extend to the next key; comments and blank lines before a key
/// belong to that key. The text is parsed again after every change, so each change costs one parse. A change that would
/// affect the value of any other key is not made.
struct FrontMatterEditor {
  /// The text between the fences.
  private(set) var bytes: [UInt8]
  /// The parsed text.
  private var document: YAMLDocument
  /// The keys with their byte ranges, in the order of the text.
  private var entries: [FrontMatterEntry]

  /// Creates an editor for the text between the fences.
  /// - Returns: nil if the text is not YAML, or cannot be edited line by line, such as `{a: 1}`. In this case, the
  ///   caller must rewrite the text.
  init?(_ bytes: [UInt8]) {
    guard let document = Self.parse(bytes), let entries = FrontMatterEntry.entries(of: document, in: bytes) else {
      return nil
    }
    self.bytes = bytes
    self.document = document
    self.entries = entries
  }

  /// The keys in the order of the text.
  var keys: [String] { entries.map(\.name) }

  /// Returns the value of a key; nil if the key is missing.
  func value(of key: String) -> JSONValue? {
    entries.contains { $0.isNamed(key) } ? document.json.root[key] : nil
  }

  /// Returns the bytes of a key's lines, from its name to its last line end.
  func lines(of key: String) -> Range<Int>? {
    entries.first { $0.isNamed(key) }?.lines
  }

  /// Changes the value of a key, or adds the key. A new key is added in alphabetical order if the keys are sorted,
  /// otherwise at the end.
  ///
  /// A comment after a one-line value is kept.
  /// - Parameter yaml: the value as one line of YAML, as written by `YAMLScalar`.
  /// - Returns: whether the change was made. If not, the text is unchanged.
  mutating func set(_ key: String, _ yaml: String) -> Bool {
    guard !yaml.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }), let wanted = try? YAMLDocument(parsing: yaml) else {
      return false
    }
    if let entry = entries.first(where: { $0.isNamed(key) }) {
      if replace(entry.value, with: Array((entry.needsBlank ? " " : "").utf8) + Array(yaml.utf8), key, wanted) {
        return true
      }
      // A comment after the value, or the form of the old value, prevents the replacement.
      let whole = Array(bytes[entry.lines.lowerBound..<entry.value.lowerBound])
      return replace(entry.lines, with: whole + Array(" \(yaml)".utf8) + lineEnd(of: entry.lines), key, wanted)
    }
    let line = Array("\(YAMLScalar.name(key)): \(yaml)".utf8)
    return places(for: key).contains { insert(line, at: $0, key, wanted) }
  }

  /// Removes a key and its lines; comments before the key are kept.
  /// - Returns: whether the key was removed. If not, the text is unchanged.
  mutating func remove(_ key: String) -> Bool {
    guard let entry = entries.first(where: { $0.isNamed(key) }) else { return true }
    return replace(entry.lines, with: [], key, nil)
  }

  // MARK: Changing

  /// Returns the possible offsets for a new key, with the best one first.
  private func places(for key: String) -> [Int] {
    let names = entries.map { Array($0.name.utf8) }
    let isSorted = zip(names, names.dropFirst()).allSatisfy { $0.0.lexicographicallyPrecedes($0.1) }
    guard isSorted, let next = names.firstIndex(where: { Array(key.utf8).lexicographicallyPrecedes($0) }) else {
      return [bytes.count] + [entries.last?.lines.upperBound].compactMap { $0 }
    }
    // The new key goes before the comments of the next key.
    let behind = next == 0 ? 0 : entries[next - 1].lines.upperBound
    return [behind, entries[next].lines.lowerBound, bytes.count]
  }

  private mutating func insert(_ line: [UInt8], at place: Int, _ key: String, _ wanted: YAMLDocument) -> Bool {
    let end = lineEnd(of: 0..<bytes.count)
    let isOpen = place > 0 && bytes[place - 1] != 0x0A && bytes[place - 1] != 0x0D
    return replace(place..<place, with: (isOpen ? end : []) + line + end, key, wanted)
  }

  /// Returns the first line end in a range; LF if the range has no line end.
  private func lineEnd(of range: Range<Int>) -> [UInt8] {
    LineEnd.first(in: bytes[range]) ?? LineEnd.first(in: bytes) ?? LineEnd.standard
  }

  /// Replaces bytes if the replacement does not change the value of any key other than `key`.
  private mutating func replace(
    _ range: Range<Int>, with new: [UInt8], _ key: String, _ wanted: YAMLDocument?
  ) -> Bool {
    var changed = bytes
    changed.replaceSubrange(range, with: new)
    guard let parsed = Self.parse(changed), let found = FrontMatterEntry.entries(of: parsed, in: changed),
      isAsBefore(parsed, found, but: key, wanted)
    else { return false }
    (bytes, document, entries) = (changed, parsed, found)
    return true
  }

  private func isAsBefore(
    _ other: YAMLDocument, _ found: [FrontMatterEntry], but key: String, _ wanted: YAMLDocument?
  ) -> Bool {
    let before = entries.filter { !$0.isNamed(key) }
    let after = found.filter { !$0.isNamed(key) }
    guard before.count == after.count else { return false }
    for (old, new) in zip(before, after) {
      guard old.isNamed(new.name), Self.same(old.token, of: document, new.token, of: other) else { return false }
    }
    guard let new = found.first(where: { $0.isNamed(key) }) else { return wanted == nil }
    guard let wanted else { return false }
    return Self.same(new.token, of: other, wanted.json.root.tokenIndex, of: wanted)
  }

  private static func same(_ left: Int, of one: YAMLDocument, _ right: Int, of other: YAMLDocument) -> Bool {
    one.json.withNode(left) { node in other.json.withNode(right) { node.means($0) } }
  }

  private static func parse(_ bytes: [UInt8]) -> YAMLDocument? {
    try? YAMLDocument(parsing: bytes.span)
  }
}

/// A top-level key of front matter: its name, its value, and their byte ranges.
private struct FrontMatterEntry {
  let name: String
  /// The value's token in the document.
  let token: Int
  /// The range from the beginning of the name to the last line end, without comments and blank lines after the value.
  let lines: Range<Int>
  /// The range of a one-line value. For a multi-line value, the range of everything after the colon, without the last
  /// line end.
  let value: Range<Int>
  /// Whether a blank must be inserted between the colon and a value.
  let needsBlank: Bool

  /// Returns whether the key has a name. Compares bytes, because Swift's strings treat two spellings of one accent as
  /// equal.
  func isNamed(_ other: String) -> Bool { name.utf8.elementsEqual(other.utf8) }

  /// Returns the keys of a document in the order of the text.
  /// - Returns: nil if the document is not a mapping, two keys share a line, or a key does not begin its line.
  static func entries(of document: YAMLDocument, in bytes: [UInt8]) -> [FrontMatterEntry]? {
    let root = document.json.root
    if root.isNull { return isEmpty(bytes) ? [] : nil }
    guard root.kind == .object, let lines = Lines(bytes) else { return nil }
    let members = root.members
    var starts: [Int] = []
    for (_, value) in members {
      guard let place = document.position(of: value, name: true), place.column == 1, lines.has(place.line),
        place.line - 1 > starts.last ?? -1
      else { return nil }
      starts.append(place.line - 1)
    }
    var entries: [FrontMatterEntry] = []
    for (index, member) in members.enumerated() {
      let last = lines.lastLine(from: starts[index], to: index + 1 < starts.count ? starts[index + 1] : lines.count)
      let all = lines.start(starts[index])..<lines.start(last + 1)
      guard let nameEnd = document.position(of: member.value, name: true)?.endColumn,
        let colon = lines.colon(in: bytes, line: starts[index], from: nameEnd)
      else { return nil }
      let place = document.position(of: member.value)
      var value = colon + 1..<lines.end(last)
      var needsBlank = true
      if last == starts[index], let place, place.line == last + 1,
        let end = place.endColumn ?? (member.value.isNull ? place.column : nil)
      {
        // The value is on one line. A comment after the value is kept.
        var start = colon + 1
        while start < value.upperBound, bytes[start] == 0x20 || bytes[start] == 0x09 { start += 1 }
        let behind = lines.offset(in: bytes, line: last, column: end)
        if behind >= start {
          needsBlank = start == colon + 1
          value = start..<behind
        } else if member.value.isNull, behind == colon + 1 {
          // The key has no value, but may have a comment.
          value = behind..<behind
        }
      }
      entries.append(
        FrontMatterEntry(
          name: member.name, token: member.value.tokenIndex, lines: all, value: value, needsBlank: needsBlank))
    }
    return entries
  }

  /// Whether the bytes contain only comments and blanks; `null` and `~` are values.
  private static func isEmpty(_ bytes: [UInt8]) -> Bool {
    bytes.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).allSatisfy { line in
      line.first { $0 != 0x20 && $0 != 0x09 }.map { $0 == UInt8(ascii: "#") } ?? true
    }
  }

  /// The lines of the text, counted in the same way as in the YAML parser's positions.
  private struct Lines {
    private var starts = [0]
    private let ends: [Int]
    private let bytes: [UInt8]

    /// - Returns: nil if a line ends with a bare CR, because the YAML parser's positions do not count such lines.
    init?(_ bytes: [UInt8]) {
      var ends: [Int] = []
      for (at, byte) in bytes.enumerated() {
        if byte == 0x0D, at + 1 == bytes.count || bytes[at + 1] != 0x0A { return nil }
        guard byte == 0x0A else { continue }
        ends.append(at > 0 && bytes[at - 1] == 0x0D ? at - 1 : at)
        starts.append(at + 1)
      }
      if starts.last != bytes.count {
        ends.append(bytes.count)
        starts.append(bytes.count)
      }
      self.ends = ends
      self.bytes = bytes
    }

    var count: Int { ends.count }

    func has(_ line: Int) -> Bool { line >= 1 && line <= count }

    func start(_ line: Int) -> Int { starts[line] }

    /// Returns the offset after the last byte of a line, excluding its line end.
    func end(_ line: Int) -> Int { ends[line] }

    /// Returns the last line of an entry. Blank lines and unindented comments belong to the next entry.
    func lastLine(from first: Int, to next: Int) -> Int {
      var last = next - 1
      while last > first, isBlank(last) || bytes[starts[last]] == UInt8(ascii: "#") { last -= 1 }
      return last
    }

    private func isBlank(_ line: Int) -> Bool {
      bytes[starts[line]..<ends[line]].allSatisfy { $0 == 0x20 || $0 == 0x09 }
    }

    /// Returns the byte offset of a column, which counts Unicode scalars from 1.
    func offset(in bytes: [UInt8], line: Int, column: Int) -> Int {
      var at = starts[line]
      var left = column - 1
      while left > 0, at < ends[line] {
        at += 1
        while at < ends[line], bytes[at] & 0xC0 == 0x80 { at += 1 }
        left -= 1
      }
      return at
    }

    /// Returns the offset of the colon after a name.
    func colon(in bytes: [UInt8], line: Int, from column: Int) -> Int? {
      var at = offset(in: bytes, line: line, column: column)
      while at < ends[line], bytes[at] == 0x20 || bytes[at] == 0x09 { at += 1 }
      return at < ends[line] && bytes[at] == UInt8(ascii: ":") ? at : nil
    }
  }
}
