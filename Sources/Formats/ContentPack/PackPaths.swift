import ArchiveIO
import Content
import Foundation

/// The paths in a pack, relative to `data/`.
public enum PackPaths {
  /// The folder that contains a bag's payload.
  public static let payload = "data/"
  /// The bundle of all records that are not items.
  public static let records = "records.jsonl"
  /// The file that lists the origins of the items.
  public static let attribution = "ATTRIBUTION.md"
  /// The folder of attachment files.
  public static let media = "media"

  /// Returns the folder for items of a type.
  public static func folder(of type: ContentType) -> String {
    switch type {
    case .checklist: "checklists"
    case .practiceGuide: "guides"
    case .flashcardDeck: "decks"
    }
  }

  /// Returns the path of an attachment file: its SHA-256, with the extension of the attachment's name if the extension
  /// is short and plain.
  public static func media(sha256: String, name: String) -> String {
    let bytes = Array(name.utf8)
    guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { return "\(media)/\(sha256)" }
    let ending = bytes[(dot + 1)...].map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
    let isPlain = ending.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
    guard isPlain, !ending.isEmpty, ending.count <= 8 else { return "\(media)/\(sha256)" }
    return "\(media)/\(sha256).\(String(decoding: ending, as: UTF8.self))"
  }
}

/// Determines the roles of a pack's files from their paths.
struct PackLayout {
  /// The numbers of the attachment files.
  private(set) var media: [Int] = []
  /// The number of the bundle with all records that are not items, as the only element. The array is empty if the pack
  /// has no such bundle.
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

/// Assigns file names to the items in a folder. The names do not depend on the order of the input.
///
/// An item whose slug is unique is named by the slug. Items that share a slug get the first eight digits of their ids
/// appended, or the whole id where eight digits are not enough. All names are lower-case ASCII, so they are distinct on
/// every file system.
enum PackNames {
  /// An item to be named.
  struct Item {
    /// The slug of the item's title.
    let slug: String
    /// The item's id, a UUID.
    let id: String
  }

  /// Returns names without extensions, in the order of the items.
  static func names(of items: [Item]) -> [String] {
    let order = items.indices.sorted { left, right in
      if items[left].slug != items[right].slug { return isBefore(items[left].slug, items[right].slug) }
      return isBefore(items[left].id, items[right].id)
    }
    var names = items.map(\.slug)
    var taken: Set<String> = []
    var shared: [Range<Int>] = []
    var start = 0
    while start < order.count {
      var end = start + 1
      while end < order.count, items[order[end]].slug == items[order[start]].slug { end += 1 }
      if end - start == 1 { taken.insert(items[order[start]].slug) } else { shared.append(start..<end) }
      start = end
    }
    for index in shared.joined().map({ order[$0] }) {
      let id = items[index].id.lowercased()
      let candidates = [items[index].slug + "-" + id.utf8Prefix(8), items[index].slug + "-" + id]
      var name = candidates.first { !taken.contains($0) } ?? id
      while taken.contains(name) { name += "-2" }
      taken.insert(name)
      names[index] = name
    }
    return names
  }

  /// Whether a string sorts before another string in byte order.
  static func isBefore(_ left: String, _ right: String) -> Bool {
    var (left, right) = (left, right)
    return left.withUTF8 { left in
      right.withUTF8 { right in
        let count = min(left.count, right.count)
        guard count > 0, let first = left.baseAddress, let second = right.baseAddress else {
          return left.count < right.count
        }
        let order = memcmp(first, second, count)
        return order == 0 ? left.count < right.count : order < 0
      }
    }
  }
}
