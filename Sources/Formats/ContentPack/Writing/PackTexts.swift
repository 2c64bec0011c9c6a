import Content
import Foundation
import Interchange
import JSONText

/// Renders items on up to four threads, but on no more threads than processors.
final class PackTexts: Sendable {
  /// An item rendered as a pack file.
  struct Text: Sendable {
    let id: String
    let type: ContentType
    let title: String
    let language: String?
    let slug: String
    let isNote: Bool
    let bytes: [UInt8]
    /// The SHA-256 of the bytes.
    let sha256: String
    let lineage: Lineage?
    let left: [(reason: LossReason, field: String)]
  }

  private let notes: any ItemTextWriter
  private let documents: any ItemTextWriter
  private let isPublished: Bool

  init(_ formats: PackFormats, isPublished: Bool) {
    notes = formats.notes.itemWriter()
    documents = formats.documents.itemWriter()
    self.isPublished = isPublished
  }

  /// The number of items that a thread processes at a time.
  private static let stretch = 32
  /// The number of threads. Further threads would only wait for the reading thread.
  private static let threads = max(1, min(4, ProcessInfo.processInfo.activeProcessorCount))

  /// Begins rendering the selected items of a batch. The batch must not change until the returned closure has been
  /// called.
  /// - Returns: a closure that waits for the texts and returns them in batch order. The closure throws `RunFailure` if
  ///   an item cannot be rendered, which readers prevent.
  func begin(_ batch: RecordBatch, where takes: (Int) -> Bool) -> () throws -> [Text] {
    let chosen = batch.slots.indices.filter(takes)
    // The rules have usually parsed the items already. From here on, the batch must not change.
    for index in chosen { _ = batch.parsed(index) }
    let starts = stride(from: 0, to: chosen.count, by: Self.stretch)
    let parts = starts.underestimatedCount
    let made = OrderedMap<[Text]>(starts, threads: min(Self.threads, parts), ahead: max(1, parts)) { [self] _ in
      { [self] start, made in
        let part = chosen[start..<min(chosen.count, start + Self.stretch)]
        _ = made.send(
          try part.map { index in
            guard let text = text(Record(batch: batch, index: index)) else {
              throw RunFailure(
                .internalError, "an item cannot be written as a pack file", advice: "Please report this.")
            }
            return text
          })
      }
    }
    return {
      var texts: [Text] = []
      while let part = try made.next() { texts += part }
      return texts
    }
  }

  private func text(_ record: Record) -> Text? {
    guard let root = record.batch.node(record.slot),
      let type = root.member("content_type")?.string.flatMap(ContentType.init(rawValue:))
    else { return nil }
    let title = root.member("title")?.string ?? ""
    let slug = Slug.of(title)
    var item = record
    var left: [(reason: LossReason, field: String)] = []
    if isPublished {
      let publishable = PublishableItem(root)
      left = publishable.left
      if !left.isEmpty {
        let line = record.batch.line(record.slot)
        let copy = RecordBatch(like: record.batch, capacity: line.count + 64)
        publishable.write(line, from: root.span.lowerBound, into: &copy.canonical)
        copy.appendSlot(.item, from: 0)
        item = Record(batch: copy, index: 0)
      }
    }
    let name = "\(PackPaths.folder(of: type))/\(slug)"
    let note = type == .practiceGuide ? notes.text(of: item, at: name + ".md") : nil
    guard let bytes = note ?? documents.text(of: item, at: name + ".json") else { return nil }
    return Text(
      id: record.id, type: type, title: title, language: root.member("language")?.string, slug: slug,
      isNote: note != nil, bytes: bytes, sha256: Digest.hex(bytes.withUnsafeBufferPointer(Digest.sha256)),
      lineage: Lineage(root), left: left)
  }
}
