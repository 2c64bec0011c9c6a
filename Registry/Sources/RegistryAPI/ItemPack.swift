import Content
import ContentPack
import Foundation
import Interchange
import JSONBundle
import Markdown
import RegistryModel
import RegistryStore

/// Builds content packs that contain one public item.
enum ItemPack {
  /// The media type of packs.
  static let mediaType = "application/vnd.fleetkit.pack"

  private static let lines = JSONBundleFormat(.lines)
  private static let formats = PackFormats(
    notes: MarkdownFormat(bundle: lines), documents: JSONBundleFormat(.document), lines: lines)

  /// Returns the bytes of an item's pack. Equal items give equal bytes.
  ///
  /// The pack is named by the item's slug, and its publisher is the author. The registry knows no licence.
  /// - Throws: `JSONError` and `ModelError` if the document is damaged; `StoreFailure.unavailable` if the temporary
  ///   files cannot be written.
  static func bytes(of content: SharedContent) throws -> [UInt8] {
    let record = try Record(.item(LibraryItem(copyOf: content)))
    do {
      let folder = try TemporaryFolder()
      defer { folder.remove() }
      let path = "\(folder.path)/\(content.head.publicID).fleetpack"
      let assembly = try PackAssembly(Target(path), kind: .fleetpack, formats: formats, isPublished: true)
      do {
        _ = try assembly.add(items: record.batch, losses: LossLog())
        var info = PackInfo(profile: .content, name: PackName.of(path: path))
        info.version = version(at: content.head.updatedAt)
        info.publisher = content.head.authorUsername ?? "NOASSERTION"
        info.licence = "NOASSERTION"
        info.description = content.head.description
        try assembly.prepare(info)
        _ = try assembly.finish()
      } catch {
        assembly.abort()
        throw error
      }
      return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    } catch let failure as RunFailure {
      throw StoreFailure.unavailable(failure.message)
    } catch let error as CocoaError {
      throw StoreFailure.unavailable("read a pack: \(error.localizedDescription)")
    }
  }

  /// Returns the version of an item that was changed at a time, such as `2026.1129.36672123`: the year, the month and
  /// day, and the millisecond of the day in UTC. Later changes have higher versions.
  private static func version(at time: Timestamp) -> SemanticVersion? {
    let parts = time.iso8601.prefix(10).split(separator: "-").compactMap { Int($0) }
    guard parts.count == 3 else { return nil }
    return SemanticVersion("\(parts[0]).\(100 * parts[1] + parts[2]).\(time.milliseconds % 86_400_000)")
  }
}
