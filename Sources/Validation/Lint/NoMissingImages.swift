import Content
import Diagnostics
import Foundation
import JSONText

/// A picture that a guide shows is among the run's attachments.
///
/// `![fuel filter](media/filter.jpg)` and `![[filter.jpg]]` are compared with the names, paths and ids of attachments
/// and with the files next to the guide's own file. `network-image` reports pictures from the network.
///
/// ```json bad /content_data/markdown /content_data/markdown
/// {"content_type": "practice_guide", "title": "Engine", "content_data": {
///   "markdown": "Look: ![filter](media/filter.jpg) and ![[Насос 2.png|300]].\n"}}
/// ```
///
/// ```json good
/// {"content_type": "practice_guide", "title": "Engine", "content_data": {
///   "markdown": "In `![code](none.jpg)` nothing is shown. ![](https://example.org/filter.jpg)\n"}}
/// ```
struct NoMissingImages: Rule {
  static let code = DiagnosticCode(
    "LNT0305", "missing-image", .warning, "A guide shows a picture that is missing.",
    why: "readers see the picture's name or an empty space",
    fix: "add the picture as an attachment, or remove the link")

  private static let mostInItem = 100
  private static let mostInRun = 20_000

  private var present: Set<UInt64> = []
  private var pending: [(key: UInt64, path: String, mark: RuleReport.Mark)] = []

  init(limits: RuleLimits) {}

  mutating func check(_ record: JSONNode, kind: RecordKind, _ report: RuleReport) {
    guard kind == .attachment else { return }
    for name: StaticString in ["id", "name", "file_name", "path"] {
      guard let text = record.member(name)?.string else { continue }
      present.insert(TextKey.hash(FileName.last(text).full, .letters))
    }
  }

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard !report.linksAreChecked, let (text, scan) = item.guide else { return }
    var left = Self.mostInItem
    for link in scan.links where left > 0 && pending.count < Self.mostInRun {
      guard link.form == .image || link.form == .embed, !link.page.isEmpty,
        !WebAddress.begins(text.bytes.span, link.page), !WebAddress.isWeb(text.bytes.span, link.page)
      else { continue }
      let path = UTF8Reader.string(text.bytes.span, link.page)
      let name = FileName.last(path)
      // An embedded page is a link to that page.
      if link.form == .embed, !FileName.media.contains(name.ending ?? "") { continue }
      let key = TextKey.hash(name.full, .letters)
      guard !present.contains(key), let mark = report.mark(text.node, in: link.page) else { continue }
      left -= 1
      pending.append((key, path, mark))
    }
  }

  mutating func finish(_ report: RuleReport) {
    var files = SiblingFiles()
    for image in pending where !present.contains(image.key) && !files.has(image.path, from: image.mark.place) {
      let name = FileName.last(image.path).full
      report.finding("the picture \(Quotation.of(name)) is not among the attachments of this run", at: image.mark)
    }
    pending.removeAll()
  }
}

/// Checks whether a file that a guide names exists next to the guide's own file.
///
/// Only names are checked, and files are never opened. Each name is checked once, and the number of names is limited.
struct SiblingFiles {
  /// The maximum number of names that are checked. A guide with more missing files has another problem.
  private static let most = 20_000
  /// The maximum length of a name. Longer names are not file names.
  private static let longest = 1024

  private var known: [String: Bool] = [:]

  /// Whether the file exists. False for guides in libraries and from standard input, which have no folder.
  /// - Parameter path: the path in the link, relative to the guide's folder.
  mutating func has(_ path: String, from place: Place) -> Bool {
    guard Self.isTextFile(place), let full = Self.resolved(path, beside: place.file) else { return false }
    if let answer = known[full] { return answer }
    guard known.count < Self.most else { return false }
    let answer = FileManager.default.fileExists(atPath: full)
    known[full] = answer
    return answer
  }

  /// Whether a place is in a separate text file.
  static func isTextFile(_ place: Place) -> Bool {
    place.row == nil && place.member == nil && place.line != nil && place.file != "-"
  }

  /// Returns the path relative to the working folder. Returns nil if the path refers to a folder above those that the
  /// user named.
  static func resolved(_ path: String, beside file: String) -> String? {
    guard !path.isEmpty, path.utf8.count <= longest, file.utf8.count <= 4096 else { return nil }
    let decoded = FileName.decoded(path)
    guard !decoded.hasPrefix("/"), !decoded.utf8.contains(0) else { return nil }
    let isAbsolute = file.hasPrefix("/")
    var parts = file.split(separator: "/").dropLast().filter { $0 != "." }
    for part in decoded.split(separator: "/") where part != "." {
      if part == ".." {
        guard let last = parts.popLast(), last != ".." else { return nil }
      } else {
        parts.append(part)
      }
    }
    guard !parts.isEmpty else { return nil }
    return (isAbsolute ? "/" : "") + parts.joined(separator: "/")
  }
}
