import FleetKit

/// What a pack lists of itself, for `list`.
enum PackListing {
  /// The items of a pack's index that are selected.
  /// - Returns: nil when the source is no pack with an index, or more is asked for than an index says.
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
