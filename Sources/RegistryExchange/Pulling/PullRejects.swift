import Foundation

/// The files that a pull writes about conflicts. Every pull finds an unresolved conflict again, and its files replace
/// those of the pull before instead of adding to them.
struct PullRejects {
  /// The files of records.
  let records: [String]
  /// The page that shows both sides; nil when there is none.
  let page: String?

  private static let ending = "-pull.jsonl"

  /// Renames them to the names of an earlier pull that left the same records; otherwise returns them unchanged. The
  /// page shows both sides in their current state.
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
      // The records are moved last: until then, the new names are complete.
      let stem = String(new.dropLast(".jsonl".count))
      guard move(stem + ".reasons.jsonl", ".reasons.jsonl") != nil else { return self }
      let page = page.map { move($0, ".conflicts.md") ?? $0 }
      return PullRejects(records: [move(new, ".jsonl") ?? new], page: page)
    }
    return self
  }
}
