import Foundation
import TestSupport

/// A table of steps as a curator would maintain it: 250 checklists of 20 steps each.
struct BulkTable {
  /// A row with its checklist, section, step and minutes.
  struct Row: Equatable {
    var checklist: String
    var section: String
    var item: String
    var minutes: String

    var line: String { [checklist, section, item, minutes].map { "\"\($0)\"" }.joined(separator: ",") }
  }

  var rows: [Row]

  private static let verbs = [
    "Check", "Inspect", "Stow", "Secure", "Test", "Count", "Clean", "Grease", "Log", "Lash", "Rinse", "Label",
  ]
  private static let objects = [
    "bilge pump", "gas bottle", "life jackets", "jacklines", "winch handles", "dinghy painter", "flare locker",
    "chart table", "galley knives", "water heater", "horn", "radar reflector", "boat hook", "fender covers",
    "rigging knife", "first aid box", "fire blanket", "log book", "toolbox", "sail ties", "swim ladder", "oil can",
    "battery switch", "dock cart", "passport folder",
  ]

  /// Creates the table before any edit.
  init(checklists: Int = 250, steps: Int = 20) {
    rows = []
    for list in 0..<checklists {
      for step in 0..<steps {
        // Each title occurs once in its checklist, and every object occurs with many verbs in other checklists.
        let object = Self.objects[(step + list) % Self.objects.count]
        let verb = Self.verbs[(step * 5 + list * 7) % Self.verbs.count]
        rows.append(
          Row(
            checklist: "List \(list + 1)", section: step < steps / 2 ? "On deck" : "Below",
            item: "\(verb) the \(object)", minutes: String(1 + step % 9)))
      }
    }
  }

  init(rows: [Row]) { self.rows = rows }

  var csv: String {
    "checklist,section,item,minutes\r\n" + rows.map { $0.line + "\r\n" }.joined()
  }

  /// An edit of the table in a spreadsheet.
  struct Edit {
    /// Titles before and after the edit, with their checklists.
    var renamed: [(checklist: String, old: String, new: String)] = []
    var deleted: [Row] = []
    var copied: [Row] = []
  }

  /// Edits 12 titles, deletes 3 rows, copies 2 and shuffles all rows.
  mutating func edit() -> Edit {
    var edit = Edit()
    for number in 0..<12 {
      let index = number * 397 + 5
      let old = rows[index].item
      switch number % 4 {
      case 0: rows[index].item = old + " and the one next to it"
      case 1: rows[index].item = "Carefully " + old.prefix(1).lowercased() + old.dropFirst()
      case 2: rows[index].item = old.replacing(" the ", with: " teh ")
      default: rows[index].item = old + " (twice a year)"
      }
      edit.renamed.append((rows[index].checklist, old, rows[index].item))
    }
    for index in [4_700, 2_222, 111] { edit.deleted.append(rows.remove(at: index)) }
    for index in [4_242, 1_313] {
      edit.copied.append(rows[index])
      rows.append(rows[index])
    }
    var random = ShuffleRandom(12)
    rows.shuffle(using: &random)
    return edit
  }
}
