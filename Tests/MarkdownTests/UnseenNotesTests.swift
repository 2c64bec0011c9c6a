import Interchange
import MarkdownSyntax
import Testing

@testable import Markdown

/// Notes that were not used to choose the classifier's weights.
@Suite struct UnseenNotesTests {
  static let notes: [NoteCorpus.Note] = [
    .init(
      path: "Casting off.md", isChecklist: true,
      text:
        "BEFORE CASTING OFF\n==================\n\n* Weather\n* Crew briefed\n* Engine on\n\nAFTER\n-----\n\n* Fenders in\n* Lines coiled\n"
    ),
    .init(
      path: "Чек-лист.md", isChecklist: true,
      text:
        "Чек-лист «Отход»\n\n1. Двигатель:\n   - масло;\n   - ремень.\n2. Палуба:\n   - люки закрыты;\n   - кранцы убраны.\n"
    ),
    .init(
      path: "Яхта/Аптечка.md", isChecklist: true,
      text:
        "Аптечка на яхту\n\nОбезболивающие:\n- ибупрофен\n- парацетамол\n\nПеревязка:\n- бинт, 5 шт.\n- пластырь\n- жгут\n"
    ),
    .init(
      path: "travel/packing/boat bag.md", isChecklist: true,
      text: "# Boat bag\n\n## Essentials\n\n- phone\n- wallet\n\n## Feet\n\n- deck shoes\n- sea boots\n"),
    .init(
      path: "aircraft/Normal procedures.md", isChecklist: true,
      text:
        "# Normal procedures\n\n## Before start\n\n1. Brakes ............ SET\n2. Mixture ........... RICH\n3. Fuel selector ..... BOTH\n\n## Start\n\n1. Master ............ ON\n2. Beacon ............ ON\n"
    ),
    .init(
      path: "Preflight.md", isChecklist: true,
      text:
        "# Preflight\n\n## Cockpit\n\n- Control lock\n  - Removed\n- Master\n  - On\n- Flaps\n  - Extend\n\n## Left wing\n\n- Tie-down\n  - Removed\n- Pitot tube\n  - Check\n"
    ),
    .init(
      path: "Berthing procedure.md", isChecklist: true,
      text:
        "# Berthing procedure\n\n1. **Rig fenders** on both sides, at the height of the quay.\n2. **Lead the lines** outside of everything.\n3. **Brief the crew**: who steps off, who throws.\n4. **Approach** slowly, against the wind.\n"
    ),
    .init(path: "Gear list.md", isChecklist: true, text: "# Gear list\n\n* tent\n* stove\n* * *\n* rope\n* knife\n"),
    .init(
      path: "Яхта/Список вещей.md", isChecklist: true,
      text: "# Что взять\n\n🧥 Одежда\n- непромоканец\n- шапка\n- перчатки\n\n🔦 Снаряжение\n- фонарик\n- нож\n"),
    .init(
      path: "Links to go through.md", isChecklist: true,
      text: "# Before the season\n\n- [ ] [[Check the gas]]\n- [ ] [[Test the lights]]\n- [ ] [[Grease the winches]]\n"),
    .init(
      path: "journal/2024-03-07.md", isChecklist: false, text: "# Thursday\n\n- [ ] buy epoxy\n- [ ] call the yard\n"),
    .init(
      path: "2024-03-08.md", isChecklist: false,
      text:
        "- [ ] order anodes\n- [x] pay the berth\n\nRain all day. Read about epoxy.\n\n- coffee with Jan\n- mast: two quotes\n"
    ),
    .init(
      path: "Features.md", isChecklist: false,
      text: "# Why this boat\n\n- ✅ Long keel\n- ✅ Dry cockpit\n- ❌ Slow in light air\n- ❌ No bow thruster\n"),
    .init(
      path: "Links.md", isChecklist: false,
      text: "# Maps\n\n- [[Weather]]\n- [[Anchoring]]\n- [[Night sailing]]\n- [OpenSeaMap](https://openseamap.org)\n"),
    .init(
      path: "Boat/Before we go.md", isChecklist: true,
      text: "- Fridge off?\n- Hatches shut?\n- Gas off at the bottle\n- Rubbish ashore\n- Keys to the office\n"),
    .init(
      path: "chk/haul out.md", isChecklist: true,
      text:
        "# Haul-out\n\n- [ ] book the crane\n- [ ] log impeller out\n- [ ] backstay off\n\n## Ashore\n- [ ] pressure wash\n- [ ] drain tanks\n"
    ),
    .init(
      path: "abandon ship.md", isChecklist: true,
      text:
        "# Abandon ship\n\n1. Send MAYDAY\n2. Take the grab bag\n3. Put on life jackets\n4. Launch the raft to leeward\n5. Step up into it\n"
    ),
    .init(
      path: "Passerelle.md", isChecklist: false,
      text: "Ours is 2.2 m, carbon, and squeaks.\n\n- weight: 7 kg\n- load: 130 kg\n"),
    .init(
      path: "weather/Bora.md", isChecklist: false,
      text:
        "# Bora\n\nA cold wind that falls from the mountains.\n\n- comes without much warning\n- strongest near Senj\n- lasts for days in winter\n\nAnchor on the lee side, let out everything you have, and sleep in your clothes.\n"
    ),
    .init(
      path: "crew.md", isChecklist: false,
      text:
        "# Crew 2026\n\n- Anna: skipper, speaks Croatian\n- Boris: cook, gets seasick\n- Chris: first trip ever\n- Dana: dive master\n"
    ),
    .init(
      path: "Фото/идеи.md", isChecklist: false,
      text:
        "- закат у маяка, с дрона, если ветер позволит, лучше в первый вечер\n- швартовка кормой с мачты, нужен широкий угол и кто-то терпеливый внизу\n- дельфины, если придут\n"
    ),
    .init(
      path: "уборка.md", isChecklist: true,
      text:
        "# Уборка лодки\n\n- вымыть кокпит\n- пропылесосить каюты\n- выбросить мусор\n- протереть плиту\n- проветрить\n"
    ),
    .init(
      path: "швартовка кормой.md", isChecklist: false,
      text:
        "Подходим кормой, когда ветер не сильнее 15 узлов. Кранцы вешаем заранее, концы готовим оба.\n\n1. Наветренный конец первым.\n2. Муринг.\n3. Подветренный.\n\nГлавное — не спешить. Не получилось — отходим и заходим снова, никто не осудит, все там были.\n"
    ),
    .init(
      path: "books.md", isChecklist: false,
      text:
        "- Moitessier, The Long Way\n- Slocum, Sailing Alone Around the World\n- Childers, The Riddle of the Sands\n"),
    .init(
      path: "Engine room/oil change.md", isChecklist: true,
      text:
        "1. Run the engine for five minutes.\n2. Stop it, wait ten.\n3. Pump the old oil out.\n4. Change the filter; oil the seal.\n5. Fill 4.5 litres.\n6. Check for leaks.\n"
    ),
    .init(
      path: "Routes.md", isChecklist: false,
      text:
        "## West\n- Split to Solta, 9 nm\n- Solta to Vis, 22 nm\n- Vis to Hvar, 14 nm\n\n## East\n- Split to Brac, 12 nm\n- Brac to Makarska, 16 nm\n"
    ),
  ]

  /// No guide becomes a checklist, and every checklist is at least reported as a possible one.
  @Test(arguments: notes)
  func judgedWithoutHavingBeenSeen(_ note: NoteCorpus.Note) {
    var text = note.text
    let judgement = text.withUTF8 {
      NoteClassifier.judge($0.span, body: 0..<$0.count, tree: tree($0.span), path: note.path, title: nil, infer: .auto)
    }
    let why = judgement.reasons.map { "\($0.weight) \($0.text)" }.joined(separator: "; ")
    if note.isChecklist {
      #expect(judgement.type == .checklist || judgement.couldBe == .checklist, "\(note.path): \(why)")
    } else {
      #expect(judgement.type == .practiceGuide, "\(note.path): \(why)")
    }
  }
}
