import FleetKit

/// Reads the index of a pack, for `list`.
enum PackListing {
  /// Returns the selected items of a pack's index.
  /// - Returns: nil if the source is not a pack with an index, or the selection needs more than an index contains.
  static func items(of entry: SourceList.Entry, _ selection: Selection?) throws -> [RecordSummary]? {
    guard entry.format is ContentPackFormat, selection?.asksForIndexOnly ?? true else { return nil }
    let path = entry.source.path
    guard let info = try PackHead(path).info else { return nil }
    let folder = path.hasSuffix("/") ? path : path + "/"
    return info.items.filter { item in
      selection?.takes(
        item: item.id, type: item.contentType.rawValue, title: item.title, path: "\(folder)data/\(item.path)") ?? true
    }.map(RecordSummary.init)
  }
}
