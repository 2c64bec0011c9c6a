// Generates the fixtures in this folder: swift make.swift FOLDER
//
// The types are those of the predecessor app, and its own encoder writes the lists with its default settings. `make.py`
// puts the lists into property lists.
import Foundation

struct Charter: Codable {
  var id: UUID
  var name: String
  var startDate: Date
  var endDate: Date?
  var location: String?
  var yachtName: String?
  var charterCompany: String?
  var notes: String?
  var createdAt: Date
}

enum Kind: String, Codable { case charterScoped = "charter_scoped", reference }
enum CharterKind: String, Codable {
  case preCharter = "pre_charter", checkIn = "check_in", daily, postCharter = "post_charter"
}
enum ReferenceKind: String, Codable { case safety, systems, emergency }
enum Origin: String, Codable { case bundled, remote, userCreated }

struct Item: Codable {
  var id: UUID
  var title: String
  var note: String?
  var isChecked = false
  var userNote: String?
  var checkedAt: Date?
}

struct Subsection: Codable {
  var id: UUID
  var title: String
  var items: [Item]
}

struct Section: Codable {
  var id: UUID
  var title: String
  var subsections: [Subsection]
}

struct Checklist: Codable {
  var id: UUID
  var title: String
  var type: Kind
  var charterType: CharterKind?
  var referenceType: ReferenceKind?
  var sections: [Section]
  var source: Origin
  var lastFetched: Date?
}

struct ItemState: Codable {
  var isChecked: Bool
  var checkedAt: Date?
  var userNote: String?
}

struct ChecklistState: Codable {
  var checklistId: UUID
  var itemStates: [UUID: ItemState]
  var lastReset: Date?
}

struct CharterState: Codable {
  var charterId: UUID
  var checklistStates: [UUID: ChecklistState]
}

struct Card: Codable {
  var id: UUID
  var fileName: String
  var markdownContent: String
  var deckID: UUID
  var easeFactor = 2.5
  var interval = 0
  var repetitions = 0
  var lastReviewed: Date?
  var nextReview: Date?
  var lastQuality: Int?
}

struct Deck: Codable {
  var id: UUID
  var folderName: String
  var displayName: String
  var description: String?
  var flashcards: [Card]
  var lastFetched: Date?
}

func id(_ number: Int) -> UUID { UUID(uuidString: String(format: "5A11ED00-0000-4000-8000-%012X", number))! }

let day = ISO8601DateFormatter()
func date(_ text: String, plus fraction: Double = 0) -> Date { day.date(from: text)!.addingTimeInterval(fraction) }

let charters = [
  Charter(
    id: id(1), name: "Saronic / Сароникос", startDate: date("2025-06-07T12:00:00+03:00"),
    endDate: date("2025-06-14T09:00:00+03:00"), location: "Alimos, Athens", yachtName: "Μαία",
    charterCompany: "Blue Sails",
    notes: "Deposit 2 000 €\nLine \"two\"\tand 🧭", createdAt: date("2025-05-01T08:30:00Z", plus: 0.25)),
  Charter(
    id: id(2), name: "Delivery", startDate: date("1999-12-31T23:00:00-05:00"), endDate: nil, location: nil,
    yachtName: nil,
    charterCompany: nil, notes: nil, createdAt: date("2000-12-31T23:59:59Z", plus: 0.5)),
]

let checkIn = Checklist(
  id: id(0x100), title: "Check-in / Приёмка", type: .charterScoped, charterType: .checkIn, referenceType: nil,
  sections: [
    Section(
      id: id(0x110), title: "Deck / Палуба",
      subsections: [
        Subsection(
          id: id(0x111), title: "Bow",
          items: [
            Item(id: id(0x1001), title: "Anchor \"Delta\"", note: "25 kg, see\nlocker"),
            Item(id: id(0x1002), title: "Windlass / Брашпиль"),
          ]),
        Subsection(id: id(0x112), title: "", items: [Item(id: id(0x1003), title: "Fenders")]),
      ]),
    Section(id: id(0x120), title: "Below", subsections: []),
  ], source: .bundled, lastFetched: date("2025-04-01T00:00:00Z"))

let emergency = Checklist(
  id: id(0x200), title: "Man overboard", type: .reference, charterType: nil, referenceType: .emergency,
  sections: [
    Section(
      id: id(0x210), title: "At once",
      subsections: [
        Subsection(
          id: id(0x211), title: "Helm",
          items: [
            Item(
              id: id(0x2001), title: "Shout", isChecked: true, userNote: "with the crew of June",
              checkedAt: date("2025-06-08T10:00:00Z")),
            Item(id: id(0x2002), title: "Throw the ring"),
          ])
      ])
  ], source: .userCreated, lastFetched: nil)

let systems = Checklist(
  id: id(0x300), title: "Дизель", type: .reference, charterType: nil, referenceType: .systems, sections: [],
  source: .remote, lastFetched: nil)

let states: [UUID: CharterState] = [
  id(1): CharterState(
    charterId: id(1),
    checklistStates: [
      id(0x100): ChecklistState(
        checklistId: id(0x100),
        itemStates: [
          id(0x1001): ItemState(
            isChecked: true, checkedAt: date("2025-06-07T15:04:05+03:00", plus: 0.75), userNote: "rust at the shackle"),
          id(0x1002): ItemState(isChecked: false, checkedAt: nil, userNote: nil),
        ], lastReset: date("2025-06-07T11:00:00Z"))
    ]),
  id(2): CharterState(charterId: id(2), checklistStates: [:]),
]

let decks = [
  Deck(
    id: id(0x400), folderName: "lights", displayName: "Lights / Огни", description: "COLREGs, part C",
    flashcards: [
      Card(
        id: id(0x4001), fileName: "Two reds in a line.md",
        markdownContent: "# Two reds in a line\r\n\r\nNot under command\r\n", deckID: id(0x400), easeFactor: 2.36,
        interval: 6,
        repetitions: 2, lastReviewed: date("2025-03-01T19:00:00Z"), nextReview: date("2025-03-07T19:00:00Z"),
        lastQuality: 3),
      Card(id: id(0x4002), fileName: "rule-25.md", markdownContent: "Under sail: **tricolour**", deckID: id(0x400)),
    ], lastFetched: date("2025-02-01T00:00:00Z"))
]

let folder = CommandLine.arguments.dropFirst().first ?? "."
let encoder = JSONEncoder()
func write(_ name: String, _ data: Data) throws { try data.write(to: URL(fileURLWithPath: folder + "/" + name)) }

var values: [String: Data] = [
  "CharterStore.v1": try encoder.encode(charters),
  "ChecklistStore.v1": try encoder.encode([checkIn, emergency, systems]),
  "CharterChecklistStates.v1": try encoder.encode(states),
  "FlashcardStore.v1": try encoder.encode(decks),
]
for (key, value) in values { try write(key + ".json", value) }
var all: [String: Any] = values
all["AppleLanguages"] = ["ru", "en"]
all["hasSeenWelcome"] = true
for (name, format) in [("swift-binary", PropertyListSerialization.PropertyListFormat.binary), ("swift-xml", .xml)] {
  try write(name + ".plist", try PropertyListSerialization.data(fromPropertyList: all, format: format, options: 0))
}
