import FleetKitCore
import Merging

/// What differs between two versions of a record, with words for people.
///
/// Sections, steps and cards are known by their ids wherever they stand; everything else by its place.
struct PlanFields {
  /// One member that differs.
  struct Field {
    /// Where it is: in the new version, or in the old one if it is gone from the new.
    let pointer: String
    /// The same for people: `section "Engine", step "Check oil", description`.
    let label: String
    /// What it says before and afterwards, as JSON; nil where it is not there.
    let from: String?
    let to: String?
    /// Whether it follows from other changes, or nobody reads it: times, places in a list.
    var isMinor = false
  }

  private(set) var all: [Field] = []

  /// Compares two lines.
  init(_ before: UnsafeBufferPointer<UInt8>, _ after: UnsafeBufferPointer<UInt8>) {
    guard let first = try? JSONDocument(parsing: before), let second = try? JSONDocument(parsing: after) else {
      all.append(
        Field(
          pointer: "", label: "the record", from: String(decoding: before, as: UTF8.self),
          to: String(decoding: after, as: UTF8.self)))
      return
    }
    compare(first.root, second.root, JSONPointer(), [])
  }

  private mutating func compare(_ left: JSONValue?, _ right: JSONValue?, _ path: JSONPointer, _ words: [String]) {
    let left = left.flatMap { $0.isNull ? nil : $0 }
    let right = right.flatMap { $0.isNull ? nil : $0 }
    guard let left, let right else {
      if left != nil || right != nil { add(left?.text, right?.text, path, words) }
      return
    }
    switch (left.kind, right.kind) {
    case (.object, .object): compareMembers(left, right, path, words)
    case (.array, .array): compareLists(left, right, path, words)
    default: if !left.means(right) { add(left.text, right.text, path, words) }
    }
  }

  private mutating func compareMembers(
    _ left: JSONValue, _ right: JSONValue, _ path: JSONPointer, _ words: [String]
  ) {
    let mine = left.members
    let theirs = right.members
    let others = Dictionary(theirs.map { (Array($0.name.utf8), $0.value) }, uniquingKeysWith: { first, _ in first })
    var seen = Set<[UInt8]>()
    for (name, value) in mine where seen.insert(Array(name.utf8)).inserted {
      compare(value, others[Array(name.utf8)], path.appending(.member(name)), Self.words(words, name))
    }
    for (name, value) in theirs where seen.insert(Array(name.utf8)).inserted {
      compare(nil, value, path.appending(.member(name)), Self.words(words, name))
    }
  }

  private mutating func compareLists(_ left: JSONValue, _ right: JSONValue, _ path: JSONPointer, _ words: [String]) {
    let mine = left.elements
    let theirs = right.elements
    guard let myIDs = Self.ids(mine), let theirIDs = Self.ids(theirs) else {
      if !left.means(right) { add(left.text, right.text, path, words) }
      return
    }
    let noun = Self.noun(path)
    let theirPlaces = Dictionary(zip(theirIDs, theirIDs.indices), uniquingKeysWith: { first, _ in first })
    let myPlaces = Dictionary(zip(myIDs, myIDs.indices), uniquingKeysWith: { first, _ in first })
    for (index, value) in mine.enumerated() where theirPlaces[myIDs[index]] == nil {
      add(value.text, nil, path.appending(.element(index)), words + [Self.title(noun, value)])
    }
    for (index, value) in theirs.enumerated() {
      let inner = words + [Self.title(noun, value)]
      if let other = myPlaces[theirIDs[index]] {
        compare(mine[other], value, path.appending(.element(index)), inner)
      } else {
        add(nil, value.text, path.appending(.element(index)), inner)
      }
    }
    let before = myIDs.filter { theirPlaces[$0] != nil }
    let after = theirIDs.filter { myPlaces[$0] != nil }
    if before != after {
      all.append(
        Field(
          pointer: path.description, label: (words + ["order of \(noun)s"]).joined(separator: ", "),
          from: Self.list(before), to: Self.list(after)))
    }
  }

  private mutating func add(_ from: String?, _ to: String?, _ path: JSONPointer, _ words: [String]) {
    let label = words.isEmpty ? "the record" : words.joined(separator: ", ")
    all.append(
      Field(pointer: path.description, label: label, from: from, to: to, isMinor: Self.isMinor(path.description)))
  }

  /// Whether a member follows from others, or nobody reads it.
  static func isMinor(_ pointer: String) -> Bool {
    guard case .member(let name) = JSONPointer(pointer)?.steps.last else { return false }
    return minor.contains(name)
  }

  private static let minor: Set<String> = [
    "updated_at", "updatedAt", "last_updated", "created_at", "createdAt", "sortOrder", "progress_percentage",
    "needs_sync", "last_synced_at", "sync_status", "syncStatus",
  ]
  /// Members whose names say nothing that what is in them does not say.
  private static let silent: Set<String> = ["content_data", "sections", "items", "cards", "entries"]

  private static func words(_ words: [String], _ name: String) -> [String] {
    silent.contains(name) ? words : words + [MergeWords.member(name)]
  }

  private static func noun(_ path: JSONPointer) -> String {
    guard case .member(let name) = path.steps.last else { return "entry" }
    return switch name {
    case "sections": "section"
    case "items": "step"
    case "cards": "card"
    default: "entry"
    }
  }

  private static func title(_ noun: String, _ value: JSONValue) -> String {
    let title = (value["title"] ?? value["front"] ?? value["name"])?.string
    guard let title, !title.isEmpty else { return noun + " without a title" }
    let scalars = title.unicodeScalars
    if scalars.count <= 60 { return "\(noun) \"\(title)\"" }
    return "\(noun) \"\(String(String.UnicodeScalarView(scalars.prefix(59))))…\""
  }

  /// The ids of elements; nil where one has none, or has another's: then only places tell them apart.
  private static func ids(_ values: [JSONValue]) -> [[UInt8]]? {
    var seen = Set<[UInt8]>()
    var ids: [[UInt8]] = []
    for value in values {
      guard value.kind == .object, let id = value["id"]?.string, seen.insert(Array(id.utf8)).inserted else {
        return nil
      }
      ids.append(Array(id.utf8))
    }
    return ids
  }

  private static func list(_ ids: [[UInt8]]) -> String {
    var json = JSONBuilder()
    json.array { json in
      for id in ids { json.string(nil, String(decoding: id, as: UTF8.self)) }
    }
    return json.result
  }
}
