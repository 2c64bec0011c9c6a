/// Renders how a run changed the publication of records.
enum PublicationRenderer {
  /// Returns a sentence about records that were restored as published; nil if `count` is 0.
  static func restored(_ count: Int) -> String? {
    if count == 0 { return nil }
    let what = count == 1 ? "1 record is marked as published" : "\(count) records are marked as published"
    return what + ", as in the source. This may be outdated; to check it with the registry, run 'fleetkit pull'."
  }
}
