import ArchiveIO
import Content
import Foundation
import Interchange

/// The files of a pack that are in one format, as a source for this format.
final class PackMembers: MemberSource {
  private let image: BagImage
  /// The file numbers in the image.
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

  /// Whether FleetKit rendered the files. The files match the manifests, so they are unchanged since the pack was
  /// written.
  var isRendered: Bool { image.info["Bag-Software-Agent"] == PackAssembly.agent }

  func index(of path: String) -> Int? {
    // Names with different bytes belong to different files, even if the names look the same.
    guard let index = numbers[path], paths[index].utf8.elementsEqual(path.utf8) else { return nil }
    return index
  }

  func bytes(of index: Int) -> UnsafeBufferPointer<UInt8> { image.bytes(of: picks[index]) }

  func mediaPath(of record: Record) -> String? { media.path(of: record) }

  func hasMedia(of record: Record) -> Bool { media.number(of: record) != nil }
}

/// The creation time of a pack, which is used for notes without a time.
enum PackTime {
  /// Returns the date in the bag's information; otherwise 1 January 1980, the earliest date that ZIP can represent.
  static func of(_ info: BagInfo) -> Timestamp {
    let day = info["Bagging-Date"] ?? ""
    let bagged = day.utf8.count == 10 ? Timestamp.parse(day + "T00:00:00Z")?.0 : nil
    return bagged ?? Timestamp(milliseconds: 315_532_800_000)
  }
}
