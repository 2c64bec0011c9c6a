import Foundation
import Publishing
import SyncQueue
import TestSupport
import Testing

/// Public ids that are derived from titles.
@Suite struct EnqueueSlugTests {
  @Test(arguments: [
    ("Проверка двигателя", "proverka-dvigatelya"), ("Crew Safety Briefing", "crew-safety-briefing"),
    ("  MOB — Man Overboard 🆘 ", "mob-man-overboard"), ("Щётка, подъём и съёмка", "shchyotka-podyom-i-syomka"),
    ("Перевірка двигуна: їжа, ґанок, єдність", "perevirka-dviguna-yizha-ganok-yednist"),
    ("Проверка на въжетата", "proverka-na-vazhetata"), ("Љубав њега џак ћуд ђак", "ljubav-njega-dzak-cud-djak"),
    ("Έλεγχος μηχανής", "elegchos-michanis"), ("Zażółć gęślą jaźń", "zazolc-gesla-jazn"),
    ("Güverte ığdır ŞİŞE", "guverte-igdir-sise"), ("Début du « quart » à l’œuvre", "debut-du-quart-a-loeuvre"),
    ("Ærø, Ålesund, Þór", "aero-alesund-thor"), ("Ｆｕｌｌ　ｗｉｄｔｈ　１２", "full-width-12"), ("Straße & Boot", "strasse-boot"),
    ("מדריך", "mdryk"), ("دليل الإرساء", "dlyl-alirsa"), ("日本語", "content"), ("🆘🧭", "content"), ("---", "content"),
    ("", "content"), ("a - - b", "a-b"), ("W.O.B.B.L.E.", "wobble"), ("Tab\tand\nline", "tab-and-line"),
  ])
  func aTitleIsReadable(_ title: String, _ slug: String) { #expect(PublicSlug.slug(title) == slug) }

  @Test func germanHasUmlautsOfItsOwn() {
    #expect(PublicSlug.slug("Übergabe: Öl, Möwe, Äpfel", language: "de-CH") == "uebergabe-oel-moewe-aepfel")
    #expect(PublicSlug.slug("Übergabe", language: "et") == "ubergabe")
  }

  @Test func longTitlesAreCutBetweenWords() {
    let slug = PublicSlug.slug("Spring commissioning: from the yard to the first sail of a long season")
    #expect(slug == "spring-commissioning-from-the-yard-to-the-first")
    #expect(PublicSlug.slug(String(repeating: "x", count: 300)) == String(repeating: "x", count: 50))
    #expect(PublicSlug.slug("a " + String(repeating: "щ", count: 100)).count == 50)
  }

  @Test func everyTitleGivesASlug() throws {
    var random = SeededRandom(seed: 17)
    let ranges: [ClosedRange<UInt32>] = [
      0x20...0x7E, 0x0...0x1F, 0xA0...0x17F, 0x370...0x3FF, 0x400...0x52F, 0x590...0x6FF, 0x300...0x36F,
      0x2000...0x206F, 0x4E00...0x4FFF, 0xFF00...0xFF5E, 0x1F300...0x1F5FF, 0x1D400...0x1D4FF, 0x10FFF0...0x10FFFF,
    ]
    let shape = try Regex("^[a-z0-9-]+-[0-9A-F]{8}$")
    for _ in 0..<20_000 {
      var title = String.UnicodeScalarView()
      for _ in 0..<random.below(90) {
        let range = ranges[random.below(random.below(2) == 0 ? 2 : ranges.count)]
        let value = range.lowerBound + UInt32(random.below(range.count))
        if let scalar = Unicode.Scalar(value) { title.append(scalar) }
        if random.below(6) == 0 { title.append(random.below(2) == 0 ? " " : "-") }
      }
      let id = PublicSlug.make(String(title))
      #expect(id.wholeMatch(of: shape) != nil, "\(id)")
      #expect(id.utf8.count <= 59)
      let slug = id.dropLast(9)
      #expect(!slug.isEmpty && !slug.contains("--") && !slug.hasPrefix("-") && !slug.hasSuffix("-"), "\(id)")
      // Both normalization forms of the title give the same result.
      let other = String(title).decomposedStringWithCanonicalMapping
      #expect(PublicSlug.slug(other) == slug)
    }
  }
}
