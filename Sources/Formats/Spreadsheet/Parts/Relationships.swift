import ArchiveIO
import Interchange
import XMLStream

/// The references of a part of a workbook: `xl/_rels/workbook.xml.rels` for `xl/workbook.xml`.
///
/// Only one level is followed, never in circles: a workbook refers to sheets, and sheets do not refer to sheets.
/// - Source: ECMA-376 part 2, 9.3
struct Relationships {
  /// One reference.
  struct Target {
    /// The last word of its type, which is the same in all editions of the standard: `worksheet`, `sharedStrings`.
    let type: String
    /// The part that it refers to, without a leading slash; nil if it is outside of the workbook.
    let part: String?
  }

  /// By id.
  private(set) var targets: [String: Target] = [:]

  /// Reads the references of a part; empty if it has none.
  init(of part: String, in file: ZipFile) throws {
    let folder = part.split(separator: "/", omittingEmptySubsequences: true).dropLast().joined(separator: "/")
    let name = part.split(separator: "/").last ?? ""
    let list = (folder.isEmpty ? "" : folder + "/") + "_rels/\(name).rels"
    let handler = Handler(folder: folder)
    _ = try file.parse(list, handler)
    targets = handler.targets
  }

  /// Returns the first part of a type.
  func part(_ type: String) -> String? {
    targets.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.first { $0.value.type == type }?.value.part
  }

  /// Resolves a target relative to a folder; `..` leads up, but never out of the archive.
  static func resolve(_ target: String, in folder: String) -> String {
    var parts = target.utf8.first == 0x2F ? [] : folder.split(separator: "/")
    for piece in target.split(separator: "/") where piece != "." {
      if piece == ".." { _ = parts.popLast() } else { parts.append(piece) }
    }
    return parts.joined(separator: "/")
  }

  private final class Handler: PartHandler {
    let folder: String
    var targets: [String: Target] = [:]

    init(folder: String) { self.folder = folder }

    func begin(_ name: XMLName, _ attributes: XMLAttributes) throws {
      guard name.local.is("Relationship"), let id = attributes.text("Id"), let target = attributes.text("Target")
      else { return }
      guard targets.count < 65_536 else { throw PartProblem("a part refers to more than 65536 others") }
      let type = attributes.text("Type") ?? ""
      let isElsewhere = attributes.text("TargetMode") == "External"
      targets[id] = Target(
        type: type.split(separator: "/").last.map(String.init) ?? type,
        part: isElsewhere ? nil : Relationships.resolve(target, in: folder))
    }
    func end(_ name: XMLName) {}
    func text(_ bytes: UnsafeBufferPointer<UInt8>) {}
  }
}
