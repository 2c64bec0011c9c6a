import ArchiveIO

/// Determines the roles of a pack's files from their paths.
struct PackLayout {
  /// The numbers of the attachment files.
  private(set) var media: [Int] = []
  /// The number of the bundle with all records that are not items; empty if the pack has no such bundle.
  private(set) var records: [Int] = []
  private var items: [Int] = []
  private var others: [Int] = []
  private let image: BagImage

  private static let folders = ["data/checklists/", "data/guides/", "data/decks/"]
  private static let known: Set<String> = [PackInfo.path, "data/ATTRIBUTION.md"]

  init(_ image: BagImage) {
    self.image = image
    for (number, member) in image.members.enumerated() {
      let path = member.path.utf8
      if path.starts(with: "data/media/".utf8) {
        media.append(number)
      } else if path.elementsEqual("data/records.jsonl".utf8) {
        records = [number]
      } else if Self.holdsItems(member.path) {
        items.append(number)
      } else if !Self.known.contains(member.path) {
        others.append(number)
      }
    }
  }

  /// Whether a path is in one of the item folders.
  static func holdsItems(_ path: String) -> Bool {
    folders.contains { path.utf8.starts(with: $0.utf8) }
  }

  /// Returns the numbers of the item files, by format, and of the files that are not read.
  /// - Parameter listed: the paths of the files that the index lists.
  func content(listed: Set<String>) -> (documents: [Int], notes: [Int], unread: [Int]) {
    var documents: [Int] = []
    var notes: [Int] = []
    var unread: [Int] = []
    for number in items + others.filter({ listed.contains(image.members[$0].path) }) {
      let path = image.members[number].path.utf8
      if path.reversed().starts(with: ".json".utf8.reversed()) {
        documents.append(number)
      } else if path.reversed().starts(with: ".md".utf8.reversed()) {
        notes.append(number)
      } else {
        unread.append(number)
      }
    }
    unread += others.filter { !listed.contains(image.members[$0].path) }
    return (documents, notes, unread)
  }
}
