import Content
import Foundation
import Interchange
import JSONText
import RecordSources

/// Says which differences are a format's own way of saying the same: what its page promises, and nothing else.
///
/// Every rule looks at both values; none excuses a member whatever it says.
struct ProofRules {
  /// What explains a difference that its pointer alone does not.
  enum Explanation: Equatable {
    /// A loss that was listed elsewhere in the record.
    case loss
    /// What the target's format says of itself, in a few words.
    case rule(String)
  }

  /// The two records that a difference lies in.
  struct Pair {
    let source: JSONNode
    let target: JSONNode
    /// Whether the target says no id for the record, and gave it one by where it lies.
    let isRenamed: Bool
    let lost: ProofLosses.OfRecord
  }

  /// What the target's format declares.
  private let differences: Set<FormatDescriptor.Difference>
  /// The app of the format, by which its extras are called.
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

  /// What explains a difference; nil when nothing does.
  func explanation(
    of path: [JSONPointer.Step], _ left: JSONNode?, _ right: JSONNode?, _ pair: Pair
  ) -> Explanation? {
    if differences.contains(.tableColumns), path.first == .member("extras"),
      path.count > 1 ? path[1] == .member("table") : Self.isTable(left) && (right == nil || Self.isTable(right))
    {
      // formats/tables.md, "Columns of your own": a checklist remembers the columns that it has lines of.
      return .rule("columns of tables")
    }
    guard case .member(let name)? = path.last else { return repeated(path, pair) }
    if pair.isRenamed, name == "id", left?.kind == .string, right?.kind == .string {
      // formats/markdown.md, "Ids": a note without an id is another item wherever it lies.
      return pair.lost.explains([.member("id")]) ? .loss : .rule("ids of notes that say none")
    }
    // formats/todoist.md: a list that says no id says no time either; both are one loss.
    if pair.lost.explains([.member("id")]), Self.times.contains(name) { return .loss }
    if path.count >= 2, path[0] == .member("extras"),
      path[1] == .member("markdown") || path[1] == .member("provenance")
    {
      return typing(pair)
    }
    if differences.contains(.ownExtras), left == nil,
      path[0] == .member("raw") || path[0] == .member("extras") && (path.count == 1 || path[1] == .member(app))
    {
      // formats/haumana.md: a text of another source gets a category, a row its keys.
      return .rule("what the format's app has besides")
    }
    if differences.contains(.fileTimes), !isVault, let member = Self.fileTimes[name], isOfFile(member, pair.target),
      left == nil || isOfFile(member, pair.source)
    {
      // formats/markdown.md, "Times": a single note without a time has that of its file.
      return .rule("times of files")
    }
    if differences.contains(.requiredTimes), Self.times.contains(name), left == nil, let right,
      isStandIn(right, pair.source)
    {
      // formats/sqlite-library.md: columns of times are never empty (LIB0310).
      return .rule("times that the app's tables need")
    }
    if differences.contains(.emptyTexts), left?.equals("") == true, right == nil {
      // formats/tables.md: a cell without text is a value that is missing.
      return .rule("empty texts")
    }
    return repeated(path, pair)
  }

  /// Whether extras say which columns a table had, and nothing else.
  private static func isTable(_ extras: JSONNode?) -> Bool {
    guard let extras, extras.kind == .object else { return false }
    var others = 0
    extras.forEachMember { name, _ in if !name.equals("table") { others += 1 } }
    return others == 0
  }

  /// formats/markdown.md, "What a record keeps of a note": how a note is typed is the note's own.
  private func typing(_ pair: Pair) -> Explanation? {
    differences.contains(.typing) ? .rule("how notes are typed") : nil
  }

  /// Whether a record's own account says that a time is that of its file.
  private func isOfFile(_ member: StaticString, _ record: JSONNode) -> Bool {
    record.member("extras")?.member("provenance")?.member(member)?.equals("file") ?? false
  }

  /// A time that stands in for one that is missing: the run's, or another one of the same record.
  private func isStandIn(_ time: JSONNode, _ record: JSONNode) -> Bool {
    if time.string.map({ $0.utf8.elementsEqual(now.utf8) }) == true { return true }
    var found = false
    func look(_ node: JSONNode) {
      node.forEachMember { name, value in
        if Self.times.contains(name.string ?? ""), value.means(time) { found = true }
      }
    }
    look(record)
    if let document = record.member("content_data") { look(document) }
    return found
  }

  /// A document that says what its item says loses it with its item.
  private func repeated(_ path: [JSONPointer.Step], _ pair: Pair) -> Explanation? {
    guard path.count >= 2, path[0] == .member("content_data"), case .member(let name) = path[1],
      let itemName = Shapes.repeats[name], let said = pair.source.member(named: itemName),
      let document = pair.source.member("content_data")
    else { return nil }
    var isSame = false
    document.forEachMember { other, value in
      if other.string.map({ $0.utf8.elementsEqual(name.utf8) }) == true, value.means(said) { isSame = true }
    }
    return isSame && pair.lost.explains([.member(itemName)]) ? .loss : nil
  }
}
