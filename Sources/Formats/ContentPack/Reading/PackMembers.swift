import ArchiveIO
import Content
import Foundation
import Interchange

/// Some files of a pack, for the format that they are in.
final class PackMembers: MemberSource {
  private let image: BagImage
  /// Numbers of the files in the image.
  private let picks: [Int]
  private let numbers: [String: Int]
  private let media: PackMedia
  let name: String
  let idScope: String
  let time: Timestamp
  let paths: [String]

  init(_ image: BagImage, _ picks: [Int], idScope: String, media: PackMedia) {
    self.image = image
    self.picks = picks
    self.idScope = idScope
    self.media = media
    name = image.path
    paths = picks.map { image.members[$0].path }
    numbers = Dictionary(paths.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    time = PackTime.of(image.info)
  }

  var folder: String { "data/" }

  /// The files were held against the manifests, so they are what the pack's maker wrote.
  var isRendered: Bool { image.info["Bag-Software-Agent"] == PackAssembly.agent }

  func index(of path: String) -> Int? {
    // Names that differ in their bytes are different files, whatever they look like.
    guard let index = numbers[path], paths[index].utf8.elementsEqual(path.utf8) else { return nil }
    return index
  }

  func bytes(of index: Int) -> UnsafeBufferPointer<UInt8> { image.bytes(of: picks[index]) }

  func mediaPath(of record: Record) -> String? { media.path(of: record) }

  func hasMedia(of record: Record) -> Bool { media.number(of: record) != nil }
}

/// When a pack was made, for notes that say no time.
enum PackTime {
  /// The day that the bag names, else the first one of 1980, which is as far back as ZIP goes.
  static func of(_ info: BagInfo) -> Timestamp {
    let day = info["Bagging-Date"] ?? ""
    let said = day.utf8.count == 10 ? Timestamp.parse(day + "T00:00:00Z")?.0 : nil
    return said ?? Timestamp(milliseconds: 315_532_800_000)
  }
}
