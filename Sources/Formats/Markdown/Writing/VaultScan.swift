import Content
import Foundation
import Interchange

/// Which notes a vault has, and which item each of them is.
///
/// Looks at names and at the front matter's `id` only; bodies are not read. Links are not followed.
struct VaultScan {
  /// The path of the note that says an id; of several the first one.
  private(set) var paths: [String: String] = [:]
  /// Every name that a note could have and that is taken, folded, with the path as it is.
  private(set) var taken: [String: String] = [:]
  /// The ids that several notes say.
  private(set) var repeated: Set<String> = []
  /// Links and other things with the names of notes, by folded path.
  private(set) var others: [String: String] = [:]
  /// Folded paths of notes that say no id.
  private(set) var nameless: Set<String> = []

  /// Longest front matter that is looked through.
  private static let longest = 1 << 20

  /// A vault without notes.
  init() {}

  /// Looks at a folder.
  init(_ root: String) throws {
    var folders = [""]
    while let folder = folders.popLast() {
      let names: [String]
      do {
        names = try FileManager.default.contentsOfDirectory(atPath: root + "/" + folder).sorted()
      } catch {
        throw RunFailure(.failed, "read the folder '\(root)/\(folder)': \(error.localizedDescription)")
      }
      var below: [String] = []
      for name in names where !name.hasPrefix(".") {
        let path = folder.isEmpty ? name : folder + "/" + name
        let entry = VaultPath.entry(at: root + "/" + path)
        if entry == .folder { below.append(path) }
        if VaultFile.isNote(name) { try add(path, isNote: entry == .file, in: root) }
      }
      folders += below.reversed()
    }
  }

  private mutating func add(_ path: String, isNote: Bool, in root: String) throws {
    let folded = VaultPath.folded(path)
    taken[folded] = path
    guard isNote else {
      others[folded] = path
      return
    }
    guard let id = try Self.id(of: root + "/" + path) else {
      nameless.insert(folded)
      return
    }
    if paths[id] == nil { paths[id] = path } else { repeated.insert(id) }
  }

  /// The id that a note's front matter says, in the form that records have.
  private static func id(of path: String) throws -> String? {
    var count = 4096
    while true {
      let head = try SourceProbe.head(of: Source(path), count: count)
      switch id(in: head) {
      case .some(let id): return id.map { UUIDText.canonical($0) }
      case .none:
        guard head.count == count, count < longest else { return nil }
        count *= 16
      }
    }
  }

  /// The id in the first bytes of a note; `.some(nil)` when it says none, nil when the front matter goes on.
  static func id(in head: [UInt8]) -> String?? {
    var text = head[...]
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
    // Of YAML and TOML; nil before the first line.
    var fence: UInt8?
    while let end = text.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) {
      let line = text[..<end]
      text = text[(end + 1)...]
      guard let mark = fence else {
        guard let mark = self.fence(line), mark != UInt8(ascii: ".") else { return .some(nil) }
        fence = mark
        continue
      }
      let isYAML = mark == UInt8(ascii: "-")
      if let closing = self.fence(line), closing == mark || isYAML && closing == UInt8(ascii: ".") { return .some(nil) }
      // Members of TOML's tables are others.
      if !isYAML, line.first == UInt8(ascii: "[") { return .some(nil) }
      guard line.starts(with: "id".utf8) else { continue }
      let rest = isYAML ? line.dropFirst(2) : line.dropFirst(2).drop { $0 == 0x20 || $0 == 0x09 }
      guard rest.first == (isYAML ? UInt8(ascii: ":") : UInt8(ascii: "=")) else { continue }
      return .some(value(String(decoding: rest.dropFirst(), as: UTF8.self)))
    }
    return fence == nil && head.count >= 64 ? .some(nil) : nil
  }

  /// The byte that a fence is made of; nil for other lines.
  private static func fence(_ line: ArraySlice<UInt8>) -> UInt8? {
    guard let first = line.first,
      first == UInt8(ascii: "-") || first == UInt8(ascii: "+") || first == UInt8(ascii: "."),
      line.count >= 3, line.prefix(3).allSatisfy({ $0 == first }),
      line.dropFirst(3).allSatisfy({ $0 == 0x20 || $0 == 0x09 })
    else { return nil }
    return first
  }

  private static func value(_ written: String) -> String? {
    var text = written.trimmingCharacters(in: .whitespaces)
    if let quote = text.first, quote == "\"" || quote == "'" {
      text = String(text.dropFirst().prefix { $0 != quote })
    } else if let comment = text.range(of: " #") {
      text = text[..<comment.lowerBound].trimmingCharacters(in: .whitespaces)
    }
    return text.isEmpty ? nil : text
  }
}
