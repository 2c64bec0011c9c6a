import ArchiveIO
import Content
import Diagnostics
import Foundation
import Interchange
import JSONText

/// The index of a pack, held against the files that it names and the items that are in them.
final class PackIndex {
  private let description: PackDescription
  private let image: BagImage
  private let findings: PackFindings
  private let items: [PackItem]
  /// Numbers of entries by the names that findings give their files.
  private var entries: [String: Int] = [:]
  /// Shows lines of `data/pack.json`.
  private let lines: MemberLines
  private var shown = 0
  private var start = ByteBuffer(capacity: 512)

  private static let mostShown = 1000

  init(_ description: PackDescription, _ image: BagImage, _ findings: PackFindings, lines: MemberLines) {
    self.lines = lines
    self.description = description
    self.image = image
    self.findings = findings
    items = description.info?.items ?? []
    entries.reserveCapacity(items.count)
    for (number, item) in items.enumerated() { entries[findings.file("data/" + item.path)] = number }
  }

  /// Files that the index names, by their paths in the bag.
  var paths: Set<String> { Set(items.map { "data/" + $0.path }) }

  /// Entries whose files are missing, or are others than those that the entry was written for.
  func mismatches() -> [Diagnostic] {
    var found: [Diagnostic] = []
    for (number, item) in items.enumerated() {
      let path = "data/" + item.path
      guard let member = image.index(of: path) else {
        found.append(
          Diagnostic(
            .packFileMissing, "the pack has no file '\(path)'", at: description.place(ofItem: number, "path"),
            record: "item \(item.id)", title: item.title))
        continue
      }
      let sha256 = image.members[member].sha256
      if !sha256.utf8.elementsEqual(item.sha256.utf8) {
        found.append(
          Diagnostic(
            .packFileDiffers, "the file '\(path)' has the checksum \(sha256)",
            at: description.place(ofItem: number, "sha256"), record: "item \(item.id)", title: item.title))
      }
    }
    return found
  }

  /// Holds the items of a batch against their entries.
  func check(_ batch: RecordBatch) {
    guard description.info != nil else { return }
    for record in batch.records where record.kind == .item {
      guard let number = entries[batch.locator.file(of: record)] else {
        findings.unlisted(record)
        continue
      }
      let item = items[number]
      if agrees(item, batch.line(record.slot)) { continue }
      guard let root = (try? record.document())?.root else { continue }
      differs(number, "id", said: item.id, is: record.id)
      differs(number, "content_type", said: item.contentType.rawValue, is: root["content_type"]?.string ?? "")
      differs(number, "title", said: item.title, is: root["title"]?.string ?? "")
      if let language = item.language {
        differs(number, "language", said: language, is: root["language"]?.string ?? "")
      }
    }
  }

  /// Whether a canonical line begins as an entry says. Most do, and then nobody parses them once more.
  private func agrees(_ item: PackItem, _ line: UnsafeBufferPointer<UInt8>) -> Bool {
    start.removeAll()
    start.append("{\"kind\":\"item\",\"id\":")
    start.appendJSONString(item.id)
    start.append(",\"content_type\":")
    start.appendJSONString(item.contentType.rawValue)
    start.append(",\"title\":")
    start.appendJSONString(item.title)
    start.append(",")
    guard line.starts(with: start.bytes) else { return false }
    guard let language = item.language else { return true }
    start.removeAll()
    start.append(",\"language\":")
    let name = start.count
    start.appendJSONString(language)
    start.append(",")
    // Inside texts quotes have a backslash before them, and the envelope stands before all other objects.
    guard let base = line.baseAddress else { return false }
    var at = 0
    while let comma = memchr(base + at, 0x2C, line.count - at) {
      at = UnsafeRawPointer(comma) - UnsafeRawPointer(base)
      guard line.count - at >= start.count else { return false }
      if memcmp(comma, start.start, name) == 0 { return memcmp(comma, start.start, start.count) == 0 }
      at += 1
    }
    return false
  }

  private func differs(_ number: Int, _ member: String, said: String, is value: String) {
    guard !said.utf8.elementsEqual(value.utf8) else { return }
    let item = items[number]
    let place = description.place(ofItem: number, member)
    // Looking for the line of each of thousands would take longer than everything else.
    shown += 1
    findings.report(
      Diagnostic(
        .packItemDiffers, "the index says '\(said)', the file \(member == "id" ? "has" : "says") '\(value)'", at: place,
        record: "item \(item.id)", title: item.title,
        excerpt: shown <= Self.mostShown ? lines.located(place).excerpt : nil))
  }
}
