import ArchiveIO
import Content
import Diagnostics
import Foundation
import Interchange
import JSONText

/// Checks a pack's index against the files that it lists and the items in these files.
final class PackIndex {
  private let description: PackDescription
  private let image: BagImage
  private let findings: PackFindings
  private let items: [PackItem]
  /// The entries' numbers, by the names of their files in findings.
  private var entries: [String: Int] = [:]
  /// The lines of `data/pack.json`, for findings.
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

  /// The paths in the bag of the files that the index lists.
  var paths: Set<String> { Set(items.map { "data/" + $0.path }) }

  /// Returns findings for entries whose file is missing or has a different checksum.
  func mismatches() -> [Diagnostic] {
    var found: [Diagnostic] = []
    for (number, item) in items.enumerated() {
      let path = "data/" + item.path
      guard let member = image.index(of: path) else {
        found.append(
          Diagnostic(
            .packFileMissing, "the pack does not contain '\(path)'", at: description.place(ofItem: number, "path"),
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

  /// Checks the items in a batch against their entries.
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
      differs(number, "id", listed: item.id, is: record.id)
      differs(number, "content_type", listed: item.contentType.rawValue, is: root["content_type"]?.string ?? "")
      differs(number, "title", listed: item.title, is: root["title"]?.string ?? "")
      if let language = item.language {
        differs(number, "language", listed: language, is: root["language"]?.string ?? "")
      }
    }
  }

  /// Whether a canonical line begins with the values of its entry. Most lines do, and they are not parsed again.
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
    // Quotes in strings are escaped with a backslash, and the envelope precedes all other objects.
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

  private func differs(_ number: Int, _ member: String, listed: String, is value: String) {
    guard !listed.utf8.elementsEqual(value.utf8) else { return }
    let item = items[number]
    let place = description.place(ofItem: number, member)
    // Finding the lines of thousands of entries would take longer than everything else.
    shown += 1
    findings.report(
      Diagnostic(
        .packItemDiffers, "the index has '\(listed)', the file has '\(value)'", at: place,
        record: "item \(item.id)", title: item.title,
        excerpt: shown <= Self.mostShown ? lines.located(place).excerpt : nil))
  }
}
