/// Words that tell somebody to do something, in English and in Russian; folded as in `FoldedWords`.
enum ImperativeWords {
  /// Whether a word does.
  static func contains(_ word: String) -> Bool {
    guard let first = word.utf8.first else { return false }
    return first < 0x80 ? english.contains(word) : isRussian(word)
  }

  private static let english = words(
    """
    add adjust agree air align anchor announce apply appoint arrange ask assign attach bail balance batten bend bleed blow
    book brief bring brush build buy calculate call carry cast center centre change charge check choose clean clear clip
    close coil collect compare complete confirm connect contact cook count cover cut deflate defrost deploy describe
    determine dip disconnect discuss dispose distribute document don download drain drop drop dry ease empty engage enter
    ensure establish examine exercise explain fasten fetch file fill find fit fix flake flush fold follow free fuel furl
    get give go grease halt hand hang haul heave hoist hold hook identify inflate inform insert inspect install issue keep
    label lash launch lay lead leave let lift light list load locate lock log look lower lubricate maintain make man
    measure monitor moor mount move note notify open operate order pack pay photograph pick place plan plot plug position
    pour practise practice prepare press prime print process protect pull pump put raise read rearrange rebook recharge
    record reduce reef refill refuel release remove renew repack repair repeat replace report reset return review rig
    rinse rotate run save scan scrub seal secure select send service set share shorten show shut sign slip sort
    sound spray start steer step stop store stow strike strip stretch sweep switch tack tag take talk tape tell tension
    test tidy tie tighten top touch trail train transfer trim try turn unclip unfold unlock unpack unplug untie unwind
    update use vacuum ventilate verify visit wait walk warn wash watch wear weigh winterise winterize wipe withdraw wrap
    write recheck doublecheck zip
    """)

  private static let russian = words(
    """
    проверь открои закрои включи выключи подними опусти возьми проследи убедись запусти заведи отдаи прими закрепи сними
    надень положи убери осмотри слеи залеи выбери трави позвони запиши вызови подготовь приготовь заполни измерь наполни
    заправь отключи подключи поставь установи вымои протри упакуи купи сдаи получи подпиши сфотографируи сообщи назначь
    раздаи покажи объясни расскажи напомни держи жди замени смажь промои осуши продуи стравь натяни ослабь сверни разверни
    """)

  /// Nouns that end like verbs.
  private static let nouns = words(
    """
    печать кровать сеть нить память мать рукоять плеть снасти части сети кости запчасти новости гости области ночь речь
    дочь нефть смесь путь пять шесть девять десять часть кисть трость тетрадь модель скорости емкости жидкости мощность
    лопасти пасть пристань площадь дверь двери ключ луч меч мяч плащ врач обруч мелочи мелочь
    """)

  private static let verbs = words("печь беречь сжечь течь вести везти нести внести отвести перевести завести навести")

  private static let infinitives = [
    "ать", "ять", "ить", "еть", "уть", "оть", "ыть", "йти", "ити", "сти", "зти", "чь", "ться", "тись", "чься",
  ]
  private static let imperatives = ["ите", "ьте", "итесь", "ьтесь"]

  private static func isRussian(_ word: String) -> Bool {
    if russian.contains(word) || verbs.contains(word) { return true }
    // Two bytes for each letter: at least four letters.
    guard word.utf8.count >= 8, !nouns.contains(word), !word.hasSuffix("ость"), !word.hasSuffix("ости") else {
      return false
    }
    return infinitives.contains { word.utf8.reversed().starts(with: $0.utf8.reversed()) }
      || imperatives.contains { word.utf8.reversed().starts(with: $0.utf8.reversed()) }
  }

  private static func words(_ text: String) -> Set<String> {
    Set(text.split(whereSeparator: \.isWhitespace).map(String.init))
  }
}
