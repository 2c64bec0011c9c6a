import Foundation
import TestSupport
import Testing

/// Two people's edits of the same content and the expected result: one scenario from `Tests/Fixtures/merges`.
struct MergeScenario: Sendable, CustomTestStringConvertible {
  let file: String
  let name: String
  let base: [String]
  let ours: [String]
  let theirs: [String]
  let expected: [String]
  /// The expected conflicts as `id field`, in any order.
  let conflicts: [String]

  var testDescription: String { "\(file): \(name)" }

  /// All scenarios, in file order.
  static let all: [MergeScenario] = {
    let folder = Paths.root + "/Tests/Fixtures/merges"
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    return names.filter { $0.hasSuffix(".merge") }.flatMap { name in
      let text = (try? String(contentsOfFile: folder + "/" + name, encoding: .utf8)) ?? ""
      return read(text, file: String(name.dropLast(".merge".count)))
    }
  }()

  private static func read(_ text: String, file: String) -> [MergeScenario] {
    var found: [MergeScenario] = []
    var base: [String] = []
    var blocks: [String: [String]] = [:]
    var block = ""
    var name: String?
    func end() {
      if let name {
        found.append(
          MergeScenario(
            file: file, name: name, base: base, ours: blocks["ours"] ?? [], theirs: blocks["theirs"] ?? [],
            expected: blocks["expected"] ?? [], conflicts: blocks["conflicts"] ?? []))
      }
      name = nil
      blocks = [:]
      block = ""
    }
    for line in text.split(separator: "\n").map(String.init) where !line.hasPrefix("#") {
      if line.hasPrefix("== ") {
        end()
        name = String(line.dropFirst(3))
      } else if line == "base" {
        end()
        base = []
        block = "base"
      } else if ["ours", "theirs", "expected", "conflicts"].contains(line) {
        block = line
        blocks[block] = []
      } else if line.hasPrefix("expected = ") {
        blocks["expected"] = [line]
        block = ""
      } else if block == "base" {
        base.append(line)
      } else {
        blocks[block, default: []].append(line)
      }
    }
    end()
    return found
  }

  // MARK: Versions

  /// Returns the three versions and the expected result.
  func versions() throws -> (base: MergeElement, ours: MergeElement, theirs: MergeElement, expected: MergeElement) {
    let base = try MergeNotation.parse(self.base)
    let ours = try version(self.ours, of: base)
    let theirs = try version(self.theirs, of: base)
    let result: MergeElement
    switch expected.first {
    case "expected = base": result = base
    case "expected = ours": result = ours
    case "expected = theirs": result = theirs
    default: result = try MergeNotation.parse(expected)
    }
    return (base.inDeck(), ours.inDeck(), theirs.inDeck(), result.inDeck())
  }

  private func version(_ lines: [String], of base: MergeElement) throws -> MergeElement {
    if let first = lines.first, MergeNotation.begins(first) { return try MergeNotation.parse(lines) }
    var copy = base
    for line in lines { try copy.apply(line.trimmingCharacters(in: .whitespaces)) }
    return copy
  }

  // MARK: Conflicts

  /// Returns the expected conflicts as pointers into our record, or into theirs if ours lacks the field.
  func conflictPointers(_ ours: MergeElement, _ theirs: MergeElement) throws -> [String] {
    try conflicts.map { line in
      let words = line.split(separator: " ").map(String.init)
      guard let id = words.first, let (element, pointer) = ours.find(id) ?? theirs.find(id) else {
        throw NotationError("nobody is called so: \(line)")
      }
      return pointer + (try Self.member(words.count > 1 ? words[1] : "", of: element))
    }
  }

  private static func member(_ field: String, of element: MergeElement) throws -> String {
    switch field {
    case "": return ""
    case "title" where element.isOfDeck: return "/front"
    case "description" where element.kind == .step: return "/itemDescription"
    case "body": return "/content_data/markdown"
    case "minutes": return "/estimatedMinutes"
    case "required": return "/isRequired"
    case "optional": return "/isOptional"
    case "type": return "/content_data/checklistType"
    case "section": return ""
    case "order":
      switch element.kind {
      case .checklist: return "/content_data/sections"
      case .deck: return "/content_data/cards"
      default: return ""
      }
    default: return "/" + (field.hasPrefix(".") ? String(field.dropFirst()) : field)
    }
  }
}

extension MergeElement {
  /// Finds an element and its pointer in the record.
  func find(_ id: String) -> (MergeElement, String)? {
    if id == self.id { return (self, "") }
    for (index, child) in children.enumerated() {
      let pointer = "/content_data/\(kind == .deck ? "cards" : "sections")/\(index)"
      if child.id == id { return (child, pointer) }
      for (number, step) in child.children.enumerated() where step.id == id {
        return (step, pointer + "/items/\(number)")
      }
    }
    return nil
  }
}
