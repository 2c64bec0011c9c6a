import ArchiveIO
import Interchange
import XMLStream

/// The references of a workbook part: `xl/_rels/workbook.xml.rels` for `xl/workbook.xml`.
///
/// Only one level of references is followed, so cycles are impossible: a workbook refers to sheets, but sheets do not
/// refer to other sheets.
/// - Source: ECMA-376 part 2, 9.3
struct Relationships {
  /// A reference.
  struct Target {
    /// The last component of the reference's type, such as `worksheet` or `sharedStrings`. It is the same in all
    /// editions of the standard.
    let type: String
    /// The referenced part, without a leading slash; nil if the target is outside the workbook.
    let part: String?
  }

  /// The references, by id.
  private(set) var targets: [String: Target] = [:]

  /// Reads the references of a part. The list is empty if the part has none.
  init(of part: String, in file: ZipFile) throws {
    let folder = part.split(separator: "/", omittingEmptySubsequences: true).dropLast().joined(separator: "/")
    let name = part.split(separator: "/").last ?? ""
    let list = (folder.isEmpty ? "" : folder + "/") + "_rels/\(name).rels"
    let handler = Handler(folder: folder)
    _ = try file.parse(list, handler)
    targets = handler.targets
  }

  /// Returns the first referenced part of a type.
  func part(_ type: String) -> String? {
    targets.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.first { $0.value.type == type }?.value.part
  }

  /// Resolves a target relative to a folder. `..` means the parent folder, but never leaves the archive.
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
      guard targets.count < 65_536 else { throw PartProblem("a part refers to more than 65536 other parts") }
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
