import Content
import Foundation
import Interchange
import JSONText

extension VaultReader {
  /// The files that notes use, as records; nil when there are none.
  func attachments() throws -> RecordBatch? {
    let locator = VaultLocator(paths, parser: parser)
    let batch = RecordBatch(locator: locator, capacity: 1 << 14)
    var entries = links.used.map { (path: $0.path, ids: $0.itemIDs) }
    let known = Set(entries.map(\.path))
    entries += kept.byPath.keys.filter { !known.contains($0) }.map { ($0, []) }
    entries.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    for entry in entries {
      let old = kept.byPath[entry.path]
      let found = try VaultAttachment(
        path: entry.path, in: paths.mediaFolder, source: paths.place.sourceID, id: old?.id, itemIDs: entry.ids)
      guard let found else {
        if let old { append(old, to: batch, locator) } else { links.reportUnreadable(entry.path) }
        continue
      }
      let number = locator.addMedia(paths.fromSource(entry.path))
      // What a library said of it stays as it was said, as long as it is the same file.
      if let old, old.sha256 == nil || old.sha256 == found.sha256 {
        append(line: old.line, to: batch, number)
      } else {
        var line = ByteBuffer(capacity: 512)
        found.write(into: &line)
        append(line: line.copy(0..<line.count), to: batch, number)
      }
    }
    for old in kept.others { append(old, to: batch, locator) }
    return batch.count == 0 ? nil : batch
  }

  /// A record whose bytes are not there.
  private func append(_ old: KeptAttachments.Kept, to batch: RecordBatch, _ locator: VaultLocator) {
    append(line: old.line, to: batch, locator.add(".fleetkit/library.jsonl"))
  }

  private func append(line: [UInt8], to batch: RecordBatch, _ file: Int32) {
    let start = batch.canonical.count
    line.withUnsafeBufferPointer { batch.canonical.append($0) }
    batch.appendSlot(.attachment, from: start)
    batch.slots[batch.slots.count - 1].sourceFile = file
  }
}
