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
    guard isNote else { return }
    guard let id = try Self.id(of: root + "/" + path) else {
      nameless.insert(folded)
      return
    }
    if paths[id] == nil { paths[id] = path }
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
    var isFirst = true
    while let end = text.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) {
      let line = text[..<end]
      text = text[(end + 1)...]
      let isFence = line.starts(with: "---".utf8) && line.dropFirst(3).allSatisfy { $0 == 0x20 || $0 == 0x09 }
      if isFirst {
        guard isFence else { return .some(nil) }
        isFirst = false
      } else if isFence {
        return .some(nil)
      } else if line.starts(with: "id:".utf8) {
        return .some(value(String(decoding: line.dropFirst(3), as: UTF8.self)))
      }
    }
    return isFirst && head.count >= 64 ? .some(nil) : nil
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
