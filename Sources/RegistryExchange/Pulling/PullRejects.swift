import Foundation

/// The files that a pull writes about conflicts. Every pull finds an unresolved conflict again, and its files replace
/// those of the previous pull instead of adding to them.
struct PullRejects {
  /// The files with records.
  let records: [String]
  /// The page that shows both sides; nil when there is no page.
  let page: String?

  private static let ending = "-pull.jsonl"

  /// Renames the files to the names that an earlier pull gave to the same records, if there are such files; otherwise
  /// returns them unchanged. The page shows the current state of both sides.
  func folded() -> PullRejects {
    guard records.count == 1, let new = records.first, new.hasSuffix(Self.ending),
      let bytes = FileManager.default.contents(atPath: new)
    else { return self }
    let folder = (new as NSString).deletingLastPathComponent
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    for name in names where name.hasSuffix(Self.ending) && folder + "/" + name != new {
      let old = folder + "/" + name
      guard FileManager.default.contents(atPath: old) == bytes else { continue }
      func move(_ from: String, _ ending: String) -> String? {
        let target = old.dropLast(".jsonl".count) + ending
        return rename(from, String(target)) == 0 ? String(target) : nil
      }
      // The file with the records is moved last: by then, the other files already have their new names.
      let stem = String(new.dropLast(".jsonl".count))
      guard move(stem + ".reasons.jsonl", ".reasons.jsonl") != nil else { return self }
      let page = page.map { move($0, ".conflicts.md") ?? $0 }
      return PullRejects(records: [move(new, ".jsonl") ?? new], page: page)
    }
    return self
  }
}
