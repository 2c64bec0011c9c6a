import Content
import Foundation
import Interchange
import JSONText
import MarkdownSyntax
import YAMLText

/// Finds the notes of a vault, and the id of each note's item.
///
/// Only file names and the `id` in the front matter are read, not the bodies. Links are not followed.
struct VaultScan {
  /// The paths of the notes, by id. If several notes have the same id, the path of the first one.
  private(set) var paths: [String: String] = [:]
  /// The actual path of every entry that has the name of a note, by folded path.
  private(set) var taken: [String: String] = [:]
  /// The ids that several notes contain.
  private(set) var repeated: Set<String> = []
  /// The links and other entries that have the name of a note but are not regular files, by folded path.
  private(set) var others: [String: String] = [:]
  /// The folded paths of notes without an id.
  private(set) var nameless: Set<String> = []

  /// The maximum size of front matter that is searched, in bytes.
  private static let longest = 1 << 20

  /// Creates a scan without notes.
  init() {}

  /// Scans a folder.
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

  /// Returns the id in a note's front matter, in its canonical form.
  private static func id(of path: String) throws -> String? {
    var count = 4096
    while true {
      let head = try SourceProbe.head(of: Source(path), count: count)
      switch id(in: head) {
      case .some(let id): return id.map { CanonicalUUID.canonical($0) }
      case .none:
        guard head.count == count, count < longest else { return nil }
        count *= 16
      }
    }
  }

  /// Returns the id in the first bytes of a note; `.some(nil)` if the front matter has no id, nil if it continues after
  /// these bytes.
  static func id(in head: [UInt8]) -> String?? {
    let text = head.starts(with: [0xEF, 0xBB, 0xBF]) ? head[3...] : head[...]
    guard text.starts(with: "---".utf8) || text.starts(with: "+++".utf8) else { return .some(nil) }
    return text.withUnsafeBufferPointer { text in
      FrontMatterBlock(text).map { block in id(in: text, block).flatMap { $0.isEmpty ? nil : $0 } }
    }
  }

  private static func id(in text: UnsafeBufferPointer<UInt8>, _ block: FrontMatterBlock) -> String? {
    let content = UnsafeBufferPointer(rebasing: text[block.content])
    let json =
      block.kind == .toml
      ? TOMLFrontMatter(Array(content)).json
      : NoteParser.plain(content) ?? (try? YAMLDocument(parsing: content))?.json
    guard let json else {
      return LenientFrontMatter.entries(text, content: block.content).first { $0.key.string == "id" }?.values.first?
        .string
    }
    return json.root["id"].flatMap(NoteMetadata.text)
  }
}
