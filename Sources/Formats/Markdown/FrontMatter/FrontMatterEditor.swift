/// Edits the text between the `---` lines of a note, key by key.
struct FrontMatterEditor {
  /// The text as it stands now.
  private(set) var bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The lines of a top-level key behind its colon; nil when it is not there.
  func value(of key: String) -> [UInt8]? {
    lines(of: key).map { Array(bytes[$0].dropFirst(key.utf8.count + 1)) }
  }

  /// Sets a key to YAML on one line.
  mutating func set(_ key: String, to yaml: [UInt8]) -> Bool {
    let line = Array("\(key): ".utf8) + yaml + [0x0A]
    if let lines = lines(of: key) {
      bytes.replaceSubrange(lines, with: line)
    } else {
      bytes += line
    }
    return true
  }

  /// Removes a key.
  mutating func remove(_ key: String) -> Bool {
    guard let lines = lines(of: key) else { return false }
    bytes.removeSubrange(lines)
    return true
  }

  private func lines(of key: String) -> Range<Int>? {
    var start = 0
    let head = Array("\(key):".utf8)
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
      if bytes[start..<end].starts(with: head) { return start..<end }
      start = end
    }
    return nil
  }
}
