import Content
import JSONText
import Merging
import TestSupport
import Testing

/// Properties that must hold for any edits, tested with many random ones.
@Suite struct MergePropertyTests {
  private struct Case {
    let base: String
    let ours: String
    let theirs: String

    init(seed: UInt64) throws {
      var random = MergeRandom(seed: seed)
      let item = random.item()
      let times = (random.random.below(5), random.random.below(5))
      base = try TypedRecord.item(item).canonicalLine()
      ours = try TypedRecord.item(random.edit(item, times: times.0)).canonicalLine()
      theirs = try TypedRecord.item(random.edit(item, times: times.1)).canonicalLine()
    }

    func merge(_ choice: MergeConflict.Choice = .undecided) throws -> Merged {
      try Merge.lines(base, ours, theirs, choice: choice)
    }
  }

  private static let seeds = UInt64(1)...400

  @Test func whatOneSideDidNotChangeIsTheOthers() throws {
    for seed in Self.seeds {
      let edits = try Case(seed: seed)
      for (merged, expected) in [
        (try Merge.lines(edits.base, edits.ours, edits.base), edits.ours),
        (try Merge.lines(edits.base, edits.base, edits.theirs), edits.theirs),
        (try Merge.lines(edits.base, edits.ours, edits.ours), edits.ours),
        (try Merge.lines(nil, edits.ours, edits.ours), edits.ours),
      ] {
        #expect(merged.line == expected && merged.conflicts.isEmpty, "seed \(seed)")
      }
    }
  }

  @Test func noEditOfOneSideIsLost() throws {
    var clean = 0
    for seed in Self.seeds {
      let edits = try Case(seed: seed)
      let (base, ours, theirs) = try (MergeFacts(edits.base), MergeFacts(edits.ours), MergeFacts(edits.theirs))
      let merged = try edits.merge()
      guard merged.conflicts.isEmpty else { continue }
      clean += 1
      let facts = try MergeFacts(merged.line)
      let expected = MergeFacts.expected(base, ours, theirs)
      for (key, value) in expected { #expect(facts.facts[key] == value, "seed \(seed): \(key)") }
      // The merge contains no other facts, and a field that both sides changed differently is never resolved silently.
      for key in facts.facts.keys { #expect(expected.keys.contains(key), "seed \(seed): \(key)") }
      #expect(MergeFacts.orderIsMerged(base, ours, theirs, facts), "seed \(seed)")
    }
    // If hardly any merge were clean, this would prove nothing. If all merges were clean, the edits would never
    // overlap.
    #expect(clean > 200 && clean < 390, "\(clean) clean merges")
  }

  @Test func inAConflictOneSideIsTakenAndItsEditsAreKept() throws {
    var conflicts = 0
    for seed in Self.seeds {
      let edits = try Case(seed: seed)
      let (base, ours, theirs) = try (MergeFacts(edits.base), MergeFacts(edits.ours), MergeFacts(edits.theirs))
      for choice in [MergeConflict.Choice.undecided, .ours, .theirs] {
        let merged = try edits.merge(choice)
        conflicts += merged.conflicts.count
        let facts = try MergeFacts(merged.line)
        let winner = choice == .theirs ? theirs : ours
        for key in Set(base.facts.keys).union(winner.facts.keys) where winner.facts[key] != base.facts[key] {
          #expect(facts.facts[key] == winner.facts[key], "seed \(seed), \(choice): \(key) \(merged.places)")
        }
      }
    }
    #expect(conflicts > 150)
  }

  @Test func theSidesAreEqual() throws {
    for seed in Self.seeds {
      let edits = try Case(seed: seed)
      let merged = try edits.merge()
      let mirrored = try Merge.lines(edits.base, edits.theirs, edits.ours)
      #expect(merged.conflicts.count == mirrored.conflicts.count, "seed \(seed): \(merged.places) \(mirrored.places)")
      guard merged.conflicts.isEmpty else { continue }
      #expect(try MergeFacts(merged.line).facts == MergeFacts(mirrored.line).facts, "seed \(seed)")
    }
  }

  @Test func mergingAgainChangesNothing() throws {
    for seed in Self.seeds {
      let edits = try Case(seed: seed)
      let merged = try edits.merge()
      guard merged.conflicts.isEmpty else { continue }
      for (ours, theirs) in [(merged.line, edits.theirs), (merged.line, edits.ours)] {
        let again = try Merge.lines(edits.base, ours, theirs)
        #expect(again.conflicts.isEmpty && again.line == merged.line, "seed \(seed) \(again.places)")
      }
      let back = try Merge.lines(edits.base, edits.ours, merged.line)
      #expect(back.conflicts.isEmpty, "seed \(seed) \(back.places)")
      #expect(try MergeFacts(back.line).facts == MergeFacts(merged.line).facts, "seed \(seed)")
    }
  }

  @Test func placesOfConflictsAreThereAndInOrder() throws {
    for seed in Self.seeds {
      let edits = try Case(seed: seed)
      let document = try JSONDocument(parsing: edits.ours)
      var last = 0
      for conflict in try edits.merge().conflicts {
        #expect(!conflict.label.isEmpty)
        let pointer = try #require(JSONPointer(conflict.pointer))
        if conflict.ours == nil {
          #expect(conflict.theirs != nil && conflict.base != nil)
          continue
        }
        let value = try #require(document.root.at(pointer), "seed \(seed): \(conflict)")
        #expect(value.span.lowerBound >= last, "seed \(seed)")
        last = value.span.lowerBound
        if !conflict.isOfOrder, !conflict.isOfSection {
          #expect(value.text == conflict.ours, "seed \(seed): \(conflict)")
        }
      }
    }
  }

  @Test func numbersFollowTheOrder() throws {
    for seed in Self.seeds {
      let merged = try Case(seed: seed).merge()
      for (index, section) in (merged.document.root["content_data"]?["sections"]?.elements ?? []).enumerated() {
        #expect(section["sortOrder"]?.integer == Int64(index), "seed \(seed)")
        for (index, step) in (section["items"]?.elements ?? []).enumerated() {
          #expect(step["sortOrder"]?.integer == Int64(index), "seed \(seed)")
        }
      }
    }
  }
}
