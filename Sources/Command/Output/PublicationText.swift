/// What a run did about publication, in words.
enum PublicationText {
  /// What to say when records came back as published; nil when none did.
  static func restored(_ count: Int) -> String? {
    if count == 0 { return nil }
    let what = count == 1 ? "1 record counts as published again" : "\(count) records count as published again"
    return what + ", as it did where it comes from. Whether it still is public, only the registry knows."
  }
}
