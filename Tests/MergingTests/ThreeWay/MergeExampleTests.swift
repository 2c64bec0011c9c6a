import Content
import JSONText
import Merging
import Testing

/// Edits of a checklist with the expected merges.
@Suite struct MergeExampleTests {
  private func edit(_ change: (inout Checklist) -> Void) -> Checklist {
    var copy = Example.plain
    change(&copy)
    return copy
  }

  // MARK: Sections and steps

  @Test func editsOfDifferentStepsAreBothTaken() throws {
    let merged = try Merge.checklists(
      Example.plain, edit { $0.sections[0].items[0].title = "Check oil" },
      edit { $0.sections[0].items[2].estimatedMinutes = 5 })
    #expect(merged.conflicts.isEmpty)
    #expect(merged.outline == ["Engine: Check oil, Belt, Filter", "Deck: Lines, Fenders"])
    #expect(merged.text("/content_data/sections/0/items/2/estimatedMinutes") == "5")
  }

  @Test func editsOfDifferentMembersOfOneStepAreBothTaken() throws {
    let merged = try Merge.checklists(
      Example.plain, edit { $0.sections[0].items[0].title = "Check oil" },
      edit { $0.sections[0].items[0].isRequired = true })
    #expect(merged.conflicts.isEmpty)
    #expect(merged.text("/content_data/sections/0/items/0/title") == "\"Check oil\"")
    #expect(merged.text("/content_data/sections/0/items/0/isRequired") == "true")
  }

  @Test func twoTitlesAreAConflict() throws {
    let ours = edit { $0.sections[0].items[0].title = "Check oil" }
    let theirs = edit {
      $0.sections[0].items[0].title = "Oil level"
      $0.sections[1].items[0].title = "Mooring lines"
    }
    let merged = try Merge.checklists(Example.plain, ours, theirs)
    #expect(merged.places == ["/content_data/sections/0/items/0/title \"Engine\" \"Check oil\""])
    let conflict = try #require(merged.conflicts.first)
    #expect([conflict.base, conflict.ours, conflict.theirs] == ["\"Oil\"", "\"Check oil\"", "\"Oil level\""])
    #expect(merged.outline == ["Engine: Check oil, Belt, Filter", "Deck: Mooring lines, Fenders"])
    let taken = try Merge.checklists(Example.plain, ours, theirs, choice: .theirs)
    #expect(taken.outline == ["Engine: Oil level, Belt, Filter", "Deck: Mooring lines, Fenders"])
    #expect(taken.outcome.undecided == 0)
  }

  @Test func additionsOfBothAreKeptOursFirst() throws {
    let merged = try Merge.checklists(
      Example.plain, edit { $0.sections[0].items.insert(Example.step("Coolant"), at: 1) },
      edit {
        $0.sections[0].items.insert(Example.step("Impeller"), at: 1)
        $0.sections[0].items.append(Example.step("Bilge"))
        $0.sections.insert(Example.section("Safety", ["Jackets"]), at: 0)
      })
    #expect(merged.conflicts.isEmpty)
    #expect(
      merged.outline == [
        "Safety: Jackets", "Engine: Oil, Coolant, Impeller, Belt, Filter, Bilge", "Deck: Lines, Fenders",
      ])
    // `sortOrder` follows the positions.
    #expect(merged.text("/content_data/sections/1/items/5/sortOrder") == "5")
    #expect(merged.text("/content_data/sections/2/sortOrder") == "2")
  }

  @Test func aDeletionIsTakenWhereTheOtherSideChangedNothing() throws {
    let merged = try Merge.checklists(
      Example.plain, edit { $0.sections[0].items.remove(at: 1) }, edit { $0.sections[1].items.removeAll() })
    #expect(merged.conflicts.isEmpty)
    #expect(merged.outline == ["Engine: Oil, Filter", "Deck: "])
    let section = try Merge.checklists(
      Example.plain, edit { $0.sections[1].title = "On deck" }, edit { $0.sections.remove(at: 0) })
    #expect(section.conflicts.isEmpty)
    #expect(section.outline == ["On deck: Lines, Fenders"])
  }

  @Test func anEditAgainstADeletionIsAConflict() throws {
    let edited = edit { $0.sections[0].items[1].itemDescription = "Tension" }
    let deleted = edit { $0.sections[0].items.remove(at: 1) }
    let kept = try Merge.checklists(Example.plain, edited, deleted)
    #expect(kept.places == ["/content_data/sections/0/items/1 \"Engine\" \"Belt\" gone from theirs"])
    #expect(kept.conflicts.map(\.pointer) == ["/content_data/sections/0/items/1"])
    #expect(kept.conflicts.first?.theirs == nil)
    #expect(kept.outline[0] == "Engine: Oil, Belt, Filter")
    let gone = try Merge.checklists(Example.plain, deleted, edited)
    #expect(gone.places == ["/content_data/sections/0/items/1 \"Engine\" \"Belt\" gone from ours"])
    #expect(gone.conflicts.first?.ours == nil)
    #expect(gone.outline[0] == "Engine: Oil, Filter")
    let back = try Merge.checklists(Example.plain, deleted, edited, choice: .theirs)
    #expect(back.outline[0] == "Engine: Oil, Belt, Filter")
    #expect(back.text("/content_data/sections/0/items/1/itemDescription") == "\"Tension\"")
  }

  @Test func aSectionInWhichTheOtherSideAddedAStepIsNotDeletedInSilence() throws {
    let deleted = edit { $0.sections.remove(at: 0) }
    let added = edit { $0.sections[0].items.append(Example.step("Bilge")) }
    let gone = try Merge.checklists(Example.plain, deleted, added)
    #expect(gone.places == ["/content_data/sections/0 \"Engine\" gone from ours"])
    #expect(gone.outline == ["Deck: Lines, Fenders"])
    let back = try Merge.checklists(Example.plain, deleted, added, choice: .theirs)
    #expect(back.outline == ["Engine: Oil, Belt, Filter, Bilge", "Deck: Lines, Fenders"])
    let kept = try Merge.checklists(Example.plain, added, deleted)
    #expect(kept.places == ["/content_data/sections/0 \"Engine\" gone from theirs"])
    #expect(kept.outline == ["Engine: Oil, Belt, Filter, Bilge", "Deck: Lines, Fenders"])
    let dropped = try Merge.checklists(Example.plain, added, deleted, choice: .theirs)
    #expect(dropped.outline == ["Deck: Lines, Fenders"])
  }

  @Test func stepsMovedOutOfADeletedSectionStay() throws {
    let moved = edit {
      $0.sections[1].items += $0.sections[0].items
      $0.sections.remove(at: 0)
    }
    let merged = try Merge.checklists(Example.plain, edit { $0.sections[0].items[1].title = "Fan belt" }, moved)
    #expect(merged.conflicts.isEmpty)
    #expect(merged.outline == ["Deck: Lines, Fenders, Oil, Fan belt, Filter"])
  }

  @Test func aStepMovesToAnotherSection() throws {
    let merged = try Merge.checklists(
      Example.plain, edit { $0.sections[0].items[1].title = "Fan belt" },
      edit { $0.sections[1].items.insert($0.sections[0].items.remove(at: 1), at: 1) })
    #expect(merged.conflicts.isEmpty)
    #expect(merged.outline == ["Engine: Oil, Filter", "Deck: Lines, Fan belt, Fenders"])
  }

  @Test func aStepMovedByBothIsAConflictOfItsPlaceOnly() throws {
    var base = Example.plain
    base.sections.append(Example.section("Galley", ["Gas"]))
    var ours = base
    ours.sections[1].items.append(ours.sections[0].items.remove(at: 0))
    var theirs = base
    theirs.sections[2].items.append(theirs.sections[0].items.remove(at: 0))
    theirs.sections[2].items[1].isRequired = true
    let merged = try Merge.checklists(base, ours, theirs)
    #expect(merged.places == ["/content_data/sections/1/items/2 \"Deck\" \"Oil\""])
    #expect(merged.conflicts.first?.base == "\"Engine\"" && merged.conflicts.first?.theirs == "\"Galley\"")
    #expect(merged.outline == ["Engine: Belt, Filter", "Deck: Lines, Fenders, Oil", "Galley: Gas"])
    #expect(merged.text("/content_data/sections/1/items/2/isRequired") == "true")
    let taken = try Merge.checklists(base, ours, theirs, choice: .theirs)
    #expect(taken.outline == ["Engine: Belt, Filter", "Deck: Lines, Fenders", "Galley: Gas, Oil"])
  }

  @Test func whatBothAddedAlikeIsThereOnce() throws {
    let ours = edit { $0.sections[0].items.append(ChecklistItem(id: Example.id("ours"), title: "Bilge")) }
    let theirs = edit {
      $0.sections[0].items.insert(ChecklistItem(id: Example.id("theirs"), title: "Bilge"), at: 0)
      $0.sections.append(ChecklistSection(id: Example.id("s2"), title: "Galley", items: [Example.step("Gas")]))
    }
    var more = ours
    more.sections.append(ChecklistSection(id: Example.id("s1"), title: "Galley", items: [Example.step("Stove")]))
    let merged = try Merge.checklists(Example.plain, more, theirs)
    #expect(merged.conflicts.isEmpty)
    #expect(merged.outline == ["Engine: Oil, Belt, Filter, Bilge", "Deck: Lines, Fenders", "Galley: Stove, Gas"])
    #expect(merged.text("/content_data/sections/0/items/3/id") == "\"\(Example.id("ours"))\"")
    #expect(
      merged.outcome.renamed == [
        Example.id("theirs"): Example.id("ours"), Example.id("s2"): Example.id("s1"),
      ])
  }

  @Test func aRenamedSectionIsNotDeletedInSilence() throws {
    let merged = try Merge.checklists(
      Example.plain, edit { $0.sections[1].title = "On deck" }, edit { $0.sections.remove(at: 1) })
    #expect(merged.places == ["/content_data/sections/1 \"On deck\" gone from theirs"])
    #expect(merged.outline[1] == "On deck: Lines, Fenders")
  }

  @Test func aStepWhoseSectionsBothGoStays() throws {
    var base = Example.plain
    base.sections.append(Example.section("Galley", ["Gas"]))
    // Our side leaves the step in its section and deletes the section to which theirs moves it. Their side deletes the
    // section that contained the step.
    var ours = base
    ours.sections.remove(at: 2)
    var theirs = base
    theirs.sections[2].items.append(theirs.sections[0].items[0])
    theirs.sections.remove(at: 0)
    let merged = try Merge.checklists(base, ours, theirs)
    #expect(merged.places == ["/content_data/sections/1 \"Galley\" gone from ours"])
    #expect(merged.outline == ["Engine: Oil", "Deck: Lines, Fenders"])
    let taken = try Merge.checklists(base, ours, theirs, choice: .theirs)
    #expect(taken.outline == ["Deck: Lines, Fenders", "Galley: Gas, Oil"])
  }

  @Test func conflictsStandInTheOrderOfOurRecord() throws {
    let ours = edit {
      $0.sections[0].items[0].title = "Check oil"
      $0.sections[0].items.remove(at: 1)
      $0.sections[0].items[1].title = "Fuel filter"
      $0.sections[1].title = "On deck"
    }
    let theirs = edit {
      $0.sections[0].items[0].title = "Oil level"
      $0.sections[0].items[1].title = "Fan belt"
      $0.sections[0].items[2].title = "Oil filter"
      $0.sections.remove(at: 1)
    }
    #expect(
      try Merge.checklists(Example.plain, ours, theirs).places == [
        "/content_data/sections/0/items/0/title \"Engine\" \"Check oil\"",
        "/content_data/sections/0/items/1 \"Engine\" \"Fan belt\" gone from ours",
        "/content_data/sections/0/items/1/title \"Engine\" \"Fuel filter\"",
        "/content_data/sections/1 \"On deck\" gone from theirs",
      ])
  }

  // MARK: Order

  @Test func oneSidesOrderIsTakenWithTheOthersAdditions() throws {
    let merged = try Merge.checklists(
      Example.plain, edit { $0.sections[0].items.insert(Example.step("Coolant"), at: 1) },
      edit {
        $0.sections[0].items.reverse()
        $0.sections.swapAt(0, 1)
      })
    #expect(merged.conflicts.isEmpty)
    #expect(merged.outline == ["Deck: Lines, Fenders", "Engine: Filter, Belt, Oil, Coolant"])
  }

  @Test func movesOfDifferentStepsAreBothTaken() throws {
    let base = Example.checklist([("All", ["A", "B", "C", "D", "E"])])
    let ours = Example.checklist([("All", ["E", "A", "B", "C", "D"])])
    let theirs = Example.checklist([("All", ["A", "C", "B", "D", "E"])])
    let merged = try Merge.checklists(base, ours, theirs)
    #expect(merged.conflicts.isEmpty)
    #expect(merged.outline == ["All: E, A, C, B, D"])
  }

  @Test func aStepMovedToTwoPlacesIsAConflictOfTheOrder() throws {
    let base = Example.checklist([("All", ["A", "B", "X", "C", "D"])])
    let ours = Example.checklist([("All", ["X", "A", "B", "C", "D"])])
    let theirs = Example.checklist([("All", ["A", "B", "C", "D", "X"])])
    let merged = try Merge.checklists(base, ours, theirs)
    #expect(merged.places == ["/content_data/sections/0 \"All\""])
    #expect(merged.conflicts.first?.theirs == "[\"A\",\"B\",\"C\",\"D\",\"X\"]")
    #expect(merged.outline == ["All: X, A, B, C, D"])
    #expect(try Merge.checklists(base, ours, theirs, choice: .theirs).outline == ["All: A, B, C, D, X"])
  }

  // MARK: Members

  @Test func tagsAreASet() throws {
    var base = Example.plain
    base.tags = ["a", "b", "c"]
    var ours = base
    ours.tags = ["a", "x", "c"]
    var theirs = base
    theirs.tags = ["c", "a", "b", "y"]
    let merged = try Merge.checklists(base, ours, theirs)
    #expect(merged.conflicts.isEmpty)
    #expect(merged.text("/tags") == "[\"c\",\"a\",\"x\",\"y\"]")
    #expect(merged.text("/content_data/tags") == "[\"c\",\"a\",\"x\",\"y\"]")
  }

  @Test func whatTheDocumentRepeatsIsOneConflict() throws {
    let base = Merge.item(Example.plain)
    func titled(_ title: String) -> LibraryItem {
      var checklist = Example.plain
      checklist.title = title
      var item = Merge.item(checklist)
      item.title = title
      return item
    }
    let merged = try Merge.items(base, titled("Casting off"), titled("Leaving"))
    #expect(merged.places == ["/title"])
    let taken = try Merge.items(base, titled("Casting off"), titled("Leaving"), choice: .theirs)
    #expect(taken.text("/title") == "\"Leaving\"" && taken.text("/content_data/title") == "\"Leaving\"")
  }

  @Test func publicationAndCountsAreOurs() throws {
    let base = Merge.item(Example.plain)
    var theirs = base
    theirs.visibility = "public"
    theirs.publicID = "p1"
    theirs.syncStatus = "synced"
    theirs.forkCount = 7
    theirs.isPinned = true
    theirs.language = "de"
    let merged = try Merge.items(base, base, theirs)
    #expect(merged.conflicts.isEmpty)
    #expect(merged.text("/visibility") == "\"private\"" && merged.text("/public_id") == "null")
    #expect(merged.text("/fork_count") == "0" && merged.text("/is_pinned") == "false")
    #expect(merged.text("/language") == "\"de\"")
    let lines = try [base, theirs].map { try TypedRecord.item($0).canonicalLine() }
    let files = try Merge.lines(lines[0], lines[0], lines[1], own: .merged)
    #expect(files.line == lines[1])
  }

  @Test func timesNeverConflict() throws {
    func times(_ created: Int64, _ updated: Int64) -> LibraryItem {
      var item = Merge.item(Example.plain)
      item.createdAt = Timestamp(milliseconds: created)
      item.updatedAt = Timestamp(milliseconds: updated)
      return item
    }
    let merged = try Merge.items(times(5000, 5000), times(4000, 9000), times(3000, 8000))
    #expect(merged.conflicts.isEmpty)
    #expect(merged.text("/created_at") == "\"1970-01-01T00:00:03.000Z\"")
    #expect(merged.text("/updated_at") == "\"1970-01-01T00:00:09.000Z\"")
  }

  @Test func textsAreMergedByLines() throws {
    func guide(_ text: String) -> LibraryItem {
      LibraryItem(.practiceGuide(PracticeGuide(id: Example.id("guide"), title: "Fog", markdown: text)))
    }
    let base = guide("# Fog\n\nSlow down.\n\nSound the horn.\n\nListen.")
    let ours = guide("# Fog\n\nSlow down now.\n\nSound the horn.\n\nListen.")
    let theirs = guide("# Fog\n\nSlow down.\n\nSound the horn.\n\nListen.\n\nPost a lookout.\n")
    let merged = try Merge.items(base, ours, theirs)
    #expect(merged.conflicts.isEmpty)
    #expect(
      merged.document.root["content_data"]?["markdown"]?.string
        == "# Fog\n\nSlow down now.\n\nSound the horn.\n\nListen.\n\nPost a lookout.\n")
    let other = guide("# Fog\n\nStop.\n\nSound the horn.\n\nLook.")
    let conflict = try Merge.items(base, ours, other)
    #expect(conflict.places == ["/content_data/markdown"] && conflict.conflicts[0].label.numbers == [3])
    #expect(
      conflict.document.root["content_data"]?["markdown"]?.string == ours.content?.practiceGuide?.markdown)
    let settled = try Merge.items(base, ours, other, choice: .ours)
    #expect(
      settled.document.root["content_data"]?["markdown"]?.string
        == "# Fog\n\nSlow down now.\n\nSound the horn.\n\nLook.")
    let taken = try Merge.items(base, ours, other, choice: .theirs)
    #expect(taken.document.root["content_data"]?["markdown"]?.string == other.content?.practiceGuide?.markdown)
  }

  @Test func aKindOfContentAndItsDocumentGoTogether() throws {
    let base = Merge.item(Example.plain)
    var theirs = LibraryItem(.practiceGuide(PracticeGuide(id: base.id, title: "Departure", markdown: "Go.")))
    theirs.id = base.id
    let taken = try Merge.items(base, base, theirs)
    #expect(taken.conflicts.isEmpty)
    #expect(taken.text("/content_data/markdown") == "\"Go.\"")
    var ours = base
    ours.content = .checklist(edit { $0.sections.removeLast() })
    let both = try Merge.items(base, ours, theirs)
    #expect(both.places == ["/content_type"])
    #expect(both.outline == ["Engine: Oil, Belt, Filter"])
    let settled = try Merge.items(base, ours, theirs, choice: .theirs)
    #expect(settled.text("/content_type") == "\"practice_guide\"")
    #expect(settled.text("/content_data/markdown") == "\"Go.\"")
  }

  @Test func withoutABaseDifferencesAreConflictsAndNothingIsDeleted() throws {
    let merged = try Merge.checklists(
      nil, edit { $0.sections[0].items.remove(at: 0) },
      edit {
        $0.sections[0].items[1].title = "Fan belt"
        $0.sections.remove(at: 1)
      })
    #expect(merged.places == ["/content_data/sections/0/items/0/title \"Engine\" \"Belt\""])
    #expect(merged.conflicts.first?.base == nil)
    #expect(merged.outline == ["Engine: Oil, Belt, Filter", "Deck: Lines, Fenders"])
  }

  @Test func cardsAreMatchedByIdAndTheLaterReviewIsTaken() throws {
    func deck(_ cards: [Flashcard]) -> LibraryItem {
      LibraryItem(.flashcardDeck(FlashcardDeck(id: Example.id("deck"), title: "Lights", cards: cards)))
    }
    func card(_ front: String, _ back: String, _ days: Double?, _ reviewed: Int64 = 0) -> Flashcard {
      var card = Flashcard(id: Example.id(front), front: front, back: back)
      if let days {
        card.review = CardReview(intervalDays: days, lastReviewed: Timestamp(milliseconds: reviewed))
      }
      return card
    }
    let merged = try Merge.items(
      deck([card("A", "1", 1), card("B", "2", nil)]),
      deck([card("A", "1", 4, 1000), card("B", "two", nil), card("C", "3", nil)]),
      deck([card("B", "2", nil), card("A", "one", 9, 2000)]))
    #expect(merged.conflicts.isEmpty)
    #expect(merged.cards == ["B", "A", "C"])
    #expect(merged.text("/content_data/cards/1/review/intervalDays") == "9")
    #expect(merged.text("/content_data/cards/1/back") == "\"one\"")
    #expect(merged.text("/content_data/cards/0/back") == "\"two\"")
  }
}
