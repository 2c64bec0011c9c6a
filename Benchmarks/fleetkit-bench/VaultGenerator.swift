import Foundation

/// Makes a vault of practice guides as people write them, with front matter, headings, paragraphs, lists, links and
/// occasional images; every third guide is in Russian. The same number gives the same vault.
struct VaultGenerator {
  let guides: Int
  /// Whether every sentence is different: such text compresses to a third of its size, like text that people write,
  /// and not to a twentieth.
  var isVaried = false

  private static let english = [
    "Head to wind, ease the sheets and let the boat stop before anybody touches the chain.",
    "Lay out five times the depth, or seven if the wind is expected to pick up overnight.",
    "Take a bearing on two things ashore that stand still, and write them down with the time.",
    "When she drags, start the engine first and think afterwards; there is always less time than one believes.",
    "The crew on the foredeck signals with the whole arm, because nobody hears a word against the wind.",
    "A *snubber* of nylon takes the snatch out of the chain and the noise out of the cabin.",
    "Read the **pilot book** twice: once for the harbour, and once for what it says between the lines.",
  ]
  private static let russian = [
    "Встаньте носом к ветру, раздайте шкоты и дождитесь, пока лодка остановится.",
    "Травите цепь в пять глубин, а если ночью обещают ветер – в семь.",
    "Возьмите пеленги на два неподвижных предмета и запишите их вместе со временем.",
    "Если якорь ползёт, сначала заводите двигатель, а потом думайте: времени всегда меньше, чем кажется.",
  ]

  /// Writes the vault; uses an existing one unchanged.
  func write(to folder: String) throws {
    let mark = folder + "/.made-2-\(guides)\(isVaried ? "-varied" : "")"
    if FileManager.default.fileExists(atPath: mark) { return }
    try? FileManager.default.removeItem(atPath: folder)
    var state: UInt64 = 0x5EED
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    // There are four thousand words. A word is chosen by the product of three random numbers: the smaller the product,
    // the more frequent the word, as in any language.
    let syllables = "an ber cha dor el fa gun hal in jib kee lan mar nor o pro qua rig sai tac un ver wind yaw ze"
      .split(
        separator: " ")
    let words = (0..<4096).map { _ in (0..<1 + random(3)).map { _ in syllables[random(syllables.count)] }.joined() }
    func sentence() -> String {
      let text = (0..<8 + random(12)).map { _ in words[random(16) * random(16) * random(16)] }.joined(separator: " ")
      return text.prefix(1).uppercased() + text.dropFirst() + "."
    }
    for number in 0..<guides {
      let place = "\(folder)/guides/\(number / 500)"
      if number % 500 == 0 { try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true) }
      let isRussian = number % 3 == 2
      let sentences = isRussian ? Self.russian : Self.english
      var text = """
        ---
        title: \(isRussian ? "Якорная стоянка" : "Anchoring notes") \(number)
        tags: [\(isRussian ? "якорь" : "anchoring"), practice]
        created: 2025-0\(1 + number % 9)-1\(number % 10)
        updated: 2026-0\(1 + number % 9)-1\(number % 10)T08:00:00Z
        description: What this crew has learned about \(isRussian ? "якорную стоянку" : "anchoring").
        author: crew
        ---
        # \(isRussian ? "Якорная стоянка" : "Anchoring notes") \(number)


        """
      while text.utf8.count < 5800 {
        text += "## \(isRussian ? "Часть" : "Part") \(random(90))\n\n"
        for _ in 0..<2 + random(3) {
          for _ in 0..<3 + random(4) { text += (isVaried ? sentence() : sentences[random(sentences.count)]) + " " }
          text += "\n\n"
        }
        if random(3) == 0 {
          for _ in 0..<3 { text += "- \(sentences[random(sentences.count)])\n" }
          text += "\n"
        }
        if random(2) == 0 { text += "See [[guide-\(random(guides))]] and [the pilot](https://example.org/pilot).\n\n" }
      }
      try text.write(toFile: "\(place)/guide-\(number).md", atomically: false, encoding: .utf8)
    }
    _ = FileManager.default.createFile(atPath: mark, contents: nil)
  }
}
