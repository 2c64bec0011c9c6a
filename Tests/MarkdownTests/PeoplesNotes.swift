import TestSupport

/// Checklists as people write them, in seventeen notations, with random steps.
enum PeoplesNotes {
  private static let verbs = ["Check", "Open", "Stow", "Close", "Test", "Inspect"]
  private static let things = [
    "anchor", "bilge", "compass", "dinghy", "engine", "fender", "genoa", "halyard", "ignition", "jackstay", "kedge",
    "liferaft", "mainsail", "oil", "pump", "radio", "sheet", "tiller", "vhf", "winch",
  ]
  private static let parts = ["valve", "switch", "cover", "line", "locker"]

  static let styles = [
    "obsidian", "mkdocs", "jekyll", "wiki", "blanks", "trailing", "numbered", "parentheses", "tables", "cyrillic",
    "crlf", "nested", "details", "bold", "boxes", "rows", "anchors", "callouts", "typed", "prose",
  ]

  /// Returns a note with at least two sections and eight different steps.
  static func note(_ style: String, _ random: inout SeededRandom) -> String {
    switch style {
    case "obsidian":
      return "---\ntags: [checklist, boat]\naliases: [Pre dep]\ncssclass: wide\n---\n# Pre-departure checklist\n\n"
        + "> [!warning] Weather\n> Look at the forecast first.\n\n"
        + note(["Below", "On deck", "Engine"], &random, end: "\nSome prose about it.\n\n") { "- [ ] \($1)\n" }
    case "mkdocs":
      return "# Leaving the berth\n\nIntro text of the page.\n\n"
        + note(["Engine room", "Lines"], &random, "### ", end: "\n!!! note\n    Keep the boathook handy.\n\n") {
          "* [ ] \($1)\n"
        }
    case "jekyll":
      return "---\nlayout: page\ntitle: \"Heavy weather list\"\ndate: 2024-03-01 10:00:00 +0200\n---\n\n"
        + note(["Inside", "Outside"], &random, below: "\n") { "- [ ] \($1)\n" }
    case "wiki":
      return "Checklist for arrival\n=====================\n\n"
        + note(["Before entry", "At the quay"], &random, "", below: "\n-----------\n\n", end: "") { "- [ ] \($1)\n\n" }
    case "blanks":
      return "# Engine start checklist\n\n" + note(["Fuel", "Start"], &random) { "____ \($1)\n" }
    case "trailing":
      return "# Night passage checklist\n\n" + note(["Crew", "Lights"], &random) { "- \($1) ____\n" }
    case "numbered":
      return "# Man overboard checklist\n\n" + note(["First minute", "Recovery"], &random) { "\($0). \($1)\n" }
    case "parentheses":
      return "# Anchoring checklist\n\n" + note(["Approach", "Set"], &random) { "\($0)) [ ] \($1)\n" }
    case "tables":
      return "# Checklist: fuel dock\n\n| Tank | Litres |\n|---|---|\n| port | 80 |\n\n"
        + note(["Docking", "Fuelling"], &random, end: "\n| a | b |\n|---|---|\n| 1 | 2 |\n\n") {
          "- [ ] \($1) #safety\n"
        }
    case "cyrillic":
      return "# Проверка перед выходом\n\n" + note(["Внизу", "На палубе"], &random) { "- [ ] Проверить: \($1)\n" }
    case "crlf": return note("obsidian", &random).replacing("\n", with: "\r\n")
    case "nested":
      return "# Packing checklist\n\n"
        + note(["Clothes", "Papers"], &random, "- ", below: "\n", end: "") { "  - [ ] \($1)\n" }
    case "details":
      return "# Winter lay-up checklist\n\n"
        + note(["Engine", "Rig"], &random, below: "\n\nWhat to do about it.\n\n") {
          "- [ ] \($1)\n\n  More about it.\n\n  - one\n  - two\n\n"
        }
    case "rows":
      let header =
        "\n\n| Step | Minutes | Required | Quantity | Notes | Done |\n|:--|--:|---|---|---|:-:|\n"
      return "# Provisions checklist\n\n"
        + note(["Dry", "Cold"], &random, below: header, end: "\n") {
          $0 % 2 == 0 ? "| \($1) |  |  | \($0) | slowly \\| well | [ ] |\n" : "|\($1)|\($0)|x||||\n"
        }
    case "anchors":
      return "# Departure checklist {#departure}\n\n"
        + note(["Engine", "Deck"], &random, below: " {: .part }\n\n") { "- [ ] \($1) ^step\($0)\n" }
    case "bold":
      return note(["Galley", "Heads"], &random, "**", below: "**\n\n") { "+ [ ] \($1)\n" }
    case "subtasks":
      return "# Night watch checklist\n\n"
        + note(["Before", "During"], &random) { $0 % 2 == 1 ? "- [ ] \($1)\n" : "  - [ ] \($1)\n" }
    case "callouts":
      return "# Refuelling checklist\n\n"
        + note(["Alongside", "After"], &random, below: "\n\n> [!todo]\n") { "> - [ ] \($1)\n" }
    case "typed":
      return "# Provisioning checklist\n\n"
        + note(["Dry", "Fresh"], &random, below: "\n") {
          ["-[ ] \($1)\n", "-[x] \($1)\n", "-[ ]\($1)\n", "-[] \($1)\n"][$0 - 1]
        }
    case "prose":
      return "# Reefing checklist\n\n"
        + note(["Prepare", "Reef"], &random) { "- [ ] \($1)\n" + ($0 == 2 ? "\nWait for the lull.\n\n" : "") }
    default:
      return "# Safety briefing checklist\n\n" + note(["Gear", "Plan"], &random) { "☐ \($1)\n" }
    }
  }

  private static func note(
    _ sections: [String], _ random: inout SeededRandom, _ mark: String = "## ", below: String = "\n\n",
    end: String = "\n", _ step: (_ number: Int, _ title: String) -> String
  ) -> String {
    var taken: Set<String> = []
    var text = ""
    for section in sections {
      text += mark + section + below
      for number in 1...4 {
        var title = ""
        repeat {
          title = "\(random.pick(verbs)) the \(random.pick(things)) \(random.pick(parts))"
        } while !taken.insert(title).inserted
        text += step(number, title)
      }
      text += end
    }
    return text
  }
}
