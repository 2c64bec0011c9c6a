import ArchiveIO
import Interchange
import XMLStream

/// What a part of a workbook refers to: `xl/_rels/workbook.xml.rels` for `xl/workbook.xml`.
///
/// Followed one step at a time and never in circles: a workbook has sheets, and sheets have none.
/// - Source: ECMA-376 part 2, 9.3
struct Relationships {
  /// One reference.
  struct Target {
    /// The last word of its type, which is the same in all editions of the standard: `worksheet`, `sharedStrings`.
    let type: String
    /// The part that is meant, without a slash before it; nil when it lies elsewhere.
    let part: String?
  }

  /// By id.
  private(set) var targets: [String: Target] = [:]

  /// Reads what a part refers to; nothing when it says nothing.
  init(of part: String, in file: ZipFile) throws {
    let folder = part.split(separator: "/", omittingEmptySubsequences: true).dropLast().joined(separator: "/")
    let name = part.split(separator: "/").last ?? ""
    let list = (folder.isEmpty ? "" : folder + "/") + "_rels/\(name).rels"
    let handler = Handler(folder: folder)
    _ = try file.parse(list, handler)
    targets = handler.targets
  }

  /// The first part of a type.
  func part(_ type: String) -> String? {
    targets.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.first { $0.value.type == type }?.value.part
  }

  /// The part that a target means, seen from a folder; `..` leads up and never out.
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
