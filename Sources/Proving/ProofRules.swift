import Content
import Foundation
import Interchange
import JSONText
import RecordSources

/// Decides which differences only reflect how the format writes the same value, as the format's page promises.
///
/// Every rule compares both values. No rule excuses a member regardless of its value.
struct ProofRules {
  /// The reason why a difference is accepted, if its pointer alone does not explain it.
  enum Explanation: Equatable {
    /// A loss that was listed for another member of the record.
    case loss
    /// A declared property of the target's format, in a few words.
    case rule(String)
  }

  /// The two records of a difference.
  struct Pair {
    let source: JSONNode
    let target: JSONNode
    /// Whether the target has no id for the record, so that its reader derived an id from the record's place.
    let isRenamed: Bool
    let lost: ProofLosses.OfRecord
  }

  /// The properties that the target's format declares.
  private let differences: Set<FormatDescriptor.Difference>
  /// The format's app, whose name is the key of its extras.
  private let app: String
  /// Whether the target is a folder of notes, which stores the times that its notes do not have.
  let isVault: Bool
  private let now: String
  private static let times: Set<String> = [
    "created_at", "updated_at", "createdAt", "updatedAt", "start_date", "end_date", "last_updated",
  ]
  private static let fileTimes: [String: StaticString] = [
    "created_at": "created_at", "createdAt": "created_at", "updated_at": "updated_at", "updatedAt": "updated_at",
  ]

  init(target: SourceList, now: Timestamp) {
    differences = target.entries.first?.format.descriptor.differences ?? []
    app = String(target.entries.first?.format.descriptor.name.prefix { $0 != "-" } ?? "")
    var isFolder: ObjCBool = false
    let path = target.entries.first?.source.path ?? "-"
    isVault = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    self.now = now.iso8601
  }

  /// Returns the explanation of a difference, or nil if it is unexplained.
  func explanation(
    of path: [JSONPointer.Step], _ left: JSONNode?, _ right: JSONNode?, _ pair: Pair
  ) -> Explanation? {
    if differences.contains(.tableColumns), path.first == .member("extras"),
      path.count > 1 ? path[1] == .member("table") : Self.isTable(left) && (right == nil || Self.isTable(right))
    {
      // formats/tables.md, "Columns of your own": a checklist keeps the columns that contain values.
      return .rule("columns of tables")
    }
    guard case .member(let name)? = path.last else { return repeated(path, pair) }
    if pair.isRenamed, name == "id", left?.kind == .string, right?.kind == .string {
      // formats/markdown.md, "Ids": a note without an id becomes a different item under a different path.
      return pair.lost.explains([.member("id")]) ? .loss : .rule("ids of notes that say none")
    }
    // formats/todoist.md: a list without an id has no times either. Both are one loss.
    if pair.lost.explains([.member("id")]), Self.times.contains(name) { return .loss }
    if path.count >= 2, path[0] == .member("extras"),
      path[1] == .member("markdown") || path[1] == .member("provenance")
    {
      return typing(pair)
    }
    if differences.contains(.ownExtras), left == nil,
      path[0] == .member("raw") || path[0] == .member("extras") && (path.count == 1 || path[1] == .member(app))
    {
      // formats/haumana.md: a text from another source gets a category, and a row gets its keys.
      return .rule("what the format's app has besides")
    }
    if differences.contains(.fileTimes), !isVault, let member = Self.fileTimes[name], isOfFile(member, pair.target),
      left == nil || isOfFile(member, pair.source)
    {
      // formats/markdown.md, "Times": a single note without a time gets its file's time.
      return .rule("times of files")
    }
    if differences.contains(.requiredTimes), Self.times.contains(name), left == nil, let right,
      isStandIn(right, pair.source)
    {
      // formats/sqlite-library.md: columns of times are never empty (LIB0310).
      return .rule("times that the app's tables need")
    }
    if differences.contains(.emptyTexts), left?.equals("") == true, right == nil {
      // formats/tables.md: a cell without characters counts as a missing value.
      return .rule("empty texts")
    }
    return repeated(path, pair)
  }

  /// Whether extras hold only the columns of a table.
  private static func isTable(_ extras: JSONNode?) -> Bool {
    guard let extras, extras.kind == .object else { return false }
    var others = 0
    extras.forEachMember { name, _ in if !name.equals("table") { others += 1 } }
    return others == 0
  }

  /// Explains a different notation. formats/markdown.md, "What a record keeps of a note": the notation of a note
  /// belongs to the note.
  private func typing(_ pair: Pair) -> Explanation? {
    differences.contains(.typing) ? .rule("how notes are typed") : nil
  }

  /// Whether a record's provenance marks a time as its file's time.
  private func isOfFile(_ member: StaticString, _ record: JSONNode) -> Bool {
    record.member("extras")?.member("provenance")?.member(member)?.equals("file") ?? false
  }

  /// Whether a time replaces a missing one, so that it is the run's time, or another time of the same record.
  private func isStandIn(_ time: JSONNode, _ record: JSONNode) -> Bool {
    if time.string.map({ $0.utf8.elementsEqual(now.utf8) }) == true { return true }
    var found = false
    func search(_ node: JSONNode) {
      node.forEachMember { name, value in
        if Self.times.contains(name.string ?? ""), value.means(time) { found = true }
      }
    }
    search(record)
    if let document = record.member("content_data") { search(document) }
    return found
  }

  /// Explains the loss of a document's member that repeats a member of its item: both are lost together.
  private func repeated(_ path: [JSONPointer.Step], _ pair: Pair) -> Explanation? {
    guard path.count >= 2, path[0] == .member("content_data"), case .member(let name) = path[1],
      let itemName = Shapes.repeats[name], let itemValue = pair.source.member(named: itemName),
      let document = pair.source.member("content_data")
    else { return nil }
    var isSame = false
    document.forEachMember { other, value in
      if other.string.map({ $0.utf8.elementsEqual(name.utf8) }) == true, value.means(itemValue) { isSame = true }
    }
    return isSame && pair.lost.explains([.member(itemName)]) ? .loss : nil
  }
}
