import Foundation
import JSONText

/// The path of an item's note, if the note has no id of its own.
struct NotePath {
  /// Its path in the vault; of a folder of cards with a slash at its end.
  let path: String

  init?(_ record: JSONNode) {
    guard let kept = record.member("extras")?.member("markdown"), kept.kind == .object,
      let path = kept.member("path")?.string,
      kept.member("derived_id")?.bool ?? false || kept.member("cards") != nil
    else { return nil }
    self.path = path.precomposedStringWithCanonicalMapping
  }
}
