import FleetKit
import JSONText
import Merging
import TestSupport
import Testing

/// Merges of two people's edits to the same content, compared with results written by hand.
@Suite struct MergeScenarioTests {
  @Test func areTwoHundredWithNamesOfTheirOwn() {
    #expect(MergeScenario.all.count >= 200)
    #expect(Set(MergeScenario.all.map(\.testDescription)).count == MergeScenario.all.count)
  }

  @Test(arguments: MergeScenario.all)
  func givesWhatBothWant(_ scenario: MergeScenario) throws {
    let versions = try scenario.versions()
    let outcome = try Self.merge(versions.base.line(), versions.ours.line(), versions.theirs.line())
    let expected = try Self.values(versions.expected.line())
    let found = try Self.values(outcome.line)
    #expect(
      found == expected,
      "not expected: \(found.subtracting(expected).sorted()), missing: \(expected.subtracting(found).sorted())")
    let conflicts = try scenario.conflictPointers(versions.ours, versions.theirs)
    #expect(
      outcome.conflicts.map(\.pointer).sorted() == conflicts.sorted(), "\(outcome.conflicts.map(\.label))")
    // A settled field is written without a question. Any other conflict would count as undecided.
    #expect(outcome.undecided == 0)
    let open = try Self.merge(
      versions.base.line(), versions.ours.line(), versions.theirs.line(), choosing: .undecided)
    #expect(open.undecided == conflicts.count)
  }

  /// Repeating the merge changes nothing, because the merged item already contains their changes.
  @Test(arguments: MergeScenario.all.filter(\.conflicts.isEmpty))
  func isDoneAfterTheFirstTime(_ scenario: MergeScenario) throws {
    let versions = try scenario.versions()
    let once = try Self.merge(versions.base.line(), versions.ours.line(), versions.theirs.line())
    let twice = try Self.merge(versions.theirs.line(), once.line, versions.theirs.line())
    #expect(twice.line == once.line)
    #expect(twice.conflicts.isEmpty)
  }

  private static func merge(
    _ base: [UInt8], _ ours: [UInt8], _ theirs: [UInt8], choosing choice: MergeConflict.Choice = .ours
  ) throws -> ThreeWayMerge.Outcome {
    let base = try JSONDocument(parsing: base)
    let ours = try JSONDocument(parsing: ours)
    let theirs = try JSONDocument(parsing: theirs)
    return base.withRoot { base in
      ours.withRoot { ours in
        theirs.withRoot { theirs in
          ThreeWayMerge(.item, own: .merged).merge(base: base, ours: ours, theirs: theirs) { _ throws(Never) in choice }
        }
      }
    }
  }

  /// Returns every value of a record with its pointer; null counts as missing.
  private static func values(_ line: [UInt8]) throws -> Set<Bytes> {
    var values: Set<Bytes> = []
    func add(_ value: JSONValue, _ pointer: JSONPointer) {
      switch value.kind {
      case .null: return
      case .object: for (name, member) in value.members { add(member, pointer.appending(.member(name))) }
      case .array:
        for (index, element) in value.elements.enumerated() { add(element, pointer.appending(.element(index))) }
      default: break
      }
      if value.kind == .object && value.members.isEmpty || value.kind != .object && value.kind != .array {
        values.insert(Bytes("\(pointer) = \(value.text)"))
      }
    }
    add(try JSONDocument(parsing: line).root, JSONPointer())
    return values
  }
}

/// A string that is compared by its bytes, because Swift treats composed and decomposed characters as equal.
struct Bytes: Hashable, Comparable, CustomStringConvertible {
  let description: String
  init(_ text: String) { description = text }
  static func == (left: Bytes, right: Bytes) -> Bool { left.description.utf8.elementsEqual(right.description.utf8) }
  static func < (left: Bytes, right: Bytes) -> Bool {
    left.description.utf8.lexicographicallyPrecedes(right.description.utf8)
  }
  func hash(into hasher: inout Hasher) { for byte in description.utf8 { hasher.combine(byte) } }
}
