import Foundation
import Interchange
import TestSupport
import Testing

@testable import Markdown

@Suite struct SlugTests {
  @Test(arguments: [
    ("Leaving the berth", "leaving-the-berth"), ("  Man over board!!! ", "man-over-board"), ("VHF: 16/72", "vhf-16-72"),
    ("Щётка и объём", "shchyotka-i-obyom"), ("Выход из порта", "vykhod-iz-porta"), ("Подъезд, съёмка", "podezd-syomka"),
    ("Цепь, якорь, Юг, эхолот", "tsep-yakor-yug-ekholot"), ("Перевірити її ґанок, Єва", "pereviriti-yiyi-ganok-yeva"),
    ("Ўсе лісты", "wse-listy"), ("България, път", "balgariya-pat"), ("Ђорђе љубав", "djordje-ljubav"),
    ("Άνεμος ούριος ψυχή", "anemos-ourios-psychi"), ("Öl prüfen, große Fender", "ol-prufen-grosse-fender"),
    ("Çà et là — œuvre", "ca-et-la-oeuvre"), ("Łódź Đà Nẵng Þór", "lodz-da-nang-thor"),
    ("İstanbul ışık", "istanbul-isik"), ("Ka Makani ʻOluʻolu", "ka-makani-oluolu"), ("Пʼять", "pyat"),
    ("ﬁne ② ｆｕｌｌ", "fine-2-full"), ("soft\u{AD}hyphen zero\u{200B}width", "softhyphen-zerowidth"),
    ("", "untitled"), ("⛵️ 😀", "untitled"), ("出港準備", "untitled"), ("יציאה", "untitled"), ("مغادرة", "untitled"),
    ("---", "untitled"), ("ь", "untitled"), ("⛵️ Sail 出", "sail"),
    ("CON", "con-note"), ("nul", "nul-note"), ("Com1", "com1-note"), ("lpt9", "lpt9-note"), ("com10", "com10"),
    ("../../etc/passwd", "etc-passwd"), (".hidden", "hidden"), ("a\u{0}b", "a-b"),
  ])
  func ofTitles(_ title: String, _ slug: String) {
    #expect(Slug.of(title) == slug)
    #expect(Slug.of(title.decomposedStringWithCanonicalMapping) == slug, "in another spelling")
  }

  @Test func isCutBetweenWords() {
    let words = (1...20).map { "word\($0)" }.joined(separator: " ")
    let slug = Slug.of(words)
    #expect(slug == "word1-word2-word3-word4-word5-word6-word7-word8-word9-word10")
    #expect(Slug.of(String(repeating: "x", count: 5_000_000)) == String(repeating: "x", count: 60))
    #expect(Slug.of(String(repeating: "щ", count: 100)).utf8.count <= 60)
  }

  @Test func isAlwaysAName() {
    var random = SeededRandom(seed: 51)
    for _ in 0..<5000 {
      let title = String(
        String.UnicodeScalarView(
          (0..<random.below(80)).compactMap { _ in
            Unicode.Scalar(UInt32(random.below(random.pick([128, 0x600, 0x11_0000]))))
          }))
      let slug = Slug.of(title)
      #expect(slug.range(of: "^[a-z0-9]+(-[a-z0-9]+)*$", options: .regularExpression) != nil, "\(slug)")
      #expect(slug.utf8.count <= 60 + "-note".utf8.count)
    }
  }

  @Test func namesDoNotDependOnTheOrder() {
    let items = [("Sails", "AAAA1111-X"), ("sails!", "BBBB2222-Y"), ("Engine", "CCCC3333-Z"), ("⛵️", "D"), ("出", "E")]
    func names(_ items: [(String, String)]) -> [String: String] {
      var names = SlugNames()
      for (title, _) in items { names.add(title: title) }
      return Dictionary(uniqueKeysWithValues: items.map { ($0.1, names.name(title: $0.0, id: $0.1)) })
    }
    let expected = [
      "AAAA1111-X": "sails-aaaa1111", "BBBB2222-Y": "sails-bbbb2222", "CCCC3333-Z": "engine", "D": "untitled-d",
      "E": "untitled-e",
    ]
    #expect(names(items) == expected)
    #expect(names(items.reversed()) == expected)
  }

  @Test func filesKeepTheirNames() {
    var names = SlugNames(existing: [("My Sails", "A"), ("Engine", nil), ("sails", "C")])
    for title in ["Sails", "Engine", "Sails", "New"] { names.add(title: title) }
    #expect(names.name(title: "Sails", id: "A") == "My Sails")
    #expect(names.name(title: "Engine", id: "B12345678") == "engine-b1234567")
    #expect(names.name(title: "Renamed", id: "C") == "sails")
    #expect(names.name(title: "New", id: "D") == "new")
    #expect(names.name(title: "New", id: "D") == "new")
  }

  @Test func hostileIDsMakeNamesToo() {
    var names = SlugNames()
    let ids = ["../../x", "", "жжж", "жж", "aaaaaaaa1", "aaaaaaaa2", "AAAAAAAA1"]
    for _ in ids { names.add(title: "T") }
    let all = ids.map { names.name(title: "T", id: $0) }
    #expect(Set(all).count == ids.count)
    for name in all { #expect(name.range(of: "^t-[a-z0-9-]+$", options: .regularExpression) != nil, "\(name)") }
  }
}
